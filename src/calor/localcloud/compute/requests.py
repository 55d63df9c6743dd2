"""Readers of the compute service, which rejects unknown members."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping

from calor.localcloud.problems import BadRequest
from calor.localcloud.requests import Reader, boolean, mapping, shape, text
from calor.localcloud.types import Json

_ITEM_LENGTH = 255
_MOST = 2**31 - 1


def strict(
    required: Mapping[str, Reader[object]] | None = None, optional: Mapping[str, Reader[object]] | None = None
) -> Reader[Json]:
    """An object with these members and no others."""
    known = shape(required, optional)
    names = {*(required or {}), *(optional or {})}

    def read(value: object, where: str) -> Json:
        found = known(value, where)
        if unknown := sorted(set(mapping(value, where)) - names):
            raise BadRequest(f"{where} has unknown members: {', '.join(unknown)[:255]}.")
        return found

    return read


def plain_name(value: object, where: str) -> str:
    """A name that neither begins nor ends with a space."""
    read = text(_ITEM_LENGTH, shortest=1)(value, where)
    if read != read.strip() or not read.isprintable():
        raise BadRequest(f"{where} must be printable, without leading or trailing spaces.")
    return read


def flag(value: object, where: str) -> bool:
    """A boolean, which may be given as a string."""
    if isinstance(value, str) and value.lower() in ("1", "t", "true", "on", "y", "yes"):
        return True
    if isinstance(value, str) and value.lower() in ("0", "f", "false", "off", "n", "no"):
        return False
    return boolean(value, where)


def number(least: int, most: int = _MOST) -> Reader[int]:
    """A whole number, which may be given as a string."""

    def read(value: object, where: str) -> int:
        if isinstance(value, str) and re.fullmatch(r"-?\d{1,10}", value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise BadRequest(f"{where} must be a whole number from {least} to {most}.")
        return value

    return read


def items(value: object, where: str) -> dict[str, str]:
    """Metadata: texts by names."""
    if not isinstance(value, dict):
        raise BadRequest(f"{where} must be an object.")
    for name, content in value.items():
        if not re.fullmatch(r"[a-zA-Z0-9\-_:. ]{1,255}", name):
            raise BadRequest(f"{where} has an invalid key: {name[:255]!r}.")
        text(_ITEM_LENGTH)(content, f"{where}.{name}")
    return dict(value)


def device(value: object, where: str) -> str:
    """The name of a block device in a server, such as vdb or /dev/vdb; an empty one leaves the choice to the service.
    It is never a path."""
    read = text(_ITEM_LENGTH)(value, where)
    if read and not re.fullmatch(r"(/dev/)?[a-z]{1,16}[0-9]{0,4}", read):
        raise BadRequest(f"{where} is not a device name such as /dev/vdb.")
    return f"/dev/{read.removeprefix('/dev/')}" if read else ""


def tag(value: object, where: str) -> str:
    read = text(60, shortest=1)(value, where)
    if "/" in read or "," in read:
        raise BadRequest(f"{where} must not contain slashes or commas.")
    return read


def address(family: int | None = None) -> Reader[str]:
    def read(value: object, where: str) -> str:
        try:
            found = ipaddress.ip_address(text(64)(value, where))
        except ValueError:
            raise BadRequest(f"{where} must be an IP address.") from None
        if family not in (None, found.version):
            raise BadRequest(f"{where} must be an IPv{family} address.")
        return str(found)

    return read


def uuid(value: object, where: str) -> str:
    read = text(_ITEM_LENGTH)(value, where)
    if not re.fullmatch(r"[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}", read):
        raise BadRequest(f"{where} must be a UUID.")
    return read
