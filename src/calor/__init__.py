"""Calor orchestrates cloud infrastructure from templates."""

__version__ = "0.1.0"
