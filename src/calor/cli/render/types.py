"""Names of resource types."""

from __future__ import annotations


def short_type(type_name: str) -> str:
    """The name of a type; for a template, the name of its file."""
    return type_name.rsplit("/", 1)[-1] if "://" in type_name else type_name
