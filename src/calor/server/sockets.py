"""Listening sockets, opened before the processes are forked, which they outlive."""

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


class PortInUse(Exception):
    """A port is in use; the message names it and, if known, the process that uses it."""


class InvalidPort(Exception):
    """A port number out of range."""


HIGHEST_PORT = 65535


def listen(host: str, port: int, patience: float = 0.0, backlog: int = 1024) -> socket.socket:
    """A listening socket. Raises InvalidPort, or PortInUse if the port is not free within `patience` seconds."""
    if not 0 <= port <= HIGHEST_PORT:
        raise InvalidPort(
            f"invalid port {port}: the highest is {HIGHEST_PORT}, and the CFN API and the embedded cloud use the next "
            "two ports after the REST API's"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    end = time.monotonic() + patience
    try:
        while True:
            try:
                listening.bind((host, port))
                break
            except OSError as error:
                if error.errno != errno.EADDRINUSE or time.monotonic() >= end:
                    raise
            time.sleep(0.01)
    except OSError as error:
        listening.close()
        process = _process_listening_on(port)
        by = f" by {process}" if process else ""
        raise PortInUse(f"port {port} on {host} is in use{by} ({error.strerror})") from None
    listening.listen(backlog)
    listening.setblocking(False)
    return listening


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


def refuse_new_connections(listening: socket.socket) -> None:
    """Refuses new connections but keeps those in the backlog, which closing the socket would reset although their
    requests may have been sent. Does nothing except on Linux."""
    if sys.platform != "linux":
        return
    filter = ctypes.create_string_buffer(_NO_NEW_CONNECTIONS)
    program = struct.pack("HP", len(_NO_NEW_CONNECTIONS) // 8, ctypes.addressof(filter))
    with contextlib.suppress(OSError):
        listening.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)


def _process_listening_on(port: int) -> str | None:
    """The process that listens on a port, if /proc shows it."""
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
                shown = command if len(command) <= 80 else f"{command[:79]}…"
                return f"process {process.name} ({shown})"
        except OSError:
            continue
    return None
