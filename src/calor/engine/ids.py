"""Names and ids of what the engine makes."""

from __future__ import annotations

import base64
import uuid

from calor.entropy import new_uuid

_VARIANT_AND_VERSION_FREE = 60


def new_id() -> str:
    return str(new_uuid())


def short_id(id: str | None = None) -> str:
    """Twelve letters and digits that stand for the random bits of a UUID."""
    value = uuid.UUID(id) if id else new_uuid()
    # 60 of the 122 random bits: the time fields without their version digits.
    bits = value.time & ((1 << _VARIANT_AND_VERSION_FREE) - 1)
    data = (bits << 4).to_bytes(8, "big")
    return base64.b32encode(data).decode("ascii").lower()[:12]


def physical_name(stack: str, resource: str, id: str, limit: int = 255) -> str:
    """`stack-resource-abc123…`, shortened in the middle of its beginning if it is too long."""
    name = f"{stack.rstrip('*')}-{resource}-{short_id(id)}"
    if len(name) <= limit:
        return name
    return f"{name[:2]}-{name[-(limit - 3) :]}"
