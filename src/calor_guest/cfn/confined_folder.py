"""A folder that is filled by paths from elsewhere. Nothing outside of it is written: no path goes through a link."""

import os
import posixpath
import stat
from contextlib import suppress
from typing import BinaryIO, Callable, List, NamedTuple, Optional, Sequence

from calor_guest.cfn.problems import Problem

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


class Owner(NamedTuple):
    uid: int
    gid: int


class Attributes(NamedTuple):
    """What an entry has besides its content."""

    mode: Optional[int] = None
    owner: Optional[Owner] = None
    time: Optional[float] = None


NONE = Attributes()


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

    def add_folder(self, steps: Sequence[str], attributes: Attributes = NONE) -> None:
        """Creates it, or sets the attributes of an existing one."""
        opened = self._opened(steps)
        try:
            _set(opened, attributes)
        finally:
            os.close(opened)

    def add_file(
        self, steps: Sequence[str], fill: Callable[[BinaryIO], None], attributes: Attributes = NONE
    ) -> None:
        def write(parent: int, name: str) -> None:
            with os.fdopen(os.open(name, _NEW_FILE, 0o666, dir_fd=parent), "wb") as file:
                fill(file)
                file.flush()
                _set(file.fileno(), attributes)

        self._within_parent(steps, write)

    def add_link(self, steps: Sequence[str], target: str, owner: Optional[Owner] = None) -> None:
        check_link(steps, target)

        def link(parent: int, name: str) -> None:
            os.symlink(target, name, dir_fd=parent)
            if owner is not None:
                with suppress(OSError):
                    os.chown(name, owner.uid, owner.gid, dir_fd=parent, follow_symlinks=False)

        self._within_parent(steps, link)

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


def _remove(parent: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        pass
    except IsADirectoryError:
        os.rmdir(name, dir_fd=parent)


def _set(opened: int, attributes: Attributes) -> None:
    """Through the open file: its name may mean another one by now."""
    mode, owner, time = attributes
    if owner is not None:
        # Some ids cannot be used in containers.
        with suppress(OSError):
            os.fchown(opened, owner.uid, owner.gid)
    if mode is not None:
        os.fchmod(opened, mode)
    if time is not None:
        os.utime(opened, (time, time))
