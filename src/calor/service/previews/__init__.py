"""Builds the inputs of plans from the database, and shows plans."""
