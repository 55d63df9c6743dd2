"""Diagnostics as people and tools want them: one module for each form."""
