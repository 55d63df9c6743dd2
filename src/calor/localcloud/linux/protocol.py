"""The protocol between the cloud and the holder of its servers: one connection for each request, one line of JSON in
each direction, and file descriptors along with responses."""

from __future__ import annotations

import array
import json
import os
import socket
import types
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from calor.localcloud.types import Json

VERSION = 6
"""To be increased with every incompatible change: the cloud replaces a holder of another version."""

MAX_FILES = 64

T = TypeVar("T")


@contextmanager
def _short_path(folder: Path, name: str) -> Iterator[str]:
    """A socket path has at most 108 bytes, which the path of the folder may exceed."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{fd}/{name}"
    finally:
        os.close(fd)


def listen(folder: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    (folder / "holder.sock").unlink(missing_ok=True)
    with _short_path(folder, "holder.sock") as path:
        listener.bind(path)
    os.chmod(folder / "holder.sock", 0o600)
    listener.listen(512)
    return listener


def connect(folder: Path) -> socket.socket:
    """Raises OSError if no holder is running."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        with _short_path(folder, "holder.sock") as path:
            connection.connect(path)
    except OSError:
        connection.close()
        raise
    return connection


def encode(message: object) -> bytes:
    return json.dumps(message, default=_to_json).encode() + b"\n"


def send(connection: socket.socket, message: Mapping[str, object], files: Sequence[int] = ()) -> None:
    data = encode(message)
    if files:
        sent = socket.send_fds(connection, [data], list(files))
        data = data[sent:]
    connection.sendall(data)


class MessageReader:
    """Reads one message, and the file descriptors sent with it."""

    def __init__(self) -> None:
        self._data = b""
        self._files = array.array("i")

    def read_from(self, connection: socket.socket) -> bool:
        """Reads what has arrived. Returns whether the message is complete."""
        room = socket.CMSG_LEN(MAX_FILES * self._files.itemsize)
        chunk, ancillary, _, _ = connection.recvmsg(1 << 16, room, socket.MSG_CMSG_CLOEXEC)
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                self._files.frombytes(content[: len(content) - len(content) % self._files.itemsize])
        self._data += chunk
        return not chunk or chunk.endswith(b"\n")

    def message(self) -> Json:
        """The message; empty if the connection was closed instead."""
        return json.loads(self._data) if self._data.endswith(b"\n") else {}

    @property
    def files(self) -> list[int]:
        return list(self._files)


def receive(connection: socket.socket) -> tuple[Json, list[int]]:
    reader = MessageReader()
    while not reader.read_from(connection):
        pass
    return reader.message(), reader.files


def _to_json(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, frozenset | set):
        return sorted(value)
    raise TypeError(f"{type(value)} cannot be sent")


def decode_as(kind: type[T], value: Json) -> T:
    """The dataclass that `encode` was given."""
    hints = get_type_hints(kind)
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: _convert(hints[name], one) for name, one in value.items() if name in known})


def _convert(hint: object, value: Any) -> object:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if value is None:
            return None
        return _convert(next(one for one in arguments if one is not type(None)), value)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return tuple(_convert(arguments[0], one) for one in value)
        return tuple(_convert(one_hint, one) for one_hint, one in zip(arguments, value, strict=True))
    if isinstance(hint, type) and is_dataclass(hint):
        return decode_as(hint, value)
    if hint is bytes:
        return b64decode(value)
    return Path(value) if hint is Path else value
