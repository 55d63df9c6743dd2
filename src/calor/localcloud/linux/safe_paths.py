"""File operations that are safe in folders which the root of a server can change.

A server may replace any of its files or folders by a symbolic link at any moment. So no path is resolved there: each
step opens a single name relative to an open folder without following links, and system calls that need a path get that
of a descriptor.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import ELOOP, ENOTDIR
from pathlib import Path
from uuid import uuid4

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ATTEMPTS = 8
"""How often to retry when a server replaces something meanwhile."""


def open_folder(path: Path) -> int:
    """Opens a folder that is not a link itself. The folders above must belong to the host."""
    return os.open(path, _FOLDER)


def open_child(folder: int, name: str) -> int:
    """Opens a folder directly below another. Raises OSError if it is a link or not a folder."""
    if name in ("", ".", "..") or "/" in name:
        raise ValueError(f"{name!r} is not the name of a file")
    return os.open(name, _FOLDER, dir_fd=folder)


@contextmanager
def open_existing(folder: int, path: str) -> Iterator[int | None]:
    """Opens a folder below another; yields None if there is none."""
    opened: list[int] = []
    try:
        try:
            for name in path.split("/"):
                opened.append(open_child(opened[-1] if opened else folder, name))
        except OSError:
            yield None
        else:
            yield opened[-1]
    finally:
        for fd in opened:
            os.close(fd)


@contextmanager
def open_or_create(folder: int, path: str, owner: int) -> Iterator[int]:
    """Opens a folder below another, and creates it if needed. Links in its place are removed."""
    opened: list[int] = []
    try:
        for name in path.split("/"):
            opened.append(_open_or_create(opened[-1] if opened else folder, name, owner))
        yield opened[-1]
    finally:
        for fd in opened:
            os.close(fd)


def _open_or_create(folder: int, name: str, owner: int) -> int:
    for _ in range(_ATTEMPTS):
        try:
            return open_child(folder, name)
        except FileNotFoundError:
            with suppress(FileExistsError, FileNotFoundError):
                os.mkdir(name, 0o755, dir_fd=folder)
                os.chown(name, owner, owner, dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in (ELOOP, ENOTDIR):
                raise
            with suppress(FileNotFoundError):
                if not stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    raise OSError(ENOTDIR, f"{name} is not a directory") from None
                os.unlink(name, dir_fd=folder)
    raise OSError(ENOTDIR, f"{name} does not stay a directory")


def open_new_file(folder: int, name: str, owner: int) -> int:
    """Creates an empty file directly below a folder, in place of a file or link of the same name."""
    if name in ("", ".", "..") or "/" in name:
        raise ValueError(f"{name!r} is not the name of a file")
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
    file = os.open(
        name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder
    )
    os.fchown(file, owner, owner)
    return file


def fd_path(fd: int) -> str:
    """The path of an open file, for system calls that need one. Valid in the same /proc only."""
    return f"/proc/self/fd/{fd}"


def remove_tree(place: Path) -> None:
    """Removes a file, or a folder with its content, as far as possible. Does nothing if it does not exist.

    Subfolders are moved up before they are removed, so that neither depth nor path length matters.
    """
    bin_ = place.parent / f"removed-{uuid4().hex}"
    try:
        bin_.mkdir(mode=0o700)
        place.rename(bin_ / "0")
    except OSError:
        with suppress(OSError):
            bin_.rmdir()
        return
    top = open_folder(bin_)
    try:
        waiting = ["0"]
        while waiting:
            _empty(top, waiting)
    finally:
        os.close(top)
    with suppress(OSError):
        bin_.rmdir()


def _empty(top: int, waiting: list[str]) -> None:
    """Removes the last of the names in `waiting`, which are below `top`; moves its subfolders there, and adds them."""
    name = waiting.pop()
    try:
        folder = open_child(top, name)
    except OSError:
        with suppress(OSError):
            os.unlink(name, dir_fd=top)
        return
    try:
        for inner in os.listdir(folder):
            with suppress(OSError):
                if stat.S_ISDIR(os.stat(inner, dir_fd=folder, follow_symlinks=False).st_mode):
                    moved = uuid4().hex
                    os.rename(inner, moved, src_dir_fd=folder, dst_dir_fd=top)
                    waiting.append(moved)
                else:
                    os.unlink(inner, dir_fd=folder)
    finally:
        os.close(folder)
    with suppress(OSError):
        os.rmdir(name, dir_fd=top)
