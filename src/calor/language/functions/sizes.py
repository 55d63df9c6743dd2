"""How much functions may make. Few words can ask for very much: each level of nesting multiplies."""

from __future__ import annotations

from calor.language.expressions import FunctionError

MOST_TEXT = 16 * 1024 * 1024
MOST_ITEMS = 200_000


def check_text(name: str, length: int) -> None:
    """Raises FunctionError if a function would make a text longer than is allowed."""
    if length > MOST_TEXT:
        raise FunctionError(f"`{name}` would make a text of more than {MOST_TEXT:,} characters")


def check_items(name: str, count: int) -> None:
    """Raises FunctionError if a function would make more values than are allowed."""
    if count > MOST_ITEMS:
        raise FunctionError(f"`{name}` would make more than {MOST_ITEMS:,} values")
