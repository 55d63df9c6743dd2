"""Connections that lead to an address that was checked, and end with a deadline."""

from __future__ import annotations

import io
import queue
import socket
import ssl
import threading
import time
from http.client import HTTPConnection
from typing import Any

from calor.fetching.addresses import Allowed


class Refused(OSError):
    """An address that is not fetched from."""


class Deadline:
    """The moment by which everything has to be done, and how long each step of it may take."""

    def __init__(self, seconds: float, patience: float | None = None, at_latest: float | None = None) -> None:
        end = time.monotonic() + seconds
        self._end = end if at_latest is None else min(end, at_latest)
        self._patience = seconds if patience is None else patience

    def left(self) -> float:
        """Raises TimeoutError once it has passed."""
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("it took too long")
        return min(seconds, self._patience)


def checked_places(host: str, port: int, allowed: Allowed, deadline: Deadline) -> list[Any]:
    """What leads to a host: what getaddrinfo tells of its addresses that may be asked. The name is not to be resolved
    again, as it may lead elsewhere then. Raises Refused where there is none."""
    found = _resolved(host, port, deadline)
    # What a name leads to inside of the operator's networks is nobody's business.
    permitted = [place for place in found if allowed.permits(host, str(place[4][0]))]
    if not permitted:
        raise Refused(f"{host} is not at a public address")
    return permitted


def _resolved(host: str, port: int, deadline: Deadline) -> list[Any]:
    """Resolvers have no deadline of their own: one that hangs is left behind."""
    told: queue.SimpleQueue[list[Any] | Exception] = queue.SimpleQueue()

    def resolve() -> None:
        try:
            told.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, ValueError) as error:
            told.put(error)

    threading.Thread(target=resolve, name="calor-resolving", daemon=True).start()
    try:
        found = told.get(timeout=deadline.left())
    except queue.Empty:
        raise TimeoutError(f"the name {host} was not resolved in time") from None
    if isinstance(found, Exception):
        raise OSError(f"the name {host} cannot be resolved: {found}")
    return found


class Connection(HTTPConnection):
    """One to a place that was checked. With `tls`, its other end has to prove that it is the host; behind a proxy the
    place is the proxy's."""

    def __init__(
        self,
        host: str,
        port: int,
        places: list[Any],
        deadline: Deadline,
        tls: ssl.SSLContext | None,
        through: tuple[str, int] | None = None,
    ) -> None:
        super().__init__(*(through or (host, port)))
        if through is not None and tls is not None:
            self.set_tunnel(host, port)
        self._name = host
        self._places = places
        self._deadline = deadline
        self._tls = tls
        self._opened: socket.socket | None = None

    def connect(self) -> None:
        self._opened = self._connected()
        self.sock = _Timed(self._opened, self._deadline)
        if self._tunnel_host:  # type: ignore[attr-defined]
            self._tunnel()  # type: ignore[attr-defined]
        if self._tls is not None:
            self._opened.settimeout(self._deadline.left())
            self._opened = self._tls.wrap_socket(self._opened, server_hostname=self._name)
            self.sock = _Timed(self._opened, self._deadline)

    def _connected(self) -> socket.socket:
        problem: OSError | None = None
        for family, kind, protocol, _, address in self._places:
            made = socket.socket(family, kind, protocol)
            try:
                made.settimeout(self._deadline.left())
                made.connect(address)
                return made
            except OSError as error:
                made.close()
                problem = error
        raise problem or OSError("there is no address")

    def end(self) -> None:
        if self._opened is not None:
            self._opened.close()


class _Timed:
    """A socket as an HTTPConnection uses it, each of whose operations ends with a deadline. It stays open when it is
    said to be closed: the answer is read later."""

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

    def readinto(self, buffer: Any) -> int:
        self._socket.settimeout(self._deadline.left())
        return self._socket.recv_into(buffer)
