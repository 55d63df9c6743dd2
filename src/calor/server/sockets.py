"""Listening sockets, opened before any process starts: they outlive the processes that answer on them."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import socket
import struct
import sys
import time
from pathlib import Path


class PortTaken(Exception):
    """A port is in use; the message names it and, if it can be told, by what."""


class NoSuchPort(Exception):
    """A number that no port has."""


HIGHEST_PORT = 65535


def listen(host: str, port: int, patience: float = 0.0, backlog: int = 1024) -> socket.socket:
    """A socket that listens. Raises NoSuchPort, or PortTaken, if the port does not become free within the
    seconds given."""
    if not 0 <= port <= HIGHEST_PORT:
        raise NoSuchPort(
            f"there is no port {port}: ports are numbers up to {HIGHEST_PORT}, and those of the CFN API and of the "
            "embedded cloud follow that of the API"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    end = time.monotonic() + patience
    try:
        while True:
            try:
                made.bind((host, port))
                break
            except OSError as error:
                if error.errno != errno.EADDRINUSE or time.monotonic() >= end:
                    raise
            time.sleep(0.01)
    except OSError as error:
        made.close()
        user = _user_of(port)
        by = f" by {user}" if user else ""
        raise PortTaken(f"port {port} on {host} is taken{by} ({error.strerror})") from None
    made.listen(backlog)
    made.setblocking(False)
    return made


_SO_ATTACH_FILTER = 26
_NO_NEW_CONNECTIONS = b"".join(
    struct.pack("HBBI", *instruction)
    for instruction in (
        (0x30, 0, 0, 13),  # load the flags of the TCP header
        (0x45, 0, 1, 0x02),  # is it a first packet?
        (0x06, 0, 0, 0),  # then drop it
        (0x06, 0, 0, 0xFFFF),  # else keep it
    )
)


def turn_away(listening: socket.socket) -> None:
    """Lets no more connections in; those that are waiting to be accepted stay. Just closing the socket would reset
    them, though their requests may have been sent. Only Linux can do so; elsewhere, nothing happens."""
    if sys.platform != "linux":
        return
    filter = ctypes.create_string_buffer(_NO_NEW_CONNECTIONS)
    program = struct.pack("HP", len(_NO_NEW_CONNECTIONS) // 8, ctypes.addressof(filter))
    with contextlib.suppress(OSError):
        listening.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)


def _user_of(port: int) -> str | None:
    """The program that listens on a port, where the system tells."""
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                inodes.add(f"socket:[{fields[9]}]")
    if not inodes:
        return None
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(os.readlink(fd) in inodes for fd in (process / "fd").iterdir()):
                command = (
                    (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                )
                return f"process {process.name} ({command[:80]})"
        except OSError:
            continue
    return None
