"""Programs in servers, with the terminal or the streams of whoever started them."""

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

from calor.localcloud.linux import speech


def stop_holder(folder: Path) -> bool:
    """Ends all servers and networks of a cloud; whether there was anything to end."""
    try:
        connection = speech.connect(folder)
    except OSError:
        return False
    with connection:
        speech.say(connection, {"ask": "stop", "with": {}})
        speech.hear(connection)
        # It closes the connection as its last deed.
        connection.recv(1)
    return True


def run_in(folder: Path, server: str, program: Sequence[str], *, terminal: bool) -> int:
    """Returns how the program ended. Raises OSError where the server cannot be entered."""
    environment = {"TERM": os.environ.get("TERM", "linux")}
    details = {"id": server, "program": program, "terminal": terminal, "environment": environment}
    with speech.connect(folder) as connection:
        speech.say(connection, {"ask": "enter", "with": details})
        message, files = speech.hear(connection)
        if "failed" in message or not files:
            raise OSError(message.get("failed", "the holder of the servers went away"))
        if terminal:
            _with_terminal(files[0])
        else:
            _with_streams(*files)
        return _ending(connection)


def _ending(connection: socket.socket) -> int:
    message, _ = speech.hear(connection)
    code = int(message.get("answer", 1))
    # As shells do it for what was ended by a signal.
    return 128 - code if code < 0 else code


def _with_terminal(master: int) -> None:
    with _raw(sys.stdin.fileno()), _size_follows(master):
        _copy({sys.stdin.fileno(): master, master: sys.stdout.fileno()}, until=master)
    os.close(master)


def _with_streams(to_input: int, from_output: int, from_errors: int) -> None:
    ways = {
        sys.stdin.fileno(): to_input,
        from_output: sys.stdout.fileno(),
        from_errors: sys.stderr.fileno(),
    }
    _copy(ways, until=from_output, also=from_errors)
    for fd in (from_output, from_errors):
        os.close(fd)


def _copy(ways: dict[int, int], until: int, also: int | None = None) -> None:
    """Copies from each to its other end, until those that count have said everything."""
    left = {until} if also is None else {until, also}
    with selectors.DefaultSelector() as selector:
        for source in list(ways):
            try:
                selector.register(source, selectors.EVENT_READ)
            except PermissionError:
                # A file is all there at once.
                with suppress(OSError):
                    while data := os.read(source, 1 << 16):
                        os.write(ways[source], data)
                os.close(ways[source])
        while left:
            for key, _ in selector.select():
                try:
                    data = os.read(key.fd, 1 << 16)
                except OSError:
                    # A terminal whose other end is closed.
                    data = b""
                if data:
                    with suppress(BrokenPipeError):
                        _write(ways[key.fd], data)
                    continue
                selector.unregister(key.fd)
                if key.fd in left:
                    left.discard(key.fd)
                elif ways[key.fd] != until:
                    os.close(ways[key.fd])


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


@contextmanager
def _raw(fd: int) -> Iterator[None]:
    before = termios.tcgetattr(fd)
    # What was typed ahead is for the server.
    tty.setraw(fd, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


@contextmanager
def _size_follows(master: int) -> Iterator[None]:
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
