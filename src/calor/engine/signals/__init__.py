"""Signals to resources, and the changes of single resources that they cause."""
