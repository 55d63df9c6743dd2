"""Connections to checked addresses, with a deadline."""

from __future__ import annotations

import io
import queue
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from http.client import HTTPConnection
from typing import TYPE_CHECKING

from calor.fetching.addresses import Allowed

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


AddressInfo = tuple[
    socket.AddressFamily,
    socket.SocketKind,
    int,
    str,
    tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes],
]
"""An entry of getaddrinfo."""


class AddressNotAllowed(OSError):
    """The address is not allowed."""


class Deadline:
    """A deadline for a whole request, with a timeout for each step."""

    def __init__(
        self, seconds: float, idle_timeout: float | None = None, at_latest: float | None = None
    ) -> None:
        end = time.monotonic() + seconds
        self._end = end if at_latest is None else min(end, at_latest)
        self._idle_timeout = seconds if idle_timeout is None else idle_timeout

    def left(self) -> float:
        """Raises TimeoutError once it has passed."""
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("it took too long")
        return min(seconds, self._idle_timeout)


def resolve_allowed(host: str, port: int, allowed: Allowed, deadline: Deadline) -> Sequence[AddressInfo]:
    """The allowed addresses of a host. They must be used without resolving the name again, which could give others.
    Raises AddressNotAllowed if there is none."""
    found = _resolve(host, port, deadline)
    # The message must not reveal addresses in the operator's networks.
    permitted = [address for address in found if allowed.permits(host, str(address[4][0]))]
    if not permitted:
        raise _refused(host)
    return permitted


def check_host(host: str, allowed: Allowed) -> None:
    """Raises AddressNotAllowed for addresses and `localhost`, without a DNS lookup."""
    try:
        permitted = allowed.permits(host, "127.0.0.1" if host == "localhost" else host)
    except ValueError:
        # Host names are checked when they are resolved.
        return
    if not permitted:
        raise _refused(host)


def _refused(host: str) -> AddressNotAllowed:
    return AddressNotAllowed(
        f"{host} is not at a public address (an operator can allow it with [calor] fetch_allowed)"
    )


def _resolve(host: str, port: int, deadline: Deadline) -> Sequence[AddressInfo]:
    """Resolves in a thread of its own, which is abandoned at the deadline, since getaddrinfo has no timeout."""
    results: queue.SimpleQueue[Sequence[AddressInfo] | Exception] = queue.SimpleQueue()

    def resolve() -> None:
        try:
            results.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, ValueError) as error:
            results.put(error)

    threading.Thread(target=resolve, name="calor-resolving", daemon=True).start()
    try:
        found = results.get(timeout=deadline.left())
    except queue.Empty:
        raise TimeoutError(f"resolving {host} timed out") from None
    if isinstance(found, Exception):
        raise OSError(f"{host} cannot be resolved: {found}")
    return found


class Connection(HTTPConnection):
    """A connection to one of the resolved addresses. With `tls`, the certificate must be valid for the host; with a
    proxy, the addresses are those of the proxy."""

    def __init__(
        self,
        host: str,
        port: int,
        addresses: Sequence[AddressInfo],
        deadline: Deadline,
        tls: ssl.SSLContext | None,
        through: tuple[str, int] | None = None,
    ) -> None:
        super().__init__(*(through or (host, port)))
        if through is not None and tls is not None:
            self.set_tunnel(host, port)
        self._name = host
        self._addresses = addresses
        self._deadline = deadline
        self._tls = tls
        self._opened: socket.socket | None = None

    def connect(self) -> None:
        self._opened = self._connect_any()
        self.sock = _Timed(self._opened, self._deadline)
        if self._tunnel_host:  # type: ignore[attr-defined]
            self._tunnel()  # type: ignore[attr-defined]
        if self._tls is not None:
            self._opened.settimeout(self._deadline.left())
            self._opened = self._tls.wrap_socket(self._opened, server_hostname=self._name)
            self.sock = _Timed(self._opened, self._deadline)

    def _connect_any(self) -> socket.socket:
        problem: OSError | None = None
        for family, kind, protocol, _, address in self._addresses:
            made = socket.socket(family, kind, protocol)
            try:
                made.settimeout(self._deadline.left())
                made.connect(address)
                return made
            except OSError as error:
                made.close()
                problem = error
        raise problem or OSError("the host has no address")

    def end(self) -> None:
        if self._opened is not None:
            self._opened.close()


class _Timed:
    """A socket for HTTPConnection with a deadline for each operation. `close` does nothing, since the response is read
    later."""

    def __init__(self, opened: socket.socket, deadline: Deadline) -> None:
        self._socket = opened
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        self._socket.settimeout(self._deadline.left())
        self._socket.sendall(data)

    def makefile(self, *args: object, **more: object) -> io.BufferedReader:
        return io.BufferedReader(_Reading(self._socket, self._deadline))

    def close(self) -> None:
        pass


class _Reading(io.RawIOBase):
    def __init__(self, opened: socket.socket, deadline: Deadline) -> None:
        self._socket = opened
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        self._socket.settimeout(self._deadline.left())
        return self._socket.recv_into(buffer)
