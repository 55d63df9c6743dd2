"""Runs programs in servers with the terminal or the streams of this process."""

from __future__ import annotations

import fcntl
import os
import selectors
import signal
import socket
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from calor.localcloud.linux import protocol


def stop_holder(folder: Path) -> bool:
    """Stops all servers and networks of a cloud. Returns whether the holder was running."""
    try:
        connection = protocol.connect(folder)
    except OSError:
        return False
    with connection:
        protocol.send(connection, {"ask": "stop", "with": {}})
        protocol.receive(connection)
        # The holder closes the connection when it exits.
        connection.recv(1)
    return True


def run_in(folder: Path, server: str, program: Sequence[str], *, terminal: bool) -> int:
    """Returns the exit code of the program. Raises OSError if it cannot be run in the server."""
    environment = {"TERM": os.environ.get("TERM", "linux")}
    details = {"id": server, "program": program, "terminal": terminal, "environment": environment}
    with protocol.connect(folder) as connection:
        protocol.send(connection, {"ask": "enter", "with": details})
        message, files = protocol.receive(connection)
        if "failed" in message or not files:
            raise OSError(message.get("failed", "the holder of the servers closed the connection"))
        if terminal:
            _with_terminal(files[0])
        else:
            _with_streams(*files)
        return _exit_code(connection)


def _exit_code(connection: socket.socket) -> int:
    message, _ = protocol.receive(connection)
    code = int(message.get("answer", 1))
    # As shells report signals.
    return 128 - code if code < 0 else code


def _with_terminal(master: int) -> None:
    with _raw(sys.stdin.fileno()), _forward_size(master):
        _copy({sys.stdin.fileno(): master, master: sys.stdout.fileno()}, until=master)
    os.close(master)


def _with_streams(to_input: int, from_output: int, from_errors: int) -> None:
    targets = {
        sys.stdin.fileno(): to_input,
        from_output: sys.stdout.fileno(),
        from_errors: sys.stderr.fileno(),
    }
    _copy(targets, until=from_output, also=from_errors)
    for fd in (from_output, from_errors):
        os.close(fd)


def _copy(targets: dict[int, int], until: int, also: int | None = None) -> None:
    """Copies each source to its target, until `until` and `also` are at their end."""
    left = {until} if also is None else {until, also}
    with selectors.DefaultSelector() as selector:
        for source in list(targets):
            try:
                selector.register(source, selectors.EVENT_READ)
            except PermissionError:
                # Regular files cannot be polled.
                with suppress(OSError):
                    while data := os.read(source, 1 << 16):
                        os.write(targets[source], data)
                os.close(targets[source])
        while left:
            for key, _ in selector.select():
                try:
                    data = os.read(key.fd, 1 << 16)
                except OSError:
                    # The other end of the terminal is closed.
                    data = b""
                if data:
                    with suppress(BrokenPipeError):
                        _write(targets[key.fd], data)
                    continue
                selector.unregister(key.fd)
                if key.fd in left:
                    left.discard(key.fd)
                elif targets[key.fd] != until:
                    os.close(targets[key.fd])


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


@contextmanager
def _raw(fd: int) -> Iterator[None]:
    before = termios.tcgetattr(fd)
    # Without flushing what was typed ahead.
    tty.setraw(fd, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


@contextmanager
def _forward_size(master: int) -> Iterator[None]:
    def follow(number: int = 0, frame: object = None) -> None:
        with suppress(OSError):
            size = fcntl.ioctl(sys.stdin.fileno(), termios.TIOCGWINSZ, bytes(8))
            fcntl.ioctl(master, termios.TIOCSWINSZ, size)

    before = signal.signal(signal.SIGWINCH, follow)
    follow()
    try:
        yield
    finally:
        signal.signal(signal.SIGWINCH, before)
