"""How the cloud and the holder of its servers talk: a connection for each request, a line of JSON each way, and open
files along with an answer."""

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

PROTOCOL = 3
"""Changes whenever a holder of before would not understand."""

MOST_FILES = 64

T = TypeVar("T")


@contextmanager
def _short_path(folder: Path, name: str) -> Iterator[str]:
    """Paths of sockets must be short; those of folders need not be."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{fd}/{name}"
    finally:
        os.close(fd)


def listen(folder: Path) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    (folder / "holder.sock").unlink(missing_ok=True)
    with _short_path(folder, "holder.sock") as path:
        made.bind(path)
    os.chmod(folder / "holder.sock", 0o600)
    made.listen(512)
    return made


def connect(folder: Path) -> socket.socket:
    """Raises OSError where there is no holder."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        with _short_path(folder, "holder.sock") as path:
            made.connect(path)
    except OSError:
        made.close()
        raise
    return made


def encoded(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, default=_plain).encode() + b"\n"


def say(to: socket.socket, message: Mapping[str, Any], files: Sequence[int] = ()) -> None:
    data = encoded(message)
    if files:
        sent = socket.send_fds(to, [data], list(files))
        data = data[sent:]
    to.sendall(data)


class Hearing:
    """One message as it comes in, and the files that come with it."""

    def __init__(self) -> None:
        self._data = b""
        self._files = array.array("i")

    def take(self, from_: socket.socket) -> bool:
        """Whether that was all of it."""
        room = socket.CMSG_LEN(MOST_FILES * self._files.itemsize)
        chunk, ancillary, _, _ = from_.recvmsg(1 << 16, room, socket.MSG_CMSG_CLOEXEC)
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                self._files.frombytes(content[: len(content) - len(content) % self._files.itemsize])
        self._data += chunk
        return not chunk or chunk.endswith(b"\n")

    def message(self) -> dict[str, Any]:
        """An empty one stands for a connection that was closed."""
        return json.loads(self._data) if self._data.endswith(b"\n") else {}

    @property
    def files(self) -> list[int]:
        return list(self._files)


def hear(from_: socket.socket) -> tuple[dict[str, Any], list[int]]:
    hearing = Hearing()
    while not hearing.take(from_):
        pass
    return hearing.message(), hearing.files


def told(value: Any) -> dict[str, Any]:
    """A dataclass as it is told."""
    return asdict(value)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, frozenset | set):
        return sorted(value)
    raise TypeError(f"{type(value)} cannot be told")


def revived(kind: type[T], value: Any) -> T:
    """A dataclass from what was told of it."""
    hints = get_type_hints(kind)
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: _as(hints[name], one) for name, one in value.items() if name in known})


def _as(hint: Any, value: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if value is None:
            return None
        return _as(next(one for one in arguments if one is not type(None)), value)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return tuple(_as(arguments[0], one) for one in value)
        return tuple(_as(one_hint, one) for one_hint, one in zip(arguments, value, strict=True))
    if isinstance(hint, type) and is_dataclass(hint):
        return revived(hint, value)
    if hint is bytes:
        return b64decode(value)
    return Path(value) if hint is Path else value
