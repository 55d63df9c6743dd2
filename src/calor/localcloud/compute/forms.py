"""Readers of what only the compute service is sent. It refuses members it does not know."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Any

from calor.localcloud.problems import BadRequest
from calor.localcloud.reading import Reader, boolean, shape, text

_ITEM_LENGTH = 255
_MOST = 2**31 - 1


def strict(
    required: Mapping[str, Reader] | None = None, optional: Mapping[str, Reader] | None = None
) -> Reader:
    """An object with these members and no others."""
    known = shape(required, optional)
    names = {*(required or {}), *(optional or {})}

    def read(value: Any, where: str) -> Any:
        found = known(value, where)
        if unknown := sorted(set(value) - names):
            raise BadRequest(f"{where} has members that are not known here: {', '.join(unknown)[:255]}.")
        return found

    return read


def plain_name(value: Any, where: str) -> str:
    """A name that neither begins nor ends with a space."""
    read: str = text(_ITEM_LENGTH, shortest=1)(value, where)
    if read != read.strip() or not read.isprintable():
        raise BadRequest(f"{where} must be printable, without spaces at its beginning and end.")
    return read


def flag(value: Any, where: str) -> bool:
    """True and false may also be written as texts here."""
    if isinstance(value, str) and value.lower() in ("1", "t", "true", "on", "y", "yes"):
        return True
    if isinstance(value, str) and value.lower() in ("0", "f", "false", "off", "n", "no"):
        return False
    return boolean(value, where)


def number(least: int, most: int = _MOST) -> Reader:
    """A whole number, which may be written as a text."""

    def read(value: Any, where: str) -> int:
        if isinstance(value, str) and re.fullmatch(r"-?\d{1,10}", value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise BadRequest(f"{where} must be a whole number from {least} to {most}.")
        return value

    return read


def items(value: Any, where: str) -> dict[str, str]:
    """Metadata: texts by names."""
    if not isinstance(value, dict):
        raise BadRequest(f"{where} must be an object.")
    for name, content in value.items():
        if not re.fullmatch(r"[a-zA-Z0-9\-_:. ]{1,255}", name):
            raise BadRequest(f"{where} has a key that must not be: {name[:255]!r}.")
        text(_ITEM_LENGTH)(content, f"{where}.{name}")
    return dict(value)


def device(value: Any, where: str) -> str:
    """The name of a block device in a server, such as vdb or /dev/vdb; an empty one leaves the choice to the service.
    It is never a path."""
    read: str = text(_ITEM_LENGTH)(value, where)
    if read and not re.fullmatch(r"(/dev/)?[a-z]{1,16}[0-9]{0,4}", read):
        raise BadRequest(f"{where} is not the name of a device, such as /dev/vdb.")
    return f"/dev/{read.removeprefix('/dev/')}" if read else ""


def tag(value: Any, where: str) -> str:
    read: str = text(60, shortest=1)(value, where)
    if "/" in read or "," in read:
        raise BadRequest(f"{where} must have neither slashes nor commas.")
    return read


def address(family: int | None = None) -> Reader:
    def read(value: Any, where: str) -> str:
        try:
            found = ipaddress.ip_address(text(64)(value, where))
        except ValueError:
            raise BadRequest(f"{where} must be an IP address.") from None
        if family not in (None, found.version):
            raise BadRequest(f"{where} must be an IPv{family} address.")
        return str(found)

    return read


def uuid(value: Any, where: str) -> str:
    read: str = text(_ITEM_LENGTH)(value, where)
    if not re.fullmatch(r"[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}", read):
        raise BadRequest(f"{where} must be a UUID.")
    return read
