"""Ids and physical names."""

from __future__ import annotations

import uuid

from calor.entropy import new_uuid

_BITS = 60
"""Of the 122 random bits of a UUID: the time fields without the version."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


def new_id() -> str:
    return new_uuid()


def short_id(id: str | None = None) -> str:
    """Twelve letters and digits derived from a UUID, as in Heat."""
    bits = uuid.UUID(id or new_uuid()).time
    return "".join([_LETTERS[bits >> shift & 31] for shift in range(_BITS - 5, -1, -5)])


def physical_name(stack: str, resource: str, id: str, limit: int = 255) -> str:
    """`stack-resource-abc123…`, shortened after its first two characters if it is too long."""
    name = f"{stack.rstrip('*')}-{resource}-{short_id(id)}"
    if len(name) <= limit:
        return name
    return f"{name[:2]}-{name[-(limit - 3) :]}"
