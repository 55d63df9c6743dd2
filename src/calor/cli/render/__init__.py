"""Renders diagnostics and records: one module per format."""
