"""Readers of the network service. As in Neutron, booleans and numbers may be strings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_interface, ip_network

from calor.localcloud.problems import BadRequest
from calor.localcloud.requests import Reader, T, listing, mapping, text
from calor.localcloud.requests import whole as whole_exactly
from calor.localcloud.types import Json

_UUID = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_MAC = re.compile(r"([0-9a-f]{2}:){5}[0-9a-f]{2}")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)", re.IGNORECASE)

name = text(255)
description = text(255)
tag = text(255, shortest=1)
_TAGS = listing(tag, longest=50)


def tags(value: object, where: str) -> tuple[str, ...]:
    """Sorted, without duplicates."""
    return tuple(sorted(set(_TAGS(value, where))))


def flag(value: object, where: str) -> bool:
    words = {"true": True, "1": True, "false": False, "0": False}
    read = words.get(str(value).lower()) if isinstance(value, str | int) else None
    if read is None:
        raise BadRequest(f"{where}: '{value}' is not a valid boolean value.")
    return read


def whole(least: int, most: int) -> Reader[int]:
    exactly = whole_exactly(least, most)

    def read(value: object, where: str) -> int:
        if isinstance(value, str) and re.fullmatch(r"-?\d{1,18}", value, re.ASCII):
            value = int(value)
        return int(exactly(value, where))

    return read


def uuid(value: object, where: str) -> str:
    if not isinstance(value, str) or not _UUID.fullmatch(value):
        raise BadRequest(f"{where}: '{str(value)[:255]}' is not a valid UUID.")
    return value


def address(value: object, where: str) -> str:
    """An IP address in its canonical form."""
    try:
        if not isinstance(value, str):
            raise ValueError
        return str(ip_address(value))
    except ValueError:
        raise BadRequest(f"{where}: '{str(value)[:255]}' is not a valid IP address.") from None


def network(value: object, where: str) -> IPv4Network | IPv6Network:
    """A range; bits beyond its prefix are dropped, and without a prefix it is one address."""
    try:
        if not isinstance(value, str):
            raise ValueError
        return ip_network(value, strict=False)
    except ValueError:
        raise BadRequest(f"{where}: '{str(value)[:255]}' is not a valid IP subnet.") from None


def cidr(value: object, where: str) -> str:
    if not isinstance(value, str) or "/" not in value:
        raise BadRequest(f"{where}: '{str(value)[:255]}' is not a valid IP subnet.")
    return str(network(value, where))


def address_or_cidr(value: object, where: str) -> str:
    """An address or a range, stored as given."""
    if isinstance(value, str) and "/" in value:
        network(value, where)
        return str(ip_interface(value))
    return address(value, where)


def mac(value: object, where: str) -> str:
    read = str(value).lower().replace("-", ":")
    if not _MAC.fullmatch(read) or read == "00:00:00:00:00:00":
        raise BadRequest(f"{where}: '{str(value)[:255]}' is not a valid MAC address.")
    return read


def dns_name(value: object, where: str) -> str:
    read = text(255)(value, where)
    labels = read.removesuffix(".").split(".")
    if read and not all(_LABEL.fullmatch(label) for label in labels):
        raise BadRequest(f"{where}: '{read}' is not a valid DNS name.")
    return read


def strict_shape(
    required: Mapping[str, Reader[object]], optional: Mapping[str, Reader[object]] | None = None
) -> Reader[Json]:
    """An object with these members and no others."""
    known = {**required, **(optional or {})}

    def read(value: object, where: str) -> Json:
        given = mapping(value, where)
        for member in given:
            if member not in known:
                raise BadRequest(f"{where}: unexpected member '{member[:255]}'.")
        for member in required:
            if member not in given:
                raise BadRequest(f"{where}: '{member}' is required.")
        return {member: known[member](content, f"{where}.{member}") for member, content in given.items()}

    return read


def distinct(reader: Reader[tuple[T, ...]]) -> Reader[tuple[T, ...]]:
    """A list without duplicates."""

    def read(value: object, where: str) -> tuple[T, ...]:
        items = reader(value, where)
        written = [repr(item) for item in items]
        if len(set(written)) != len(written):
            raise BadRequest(f"{where}: the list contains duplicates.")
        return items

    return read


routes = distinct(listing(strict_shape({"destination": cidr, "nexthop": address}), longest=30))
