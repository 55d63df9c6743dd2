"""Stacks in memory during a run, and the contexts of resource types' hooks."""
