"""A folder that is filled by paths from elsewhere. Nothing outside of it is written: no path goes through a link."""

import os
import posixpath
import stat
from contextlib import suppress
from typing import BinaryIO, Callable, List, NamedTuple, Optional, Sequence

from calor_guest.cfn.problems import Problem

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class Owner(NamedTuple):
    uid: int
    gid: int


def steps_of(name: str) -> List[str]:
    """The parts of a path, which is relative to the folder even if it begins with a slash. Raises Problem."""
    steps = [step for step in name.split("/") if step not in ("", ".")]
    if ".." in steps or "\0" in name:
        raise Problem(f"{name!r} leads out of the folder")
    return steps


def check_link(steps: Sequence[str], target: str) -> None:
    """Raises Problem if a symbolic link at this place leads out of the folder."""
    reached = posixpath.normpath(posixpath.join(".", *steps[:-1], target))
    if target.startswith("/") or reached == ".." or reached.startswith("../") or "\0" in target:
        raise Problem(f"the link {'/'.join(steps)!r} leads out of the folder, to {target!r}")


class ConfinedFolder:
    """Folders on the way to an entry are created. Whatever else is in the place of an entry is replaced."""

    def __init__(self, path: str) -> None:
        os.makedirs(path, exist_ok=True)
        self._root = os.open(path, os.O_RDONLY | os.O_DIRECTORY)

    def close(self) -> None:
        os.close(self._root)

    def add_folder(self, steps: Sequence[str]) -> None:
        os.close(self._opened(steps))

    def add_file(self, steps: Sequence[str], fill: Callable[[BinaryIO], None]) -> None:
        self._within_parent(steps, lambda parent, name: _write(parent, name, fill))

    def add_link(self, steps: Sequence[str], target: str) -> None:
        check_link(steps, target)
        self._within_parent(steps, lambda parent, name: os.symlink(target, name, dir_fd=parent))

    def add_hard_link(self, steps: Sequence[str], target: Sequence[str]) -> None:
        source = self._opened(target[:-1])
        try:
            if not stat.S_ISREG(os.stat(target[-1], dir_fd=source, follow_symlinks=False).st_mode):
                raise Problem(f"the link {'/'.join(steps)!r} does not lead to a file")

            def link(parent: int, name: str) -> None:
                os.link(target[-1], name, src_dir_fd=source, dst_dir_fd=parent, follow_symlinks=False)

            self._within_parent(steps, link)
        finally:
            os.close(source)

    def finish(
        self,
        steps: Sequence[str],
        mode: Optional[int],
        owner: Optional[Owner] = None,
        time: Optional[float] = None,
    ) -> None:
        """Sets what an entry has besides its content."""
        if not steps:
            return
        parent = self._opened(steps[:-1])
        try:
            if owner is not None:
                _own(parent, steps[-1], owner)
            is_link = stat.S_ISLNK(os.stat(steps[-1], dir_fd=parent, follow_symlinks=False).st_mode)
            if mode is not None and not is_link:
                os.chmod(steps[-1], mode, dir_fd=parent)
            if time is not None:
                os.utime(steps[-1], (time, time), dir_fd=parent, follow_symlinks=False)
        finally:
            os.close(parent)

    def _within_parent(self, steps: Sequence[str], act: Callable[[int, str], None]) -> None:
        if not steps:
            raise Problem("an entry has no name")
        parent = self._opened(steps[:-1])
        try:
            _remove(parent, steps[-1])
            act(parent, steps[-1])
        finally:
            os.close(parent)

    def _opened(self, steps: Sequence[str]) -> int:
        """The folder at a path, created if it is missing. Raises Problem if a link or a file is on the way."""
        opened = os.dup(self._root)
        try:
            for step in steps:
                try:
                    below = _open_or_create(opened, step)
                except OSError as error:
                    raise Problem(f"{'/'.join(steps)!r}: {step!r} is not a folder: {error}") from None
                os.close(opened)
                opened = below
        except BaseException:
            os.close(opened)
            raise
        return opened


def _open_or_create(parent: int, name: str) -> int:
    try:
        return os.open(name, _OPEN_FOLDER, dir_fd=parent)
    except FileNotFoundError:
        os.mkdir(name, dir_fd=parent)
        return os.open(name, _OPEN_FOLDER, dir_fd=parent)


def _write(parent: int, name: str, fill: Callable[[BinaryIO], None]) -> None:
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666, dir_fd=parent)
    with os.fdopen(handle, "wb") as file:
        fill(file)


def _remove(parent: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        pass
    except IsADirectoryError:
        os.rmdir(name, dir_fd=parent)


def _own(parent: int, name: str, owner: Owner) -> None:
    # Some ids cannot be used in containers.
    with suppress(OSError):
        os.chown(name, owner.uid, owner.gid, dir_fd=parent, follow_symlinks=False)
