"""Packet filters and address translation by nfnetlink, with nothing but the standard library.

A batch is applied atomically, and replaces the tables it names.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Collection, Iterable
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

_FAMILIES = {"inet": 1, "ip": 2, "netdev": 5}
_BEGIN, _END = 0x10, 0x11
_CREATE, _APPEND = 0x400, 0x800
_LINK, _NETWORK, _TRANSPORT = 0, 1, 2
_EQUAL, _UNEQUAL, _AT_MOST, _AT_LEAST = 0, 1, 3, 5

PREROUTING, INPUT, FORWARD, OUTPUT, POSTROUTING = range(5)
INGRESS = 0
"""The hook of the netdev family."""
_ELEMENTS_PER_MESSAGE = 1000
"""An attribute has at most 64 KiB."""
_RANGES, _INVERTED, _END_OF_RANGE = 4, 1, 1
_ADDRESS_TYPES = {4: (7, 4), 6: (8, 16)}
_PORT_TYPE = (13, 2)
"""The numbers by which programs know the types of elements, and their lengths."""
_FORCED_SEND_BUFFER = 32

Range = tuple[bytes, bytes | None]
"""The first element and the one after the last; None if there is none."""

Expression = bytes


def _attribute(kind: int, value: str | int | bytes | list[bytes]) -> bytes:
    if isinstance(value, str):
        value = value.encode() + b"\0"
    elif isinstance(value, int):
        value = struct.pack(">I", value & 0xFFFFFFFF)
    elif isinstance(value, list):
        value = b"".join(value)
        kind |= 0x8000
    return struct.pack("=HH", 4 + len(value), kind) + value + b"\0" * (-len(value) % 4)


def _expression(name: str, *attributes: bytes) -> Expression:
    return _attribute(1, [_attribute(1, name), _attribute(2, list(attributes))])


def _payload(base: int, offset: int, length: int) -> Expression:
    return _expression(
        "payload", _attribute(1, 1), _attribute(2, base), _attribute(3, offset), _attribute(4, length)
    )


def _compare(value: bytes, how: int = _EQUAL) -> Expression:
    return _expression("cmp", _attribute(1, 1), _attribute(2, how), _attribute(3, [_attribute(1, value)]))


def _masked(mask: bytes) -> Expression:
    return _expression(
        "bitwise",
        *(_attribute(1, 1), _attribute(2, 1), _attribute(3, len(mask))),
        *(_attribute(4, [_attribute(1, mask)]), _attribute(5, [_attribute(1, bytes(len(mask)))])),
    )


def _meta(key: int) -> Expression:
    return _expression("meta", _attribute(1, 1), _attribute(2, key))


def _verdict(code: int) -> Expression:
    return _expression("immediate", _attribute(1, 0), _attribute(2, [_attribute(2, [_attribute(1, code)])]))


def _load(register: int, value: bytes) -> Expression:
    return _expression("immediate", _attribute(1, register), _attribute(2, [_attribute(1, value)]))


ACCEPT = _verdict(1)
DROP = _verdict(0)
REJECT = _expression("reject", _attribute(1, 2), _attribute(2, b"\x02"))
"""Drops a packet, and sends an ICMP message that the host is unreachable."""
MASQUERADE = _attribute(1, [_attribute(1, "masq")])


def input_device_is(device: str) -> Expression:
    return _meta(6) + _compare(device.encode().ljust(16, b"\0"))


def output_device_is(device: str) -> Expression:
    return _meta(7) + _compare(device.encode().ljust(16, b"\0"))


def output_device_is_not(device: str) -> Expression:
    return _meta(7) + _compare(device.encode().ljust(16, b"\0"), _UNEQUAL)


def ethertype_is(kind: int) -> Expression:
    return _meta(1) + _compare(struct.pack(">H", kind))


def destination_mac_is(mac: str) -> Expression:
    return _payload(_LINK, 0, 6) + _compare(_packed_mac(mac))


def source_mac_is_not(mac: str) -> Expression:
    return _payload(_LINK, 6, 6) + _compare(_packed_mac(mac), _UNEQUAL)


def arp_sender_mac_is(mac: str) -> Expression:
    """For ARP only."""
    return _payload(_NETWORK, 8, 6) + _compare(_packed_mac(mac))


def arp_sender_in(cidr: str) -> Expression:
    """For ARP only."""
    return _within(cidr, (14, 14))


def _packed_mac(mac: str) -> bytes:
    return bytes.fromhex(mac.replace(":", ""))


def family_is(version: int) -> Expression:
    return _meta(15) + _compare(b"\x02" if version == 4 else b"\x0a")


def protocol_is(number: int) -> Expression:
    return _meta(16) + _compare(bytes([number]))


def _within(cidr: str, offsets: tuple[int, int]) -> Expression:
    wanted = ip_network(cidr, strict=False)
    length = wanted.max_prefixlen // 8
    at = offsets[0] if wanted.version == 4 else offsets[1]
    if wanted.prefixlen == 0:
        return b""
    parts = _payload(_NETWORK, at, length)
    if wanted.prefixlen < wanted.max_prefixlen:
        parts += _masked(wanted.netmask.packed)
    return parts + _compare(wanted.network_address.packed)


def source_in(cidr: str) -> Expression:
    """To be preceded by `family_is`, unless the table is for one family."""
    return _within(cidr, (12, 8))


def destination_in(cidr: str) -> Expression:
    return _within(cidr, (16, 24))


def next_hop_in(name: str, version: int) -> Expression:
    """Whether the next hop, which is the destination or a gateway, is in a set of the table. To be preceded by
    `family_is`."""
    next_hop = _expression("rt", _attribute(1, 1), _attribute(2, 1 if version == 4 else 2))
    return next_hop + _lookup(name)


def source_in_set(name: str, version: int) -> Expression:
    """Whether the source is in a set of the table. To be preceded by `family_is`, as all that reads addresses."""
    return _address(version, (12, 8)) + _lookup(name)


def source_not_in_set(name: str, version: int) -> Expression:
    return _address(version, (12, 8)) + _lookup(name, _attribute(5, _INVERTED))


def destination_in_set(name: str, version: int) -> Expression:
    return _address(version, (16, 24)) + _lookup(name)


def destination_port_in_set(name: str) -> Expression:
    return _payload(_TRANSPORT, 2, 2) + _lookup(name)


def _address(version: int, offsets: tuple[int, int]) -> Expression:
    return _payload(_NETWORK, offsets[0] if version == 4 else offsets[1], _ADDRESS_TYPES[version][1])


def _lookup(name: str, *more: bytes) -> Expression:
    return _expression("lookup", _attribute(1, name), _attribute(2, 1), *more)


def destination_port_in(first: int, last: int) -> Expression:
    port = _payload(_TRANSPORT, 2, 2)
    if first == last:
        return port + _compare(struct.pack(">H", first))
    return port + _compare(struct.pack(">H", first), _AT_LEAST) + _compare(struct.pack(">H", last), _AT_MOST)


def icmp_type_is(kind: int, code: int = -1) -> Expression:
    """-1 is any."""
    parts = b"" if kind < 0 else _payload(_TRANSPORT, 0, 1) + _compare(bytes([kind]))
    return parts if code < 0 else parts + _payload(_TRANSPORT, 1, 1) + _compare(bytes([code]))


def _connection_bits(key: int, bits: int) -> Expression:
    connection = _expression("ct", _attribute(1, 1), _attribute(2, key))
    return connection + _masked(struct.pack("=I", bits)) + _compare(bytes(4), _UNEQUAL)


def is_new() -> Expression:
    return _connection_bits(0, 8)


def connections_exceed(limit: int) -> Expression:
    """Whether more tracked connections than this have matched the rule, this one included."""
    return _expression("connlimit", _attribute(1, limit), _attribute(2, 1))


def exceeds(per_second: int, at_once: int) -> Expression:
    """Whether more packets than this have matched the rule up to here."""
    rate, unit = (struct.pack(">Q", number) for number in (per_second, 1))
    return _expression(
        "limit",
        *(_attribute(1, rate), _attribute(2, unit), _attribute(3, at_once), _attribute(4, 0)),
        _attribute(5, _INVERTED),
    )


def is_reply_or_related() -> Expression:
    """Part of a connection that was let through before, or about one."""
    return _connection_bits(0, 2 | 4)


def is_dnat() -> Expression:
    return _connection_bits(2, 32)


def dnat_to(address: str) -> Expression:
    return _load(1, ip_address(address).packed) + _translation(1)


def snat_to(address: str) -> Expression:
    return _load(1, ip_address(address).packed) + _translation(0)


def _translation(kind: int) -> Expression:
    return _expression("nat", _attribute(1, kind), _attribute(2, 2), _attribute(3, 1))


def _range(network: IPv4Network | IPv6Network) -> Range:
    length = network.max_prefixlen // 8
    end = int(network.broadcast_address) + 1
    return network.network_address.packed, None if end >> 8 * length else end.to_bytes(length)


def _element(key: bytes, *more: bytes) -> bytes:
    return _attribute(1, [_attribute(1, [_attribute(1, key)]), *more])


class Batch:
    """Changes in order. `fresh` is for tables that do not exist yet: it avoids a pause in the kernel."""

    def __init__(self, *, fresh: bool = False) -> None:
        self._fresh = fresh
        self._messages: list[tuple[int, int, int, bytes]] = []
        self._sets = 0

    def _add(self, message: int, family: str, flags: int, *attributes: bytes) -> None:
        self._messages.append((10 << 8 | message, _FAMILIES[family], flags, b"".join(attributes)))

    def table(self, family: str, name: str) -> None:
        """Creates a table, or empties it."""
        self._add(0, family, _CREATE, _attribute(1, name))
        if not self._fresh:
            self._add(2, family, 0, _attribute(1, name))
            self._add(0, family, _CREATE, _attribute(1, name))

    def delete_table(self, family: str, name: str) -> None:
        """Deletes a table, if it exists."""
        self._add(0, family, _CREATE, _attribute(1, name))
        self._add(2, family, 0, _attribute(1, name))

    def chain(
        self,
        family: str,
        table: str,
        name: str,
        kind: str,
        hook: int,
        priority: int,
        device: str | None = None,
    ) -> None:
        where = [_attribute(1, hook), _attribute(2, priority)]
        if device is not None:
            where.append(_attribute(3, device))
        self._add(
            *(3, family, _CREATE, _attribute(1, table), _attribute(3, name), _attribute(4, where)),
            *(_attribute(5, 1), _attribute(7, kind)),
        )

    def addresses(self, family: str, table: str, name: str, version: int) -> None:
        """An empty set of addresses."""
        self._set(family, table, name, _ADDRESS_TYPES[version], 0)

    def networks(
        self,
        family: str,
        table: str,
        name: str,
        version: int,
        networks: Collection[IPv4Network | IPv6Network],
    ) -> None:
        """A set of address ranges, which must not overlap."""
        self._set(family, table, name, _ADDRESS_TYPES[version], _RANGES)
        self._fill(family, table, name, (_range(one) for one in networks))

    def ports(self, family: str, table: str, name: str, ranges: Collection[tuple[int, int]]) -> None:
        """A set of port ranges, which must not overlap or touch."""
        self._set(family, table, name, _PORT_TYPE, _RANGES)
        ends = ((first, None if last == 0xFFFF else last + 1) for first, last in ranges)
        pack = struct.Struct(">H").pack
        self._fill(
            family, table, name, ((pack(one), None if end is None else pack(end)) for one, end in ends)
        )

    def _set(self, family: str, table: str, name: str, kind: tuple[int, int], flags: int) -> None:
        self._sets += 1
        self._add(
            *(9, family, _CREATE, _attribute(1, table), _attribute(2, name), _attribute(3, flags)),
            *(_attribute(4, kind[0]), _attribute(5, kind[1]), _attribute(10, self._sets)),
        )

    def _fill(self, family: str, table: str, name: str, ranges: Iterable[Range]) -> None:
        elements = []
        for first, end in ranges:
            elements.append(_element(first))
            if end is not None:
                elements.append(_element(end, _attribute(3, _END_OF_RANGE)))
        self._elements(12, _CREATE, family, table, name, elements)

    def add_to(self, family: str, table: str, name: str, addresses: Collection[str]) -> None:
        self._change_set(12, _CREATE, family, table, name, addresses)

    def remove_from(self, family: str, table: str, name: str, addresses: Collection[str]) -> None:
        """All of them must be in the set."""
        self._change_set(14, 0, family, table, name, addresses)

    def _change_set(
        self, message: int, flags: int, family: str, table: str, name: str, addresses: Collection[str]
    ) -> None:
        elements = [_element(ip_address(one).packed) for one in addresses]
        self._elements(message, flags, family, table, name, elements)

    def _elements(
        self, message: int, flags: int, family: str, table: str, name: str, elements: list[bytes]
    ) -> None:
        for first in range(0, len(elements), _ELEMENTS_PER_MESSAGE):
            some = elements[first : first + _ELEMENTS_PER_MESSAGE]
            self._add(
                *(message, family, flags, _attribute(1, table), _attribute(2, name)), _attribute(3, some)
            )

    def rule(self, family: str, table: str, chain: str, *expressions: Expression) -> None:
        self._add(
            *(6, family, _CREATE | _APPEND, _attribute(1, table), _attribute(2, chain)),
            _attribute(4, [b"".join(expressions)]),
        )

    def commit(self) -> None:
        """Applies the batch in the network namespace of the process. Raises OSError."""
        messages = [(_BEGIN, 0, 0, b""), *self._messages, (_END, 0, 0, b"")]
        parts = []
        for number, (kind, family, flags, body) in enumerate(messages):
            is_frame = kind in (_BEGIN, _END)
            body = struct.pack(">BBH", family, 0, 10 if is_frame else 0) + body
            flags |= 1 if is_frame else 1 | 4
            parts.append(struct.pack("=IHHII", 16 + len(body), kind, flags, number, 0) + body)
        data = b"".join(parts)
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 12) as netfilter:
            size = max(len(data) * 2, 1 << 20)
            for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                netfilter.setsockopt(socket.SOL_SOCKET, option, size)
            # Only root may exceed the limit of the machine.
            with suppress(PermissionError):
                netfilter.setsockopt(socket.SOL_SOCKET, _FORCED_SEND_BUFFER, size)
            netfilter.settimeout(30)
            netfilter.send(data)
            left = len(self._messages)
            while left:
                left -= _acknowledged(netfilter.recv(1 << 20))


def _acknowledged(data: bytes) -> int:
    count = at = 0
    while at + 16 <= len(data):
        length, kind, _, number, _ = struct.unpack_from("=IHHII", data, at)
        if kind == 2:
            code = -struct.unpack_from("=i", data, at + 16)[0]
            if code:
                raise OSError(code, f"nftables, message {number}: {os.strerror(code)}")
            count += 1
        at += (length + 3) & ~3
    return count
