"""Packet filters and address translation by nfnetlink, with nothing but the standard library.

A batch is taken as a whole or not at all, and replaces the tables it names: a table is always told complete.
"""

from __future__ import annotations

import os
import socket
import struct
from ipaddress import ip_address, ip_network

_FAMILIES = {"inet": 1, "ip": 2}
_BEGIN, _END = 0x10, 0x11
_CREATE, _APPEND = 0x400, 0x800
_NETWORK, _TRANSPORT = 1, 2
_EQUAL, _UNEQUAL, _AT_MOST, _AT_LEAST = 0, 1, 3, 5

PREROUTING, INPUT, FORWARD, OUTPUT, POSTROUTING = range(5)

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
MASQUERADE = _attribute(1, [_attribute(1, "masq")])


def arrives_at(device: str) -> Expression:
    return _meta(6) + _compare(device.encode().ljust(16, b"\0"))


def leaves_by(device: str) -> Expression:
    return _meta(7) + _compare(device.encode().ljust(16, b"\0"))


def leaves_not_by(device: str) -> Expression:
    return _meta(7) + _compare(device.encode().ljust(16, b"\0"), _UNEQUAL)


def is_family(version: int) -> Expression:
    return _meta(15) + _compare(b"\x02" if version == 4 else b"\x0a")


def is_protocol(number: int) -> Expression:
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


def comes_from(cidr: str) -> Expression:
    """Only after it is known which family a packet is of, unless the table is of one."""
    return _within(cidr, (12, 8))


def goes_to(cidr: str) -> Expression:
    return _within(cidr, (16, 24))


def to_ports(first: int, last: int) -> Expression:
    port = _payload(_TRANSPORT, 2, 2)
    if first == last:
        return port + _compare(struct.pack(">H", first))
    return port + _compare(struct.pack(">H", first), _AT_LEAST) + _compare(struct.pack(">H", last), _AT_MOST)


def is_message(kind: int, code: int = -1) -> Expression:
    """Of ICMP; -1 is any."""
    parts = b"" if kind < 0 else _payload(_TRANSPORT, 0, 1) + _compare(bytes([kind]))
    return parts if code < 0 else parts + _payload(_TRANSPORT, 1, 1) + _compare(bytes([code]))


def _connection_bits(key: int, bits: int) -> Expression:
    connection = _expression("ct", _attribute(1, 1), _attribute(2, key))
    return connection + _masked(struct.pack("=I", bits)) + _compare(bytes(4), _UNEQUAL)


def is_answer() -> Expression:
    """Part of a connection that was let through before, or about one."""
    return _connection_bits(0, 2 | 4)


def was_redirected() -> Expression:
    return _connection_bits(2, 32)


def redirect_to(address: str) -> Expression:
    return _load(1, ip_address(address).packed) + _translation(1)


def pretend_from(address: str) -> Expression:
    return _load(1, ip_address(address).packed) + _translation(0)


def _translation(kind: int) -> Expression:
    return _expression("nat", _attribute(1, kind), _attribute(2, 2), _attribute(3, 1))


class Batch:
    """Tables in the order in which they are told. Where there were none before, `fresh` spares the kernel a pause."""

    def __init__(self, *, fresh: bool = False) -> None:
        self._fresh = fresh
        self._messages: list[tuple[int, int, int, bytes]] = []

    def _add(self, message: int, family: str, flags: int, *attributes: bytes) -> None:
        self._messages.append((10 << 8 | message, _FAMILIES[family], flags, b"".join(attributes)))

    def table(self, family: str, name: str) -> None:
        """A table, empty even where there was one."""
        self._add(0, family, _CREATE, _attribute(1, name))
        if not self._fresh:
            self._add(2, family, 0, _attribute(1, name))
            self._add(0, family, _CREATE, _attribute(1, name))

    def chain(self, family: str, table: str, name: str, kind: str, hook: int, priority: int) -> None:
        where = [_attribute(1, hook), _attribute(2, priority)]
        self._add(
            *(3, family, _CREATE, _attribute(1, table), _attribute(3, name), _attribute(4, where)),
            *(_attribute(5, 1), _attribute(7, kind)),
        )

    def rule(self, family: str, table: str, chain: str, *expressions: Expression) -> None:
        self._add(
            *(6, family, _CREATE | _APPEND, _attribute(1, table), _attribute(2, chain)),
            _attribute(4, [b"".join(expressions)]),
        )

    def commit(self) -> None:
        """In the network namespace of the process."""
        messages = [(_BEGIN, 0, 0, b""), *self._messages, (_END, 0, 0, b"")]
        data = b""
        for number, (kind, family, flags, body) in enumerate(messages):
            is_frame = kind in (_BEGIN, _END)
            body = struct.pack(">BBH", family, 0, 10 if is_frame else 0) + body
            flags |= 1 if is_frame else 1 | 4
            data += struct.pack("=IHHII", 16 + len(body), kind, flags, number, 0) + body
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 12) as netfilter:
            for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                netfilter.setsockopt(socket.SOL_SOCKET, option, max(len(data) * 2, 1 << 20))
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
