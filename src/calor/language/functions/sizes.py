"""Limits on the results of functions. Nested functions multiply sizes."""

from __future__ import annotations

from calor.language.expressions import FunctionError
from calor.language.values import MOST_ITEMS, size_of

MOST_TEXT = 16 * 1024 * 1024


def check_text(name: str, length: int) -> None:
    """Raises FunctionError if the text that a function would return is too long."""
    if length > MOST_TEXT:
        raise FunctionError(f"`{name}` would return a string of more than {MOST_TEXT:,} characters")


def check_size(name: str, value: object) -> None:
    """Raises FunctionError if a value is too large to be converted to text."""
    if size_of(value, MOST_TEXT) > MOST_TEXT:
        raise FunctionError(f"`{name}` takes values of up to {MOST_TEXT:,} bytes")


def check_items(name: str, count: int) -> None:
    """Raises FunctionError if a function would return too many values."""
    if count > MOST_ITEMS:
        raise FunctionError(f"`{name}` would return more than {MOST_ITEMS:,} values")
