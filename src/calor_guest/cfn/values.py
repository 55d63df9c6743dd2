"""Values as templates write them."""

from typing import Any, Dict

_TRUE = ("true", "yes", "1")


def is_true(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in _TRUE
    return value is True or (isinstance(value, int) and value == 1)


def properties(value: Any) -> Dict[str, Any]:
    """The properties of an entry, which has none if it is empty."""
    return value if isinstance(value, dict) else {}
