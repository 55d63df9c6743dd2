"""Serves the metrics of a process on a Unix socket in a directory that the processes of a machine share, and collects
those of all of them.

Each process locks a file for its lifetime. So names are unique, dead processes are not queried, and the replacement of
a killed process gets its name.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from calor.observe import process, series
from calor.observe.metrics import merge

PATIENCE = 2.0
SOCKET = ".socket"


class MetricsSocket:
    """The socket on which other processes read this process's metrics."""

    def __init__(self, folder: Path, program: str, address: tuple[str, int] | None = None) -> None:
        """Starts serving in background threads. If an `address` is given and free, the metrics of all processes are
        served there over HTTP."""
        process.mark_started()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder
        self._file, self.name = _claim_name(folder, program)
        self._sockets = [_listening(folder / f"{self.name}{SOCKET}")]
        self._start_thread(self._sockets[0], self.text)
        if address is not None:
            with contextlib.suppress(OSError):
                self._sockets.append(socket.create_server(address))
                self._start_thread(self._sockets[-1], self.all)

    def text(self) -> str:
        """The metrics of this process."""
        return own_metrics(self.name)

    def all(self) -> str:
        """The metrics of all processes that share the directory, without those that do not respond."""
        return merge([self.text(), *self._others()])

    def close(self) -> None:
        for one in self._sockets:
            with contextlib.suppress(OSError):
                # Closing alone does not wake the thread.
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        os.close(self._file)

    def _others(self) -> Iterator[str]:
        for path in sorted(self._folder.iterdir()):
            if path.suffix != SOCKET and path.name != self.name and _is_alive(path):
                with contextlib.suppress(OSError):
                    yield _query(path.with_name(f"{path.name}{SOCKET}"))

    @staticmethod
    def _start_thread(listening: socket.socket, text: Callable[[], str]) -> None:
        threading.Thread(target=_serve, args=(listening, text), name="metrics", daemon=True).start()


def own_metrics(name: str = "") -> str:
    """The metrics of this process, labelled with its name."""
    return "".join(family.text(name) for family in (*series.FAMILIES, *process.FAMILIES))


def _serve(listening: socket.socket, text: Callable[[], str]) -> None:
    while True:
        try:
            client, _ = listening.accept()
        except OSError:
            return
        with client, contextlib.suppress(OSError):
            client.settimeout(PATIENCE)
            client.recv(65536)
            head = "HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n\r\n"
            client.sendall((head + text()).encode())


def _claim_name(folder: Path, program: str) -> tuple[int, str]:
    """Locks the first free file of engine, engine-2, engine-3 and so on; returns it and its name."""
    name, number = program, 1
    while True:
        file = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file, name
        except OSError:
            os.close(file)
        number += 1
        name = f"{program}-{number}"


def _is_alive(path: Path) -> bool:
    """Whether the process that locked a file is alive."""
    with contextlib.suppress(OSError), path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def _listening(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX)
    with _short(path) as name:
        listening.bind(name)
    listening.listen()
    return listening


def _query(path: Path) -> str:
    with socket.socket(socket.AF_UNIX) as client, _short(path) as name:
        client.settimeout(PATIENCE)
        client.connect(name)
        client.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        with client.makefile("rb") as response:
            return response.read().partition(b"\r\n\r\n")[2].decode()


@contextlib.contextmanager
def _short(path: Path) -> Iterator[str]:
    """A name for a path that is short enough for a Unix socket: about a hundred characters."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        near = Path(f"/proc/self/fd/{folder}")
        yield str(near / path.name if near.exists() else path)
    finally:
        os.close(folder)
