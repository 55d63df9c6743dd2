"""Network devices, addresses and routes by rtnetlink, with nothing but the standard library.

A socket belongs to the network namespace in which it was created.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_interface, ip_network

_REQUEST, _ACK, _REPLACE, _EXCL, _CREATE, _DUMP = 1, 4, 0x100, 0x200, 0x400, 0x300
_ERROR, _DONE = 2, 3
_NEWLINK, _DELLINK, _GETLINK, _NEWADDR, _DELADDR, _GETADDR = 16, 17, 18, 20, 21, 22
_NEWROUTE, _DELROUTE, _GETROUTE = 24, 25, 26
_UP = 1
MAIN, LOCAL = 254, 255
"""Routing tables; the local one has precedence."""

Attribute = bytes


def attribute(kind: int, value: str | int | bytes | list[bytes]) -> Attribute:
    if isinstance(value, str):
        value = value.encode() + b"\0"
    elif isinstance(value, int):
        value = struct.pack("=I", value)
    elif isinstance(value, list):
        value = b"".join(value)
    return struct.pack("=HH", 4 + len(value), kind) + value + b"\0" * (-len(value) % 4)


def packed(address: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)


def _mac(written: str) -> bytes:
    return bytes.fromhex(written.replace(":", ""))


@dataclass(frozen=True)
class Route:
    destination: str
    """A CIDR."""
    via: str | None = None
    device: int | None = None
    source: str | None = None
    table: int = MAIN


class Netlink:
    """A netlink socket for the network namespace in which it was created. A context manager."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 0)
        self._socket.bind((0, 0))
        self._number = 0

    def __enter__(self) -> Netlink:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def _send(self, kind: int, flags: int, body: bytes) -> None:
        self._number += 1
        head = struct.pack("=IHHII", 16 + len(body), kind, _REQUEST | flags, self._number, 0)
        self._socket.send(head + body)

    def _answers(self) -> Iterator[tuple[int, bytes]]:
        """The messages of the kernel up to its acknowledgement."""
        while True:
            data = self._socket.recv(1 << 18)
            at = 0
            while at + 16 <= len(data):
                length, kind, _, number, _ = struct.unpack_from("=IHHII", data, at)
                if number == self._number:
                    if kind == _DONE:
                        return
                    if kind == _ERROR:
                        code = -struct.unpack_from("=i", data, at + 16)[0]
                        if code:
                            raise OSError(code, os.strerror(code))
                        return
                    yield kind, data[at + 16 : at + length]
                at += (length + 3) & ~3

    def _do(self, kind: int, flags: int, body: bytes) -> None:
        self._send(kind, flags | _ACK, body)
        for _ in self._answers():
            pass

    @staticmethod
    def _link(index: int = 0, flags: int = 0, change: int = 0) -> bytes:
        return struct.pack("=BxHiII", 0, 0, index, flags, change)

    def index(self, name: str) -> int | None:
        """The index of a device, if it exists."""
        self._send(_GETLINK, _ACK, self._link() + attribute(3, name))
        try:
            for _, body in self._answers():
                return int(struct.unpack_from("=i", body, 4)[0])
        except OSError as error:
            if error.errno != errno.ENODEV:
                raise
        return None

    def need(self, name: str) -> int:
        found = self.index(name)
        if found is None:
            raise OSError(errno.ENODEV, f"the device {name} does not exist")
        return found

    def add_bridge(self, name: str) -> None:
        # Forwarding begins at once.
        data = attribute(18, [attribute(1, b"bridge"), attribute(2, attribute(1, 0))])
        self._do(_NEWLINK, _CREATE | _EXCL, self._link(0, _UP, _UP) + attribute(3, name) + data)

    def add_pair(self, name: str, peer: str, peer_namespace: int, *, master: int | None = None) -> None:
        """Creates a veth pair: one end here, up and in the bridge `master`, the other in another namespace, down."""
        end = self._link() + attribute(3, peer) + attribute(28, peer_namespace)
        data = attribute(18, [attribute(1, b"veth"), attribute(2, attribute(1, end))])
        body = self._link(0, _UP, _UP) + attribute(3, name) + data
        if master is not None:
            body += attribute(10, master)
        self._do(_NEWLINK, _CREATE | _EXCL, body)

    def set_link(
        self, index: int, *, up: bool = True, mac: str | None = None, mtu: int | None = None
    ) -> None:
        body = self._link(index, _UP if up else 0, _UP)
        if mac is not None:
            body += attribute(1, _mac(mac))
        if mtu is not None:
            body += attribute(4, mtu)
        self._do(_NEWLINK, 0, body)

    def remove_link(self, index: int) -> None:
        self._do(_DELLINK, 0, self._link(index))

    def addresses(self, index: int) -> set[str]:
        """The addresses of a device with their prefixes, without link-local ones."""
        self._send(_GETADDR, _DUMP, struct.pack("=BBBBi", 0, 0, 0, 0, 0))
        found = set()
        for _, body in list(self._answers()):
            family, prefix, _, scope, device = struct.unpack_from("=BBBBi", body)
            if device != index or scope == 253:
                continue
            for kind, value in _attributes(body[8:]):
                if kind == (1 if family == socket.AF_INET6 else 2):
                    found.add(f"{socket.inet_ntop(family, value)}/{prefix}")
        return found

    def add_address(self, index: int, address: str) -> None:
        """An address with its prefix."""
        self._do(_NEWADDR, _CREATE | _REPLACE, self._address(index, address))

    def remove_address(self, index: int, address: str) -> None:
        self._do(_DELADDR, 0, self._address(index, address))

    @staticmethod
    def _address(index: int, address: str) -> bytes:
        with_prefix = ip_interface(address)
        value = with_prefix.ip.packed
        # Without duplicate address detection.
        flags, family = (2, socket.AF_INET6) if with_prefix.version == 6 else (0, socket.AF_INET)
        head = struct.pack("=BBBBi", family, with_prefix.network.prefixlen, flags, 0, index)
        return head + attribute(1, value) + attribute(2, value)

    def add_route(self, route: Route) -> None:
        self._do(_NEWROUTE, _CREATE | _REPLACE, self._route(route))

    def remove_route(self, route: Route) -> None:
        self._do(_DELROUTE, 0, self._route(route))

    @staticmethod
    def _route(route: Route) -> bytes:
        to = ip_network(route.destination, strict=False)
        family = socket.AF_INET6 if to.version == 6 else socket.AF_INET
        body = attribute(1, to.network_address.packed) if to.prefixlen else b""
        if route.via is not None:
            body += attribute(5, packed(route.via))
        if route.device is not None:
            body += attribute(4, route.device)
        if route.source is not None:
            body += attribute(7, packed(route.source))
        scope = 0 if route.via or to.version == 6 else 253
        # onlink: the gateway need not be in a known range.
        flags = 4 if route.via and route.device else 0
        head = struct.pack("=BBBBBBBBI", family, to.prefixlen, 0, 0, route.table, 4, scope, 1, flags)
        return head + body

    def destinations(self) -> set[str]:
        """The destinations of IPv4 routes in the main table, except the default route."""
        self._send(_GETROUTE, _DUMP, struct.pack("=BBBBBBBBI", socket.AF_INET, 0, 0, 0, 0, 0, 0, 0, 0))
        found = set()
        for _, body in list(self._answers()):
            prefix, table = body[1], body[4]
            for kind, value in _attributes(body[12:]):
                if kind == 1 and table == MAIN:
                    found.add(f"{socket.inet_ntop(socket.AF_INET, value)}/{prefix}")
        return found


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, at)
        if length < 4:
            return
        yield kind & 0x3FFF, data[at + 4 : at + length]
        at += (length + 3) & ~3
