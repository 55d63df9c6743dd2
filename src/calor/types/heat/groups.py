"""The templates that groups make for their members."""

from __future__ import annotations

import hashlib
from base64 import b32encode
from collections.abc import Iterator, Mapping
from typing import Any

from calor.language.values import Secret, Unknown

MOST_MEMBERS = 10_000
"""Where identical members stop being written out: past any limit of resources, one more tells nothing new."""


def template_of(members: Mapping[str, Any]) -> dict[str, Any]:
    return {"heat_template_version": "2015-04-30", "resources": dict(members)}


def placeholder_names(count: int) -> Iterator[str]:
    """Names like those of scaled members, which are drawn at creation. These are the same each time, so that
    two looks at one template agree."""
    for index in range(min(count, MOST_MEMBERS)):
        digest = hashlib.sha256(str(index).encode()).digest()
        yield b32encode(digest)[:12].decode().lower()


def opened(value: Any) -> Any:
    """A map that is not known yet, or secret, as a map of such values: its keys have to be seen."""
    if isinstance(value, Unknown) and isinstance(value.stand_in, dict):
        return {key: Unknown(item, value.secret) for key, item in value.stand_in.items()}
    if isinstance(value, Secret) and isinstance(value.reveal(), dict):
        return {key: Secret(item) for key, item in value.reveal().items()}
    return value
