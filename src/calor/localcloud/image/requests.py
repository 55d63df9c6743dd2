"""Readers of image attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from calor.localcloud.problems import BadRequest, Forbidden
from calor.localcloud.requests import (
    Reader,
    boolean,
    identifier,
    listing,
    mapping,
    nullable,
    one_of,
    text,
    whole,
)
from calor.localcloud.types import Json

VISIBILITIES = ("community", "public", "private", "shared")
CONTAINER_FORMATS = ("ami", "ari", "aki", "bare", "ovf", "ova", "docker", "compressed")
DISK_FORMATS = ("ami", "ari", "aki", "vhd", "vhdx", "vmdk", "raw", "qcow2", "vdi", "iso", "ploop")

_UUID = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def _image_id(value: object, where: str) -> str:
    if not isinstance(value, str) or not _UUID.fullmatch(value):
        raise BadRequest(f"{where} must be a UUID.")
    return value


def _tags(value: object, where: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(listing(text(255), longest=128)(value, where)))


_READERS: Mapping[str, Reader[object]] = {
    "id": _image_id,
    "name": nullable(text(255)),
    "visibility": one_of(*VISIBILITIES),
    "protected": boolean,
    "os_hidden": boolean,
    "owner": nullable(text(255)),
    "container_format": nullable(one_of(*CONTAINER_FORMATS)),
    "disk_format": nullable(one_of(*DISK_FORMATS)),
    "min_disk": whole(0, 2**31 - 1),
    "min_ram": whole(0, 2**31 - 1),
    "tags": _tags,
}
_SET_BY_THE_SERVICE = frozenset(
    {
        "status",
        "size",
        "virtual_size",
        "checksum",
        "os_hash_algo",
        "os_hash_value",
        "created_at",
        "updated_at",
        "direct_url",
        "self",
        "file",
        "schema",
        "stores",
        "locations",
    }
)
_RESERVED = frozenset({"location", "deleted", "deleted_at"})
_RESERVED_PREFIX = "os_glance_"
_MOST_PROPERTIES = 128

BASE = frozenset(_READERS) | _SET_BY_THE_SERVICE
"""The standard attributes; all others are custom properties."""


def is_free(name: str) -> bool:
    """Whether a property is custom."""
    return name not in BASE and not _is_reserved(name)


def _is_reserved(name: str) -> bool:
    return name in _RESERVED or name.startswith(_RESERVED_PREFIX)


def read_attribute(name: str, value: Any) -> Any:
    """Reads an attribute or property."""
    if name in _SET_BY_THE_SERVICE:
        raise Forbidden(f"Attribute '{name}' is read-only.")
    if _is_reserved(name):
        raise Forbidden(f"Attribute '{name}' is reserved.")
    if reader := _READERS.get(name):
        return reader(value, name)
    identifier(name, "The name of a property")
    return text()(value, name)


def read_attributes(value: object, where: str) -> Json:
    """The attributes by their names, and the other properties together as `properties`."""
    read = {name: read_attribute(name, given) for name, given in mapping(value, where).items()}
    properties = check_property_count({name: given for name, given in read.items() if name not in BASE})
    return {**{name: given for name, given in read.items() if name in BASE}, "properties": properties}


def check_property_count(properties: Mapping[str, str]) -> Mapping[str, str]:
    if len(properties) > _MOST_PROPERTIES:
        raise BadRequest(f"An image can have at most {_MOST_PROPERTIES} custom properties.")
    return properties
