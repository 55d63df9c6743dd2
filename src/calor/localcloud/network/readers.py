"""Readers of what clients of the network service send. As there, flags and numbers may be written as text."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_interface, ip_network
from typing import Any

from calor.localcloud.problems import BadRequest
from calor.localcloud.reading import Reader, listing, mapping, text
from calor.localcloud.reading import whole as whole_exactly

_UUID = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_MAC = re.compile(r"([0-9a-f]{2}:){5}[0-9a-f]{2}")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)", re.IGNORECASE)

name = text(255)
description = text(255)
tag = text(255, shortest=1)
_TAGS = listing(tag, longest=50)


def tags(value: Any, where: str) -> tuple[str, ...]:
    """Each once, in the order of the alphabet."""
    return tuple(sorted(set(_TAGS(value, where))))


def flag(value: Any, where: str) -> bool:
    words = {"true": True, "1": True, "false": False, "0": False}
    read = words.get(str(value).lower()) if isinstance(value, str | int) else None
    if read is None:
        raise BadRequest(f"{where}: '{value}' is neither true nor false.")
    return read


def whole(least: int, most: int) -> Reader:
    exactly = whole_exactly(least, most)

    def read(value: Any, where: str) -> int:
        if isinstance(value, str) and re.fullmatch(r"-?\d{1,18}", value, re.ASCII):
            value = int(value)
        return int(exactly(value, where))

    return read


def uuid(value: Any, where: str) -> str:
    if not isinstance(value, str) or not _UUID.fullmatch(value):
        raise BadRequest(f"{where}: '{str(value)[:255]}' is not a valid UUID.")
    return value


def address(value: Any, where: str) -> str:
    """An IP address in the form in which it is compared."""
    try:
        if not isinstance(value, str):
            raise ValueError
        return str(ip_address(value))
    except ValueError:
        raise BadRequest(f"{where}: '{str(value)[:255]}' is not a valid IP address.") from None


def network(value: Any, where: str) -> IPv4Network | IPv6Network:
    """A range; bits beyond its prefix are dropped, and without a prefix it is one address."""
    try:
        if not isinstance(value, str):
            raise ValueError
        return ip_network(value, strict=False)
    except ValueError:
        raise BadRequest(f"{where}: '{str(value)[:255]}' is not a valid IP subnet.") from None


def cidr(value: Any, where: str) -> str:
    if not isinstance(value, str) or "/" not in value:
        raise BadRequest(f"{where}: '{str(value)[:255]}' is not a valid IP subnet.")
    return str(network(value, where))


def address_or_cidr(value: Any, where: str) -> str:
    """Kept as it is written: with a prefix or without."""
    if isinstance(value, str) and "/" in value:
        network(value, where)
        return str(ip_interface(value))
    return address(value, where)


def mac(value: Any, where: str) -> str:
    read = str(value).lower().replace("-", ":")
    if not _MAC.fullmatch(read) or read == "00:00:00:00:00:00":
        raise BadRequest(f"{where}: '{str(value)[:255]}' is not a valid MAC address.")
    return read


def dns_name(value: Any, where: str) -> str:
    read: str = text(255)(value, where)
    labels = read.removesuffix(".").split(".")
    if read and not all(_LABEL.fullmatch(label) for label in labels):
        raise BadRequest(f"{where}: '{read}' is not a valid DNS name.")
    return read


def strict_shape(required: dict[str, Reader], optional: dict[str, Reader] | None = None) -> Reader:
    """An object with these members and no others."""
    known = {**required, **(optional or {})}

    def read(value: Any, where: str) -> dict[str, Any]:
        given = mapping(value, where)
        for member in given:
            if member not in known:
                raise BadRequest(f"{where}: unexpected member '{member[:255]}'.")
        for member in required:
            if member not in given:
                raise BadRequest(f"{where}: '{member}' is required.")
        return {member: known[member](content, f"{where}.{member}") for member, content in given.items()}

    return read


def distinct(reader: Reader) -> Reader:
    """A list in which nothing comes twice."""

    def read(value: Any, where: str) -> tuple[Any, ...]:
        items: tuple[Any, ...] = reader(value, where)
        written = [repr(item) for item in items]
        if len(set(written)) != len(written):
            raise BadRequest(f"{where}: something is given twice.")
        return items

    return read


routes = distinct(listing(strict_shape({"destination": cidr, "nexthop": address})))
