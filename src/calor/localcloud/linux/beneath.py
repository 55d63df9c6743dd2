"""The file operations that are allowed in folders that the root of a server can change.

A server may swap any of its files or folders for a symbolic link at any moment. So no path is resolved there: each step
is a single name below an open folder, links are never followed, and whoever needs a path gets that of a descriptor.
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
"""How often something that is swapped meanwhile is tried again."""


def open_folder(path: Path) -> int:
    """A descriptor of a folder that is not itself a link. What leads to it must be the host's own."""
    return os.open(path, _FOLDER)


def step(folder: int, name: str) -> int:
    """A descriptor of a folder right below another. Raises OSError for links and anything else."""
    if name in ("", ".", "..") or "/" in name:
        raise ValueError(f"{name!r} is not the name of a file")
    return os.open(name, _FOLDER, dir_fd=folder)


@contextmanager
def found(folder: int, path: str) -> Iterator[int | None]:
    """A folder below another; nothing where there is none."""
    opened: list[int] = []
    try:
        try:
            for name in path.split("/"):
                opened.append(step(opened[-1] if opened else folder, name))
        except OSError:
            yield None
        else:
            yield opened[-1]
    finally:
        for fd in opened:
            os.close(fd)


@contextmanager
def made(folder: int, path: str, owner: int) -> Iterator[int]:
    """A folder below another, made where there is none. A link that is in the way is removed."""
    opened: list[int] = []
    try:
        for name in path.split("/"):
            opened.append(_made(opened[-1] if opened else folder, name, owner))
        yield opened[-1]
    finally:
        for fd in opened:
            os.close(fd)


def _made(folder: int, name: str, owner: int) -> int:
    for _ in range(_ATTEMPTS):
        try:
            return step(folder, name)
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


def as_path(fd: int) -> str:
    """A path that leads to what is open, for system calls that take nothing else. Not in another /proc."""
    return f"/proc/self/fd/{fd}"


def remove(place: Path) -> None:
    """Removes a folder with all that is in it, or a file; one that is gone is fine, and what cannot be removed stays.

    Folders are emptied into one before they go, so that neither their depth nor the length of paths matters.
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
    """Removes the last of those that wait below `top`; folders within it wait there, too, afterwards."""
    name = waiting.pop()
    try:
        folder = step(top, name)
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
