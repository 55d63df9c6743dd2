"""Ids and physical names."""

from __future__ import annotations

import base64
import uuid

from calor.entropy import new_uuid

_VARIANT_AND_VERSION_FREE = 60


def new_id() -> str:
    return str(new_uuid())


def short_id(id: str | None = None) -> str:
    """Twelve letters and digits derived from a UUID, as in Heat."""
    value = uuid.UUID(id) if id else new_uuid()
    # 60 of the 122 random bits: the time fields without the version.
    bits = value.time & ((1 << _VARIANT_AND_VERSION_FREE) - 1)
    data = (bits << 4).to_bytes(8, "big")
    return base64.b32encode(data).decode("ascii").lower()[:12]


def physical_name(stack: str, resource: str, id: str, limit: int = 255) -> str:
    """`stack-resource-abc123…`, shortened after its first two characters if it is too long."""
    name = f"{stack.rstrip('*')}-{resource}-{short_id(id)}"
    if len(name) <= limit:
        return name
    return f"{name[:2]}-{name[-(limit - 3) :]}"
