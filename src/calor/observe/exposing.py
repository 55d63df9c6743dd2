"""How a process tells its figures to others: each answers on a socket of its own, in a folder that the processes of a
machine share. Whoever is asked for the figures of all asks around.

A file is locked as long as its process lives. So names are given once, dead processes are not asked, and whoever is
started in the place of one that was killed has its name.
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
from calor.observe.metrics import merged

PATIENCE = 2.0
SOCKET = ".socket"


class Exposed:
    """The figures of this process, for others to ask for."""

    def __init__(self, folder: Path, program: str, address: tuple[str, int] | None = None) -> None:
        """Answers from now on, in threads that cost nothing until somebody asks. At the address, unless another
        process answers there, the figures of all are told."""
        process.began()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder
        self._file, self.name = _claimed(folder, program)
        self._sockets = [_listening(folder / f"{self.name}{SOCKET}")]
        self._answer(self._sockets[0], self.text)
        if address is not None:
            with contextlib.suppress(OSError):
                self._sockets.append(socket.create_server(address))
                self._answer(self._sockets[-1], self.all)

    def text(self) -> str:
        """The figures of this process alone."""
        return figures(self.name)

    def all(self) -> str:
        """The figures of all processes that use the folder. One that does not answer is left out."""
        return merged([self.text(), *self._others()])

    def close(self) -> None:
        for one in self._sockets:
            with contextlib.suppress(OSError):
                # Closing alone does not wake the thread.
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        os.close(self._file)

    def _others(self) -> Iterator[str]:
        for path in sorted(self._folder.iterdir()):
            if path.suffix != SOCKET and path.name != self.name and _lives(path):
                with contextlib.suppress(OSError):
                    yield _asked(path.with_name(f"{path.name}{SOCKET}"))

    @staticmethod
    def _answer(listening: socket.socket, told: Callable[[], str]) -> None:
        threading.Thread(target=_serve, args=(listening, told), name="figures", daemon=True).start()


def figures(name: str = "") -> str:
    """The figures of this process, marked with a name if it has one."""
    return "".join(family.text(name) for family in (*series.FAMILIES, *process.FAMILIES))


def _serve(listening: socket.socket, told: Callable[[], str]) -> None:
    while True:
        try:
            asking, _ = listening.accept()
        except OSError:
            return
        with asking, contextlib.suppress(OSError):
            asking.settimeout(PATIENCE)
            asking.recv(65536)
            head = "HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n\r\n"
            asking.sendall((head + told()).encode())


def _claimed(folder: Path, program: str) -> tuple[int, str]:
    """A file that nobody else holds, and its name: engine, engine-2, engine-3."""
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


def _lives(path: Path) -> bool:
    """Whether the process of a file does."""
    with contextlib.suppress(OSError), path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def _listening(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)
    made = socket.socket(socket.AF_UNIX)
    with _short(path) as name:
        made.bind(name)
    made.listen()
    return made


def _asked(path: Path) -> str:
    with socket.socket(socket.AF_UNIX) as asking, _short(path) as name:
        asking.settimeout(PATIENCE)
        asking.connect(name)
        asking.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        with asking.makefile("rb") as answer:
            return answer.read().partition(b"\r\n\r\n")[2].decode()


@contextlib.contextmanager
def _short(path: Path) -> Iterator[str]:
    """A name for a path that is short enough for a socket, which may have about a hundred characters."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        near = Path(f"/proc/self/fd/{folder}")
        yield str(near / path.name if near.exists() else path)
    finally:
        os.close(folder)
