"""The root of a server: put together in a mount namespace of its own, and gone with it.

What is in it was left there by an earlier run of the server, or comes from an image that somebody has uploaded. Until
it has become the root, the host's files are in reach: everything below it is found by `beneath` only.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from calor.localcloud.linux import beneath
from calor.localcloud.linux.confinement import Ids
from calor.localcloud.linux.syscalls import (
    MS_BIND,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_RDONLY,
    bind,
    enter_root,
    mount,
    move_in,
    narrow,
)

_MASKED = (
    *("acpi", "config.gz", "kallsyms", "kcore", "key-users", "keys", "kmsg", "latency_stats", "sched_debug"),
    *("scsi", "sysrq-trigger", "timer_list", "timer_stats", "vmallocinfo"),
)
_READ_ONLY = ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs")
_NODES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9), "tty": (5, 0)}
_TTY_GROUP = 5


@dataclass(frozen=True)
class Disk:
    """What a server has written, in layers; kept from one run to the next."""

    folder: Path

    @property
    def upper(self) -> Path:
        return self.folder / "upper"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def usr_upper(self) -> Path:
        return self.folder / "usr"

    @property
    def usr_work(self) -> Path:
        return self.folder / "usr-work"

    @property
    def local(self) -> Path:
        """What takes the place of the host's /usr/local."""
        return self.folder / "local"

    @property
    def local_work(self) -> Path:
        return self.folder / "local-work"

    @property
    def mount_point(self) -> Path:
        return self.folder / "root"

    def make(self, ids: Ids) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        layers = (self.upper, self.usr_upper, self.local)
        works = (self.work, self.usr_work, self.local_work)
        for place in (*layers, *works, self.mount_point):
            if not place.exists():
                place.mkdir(mode=0o755)
                os.chown(place, ids.first, ids.first)


@dataclass(frozen=True)
class Root:
    disk: Disk
    layers: tuple[Path, ...]
    """What lies below the disk, the uppermost first."""
    usr: tuple[Path, ...]
    """The same for what lies above the host's /usr, where that is used; the last has a /usr/local instead of the
    host's."""
    host_usr: Path | None
    shown: tuple[tuple[Path, str], ...]
    """Folders of the holder, and where they are shown, for reading only."""
    attached: tuple[tuple[int, str], ...]
    """Mounts that are nowhere yet, and where they are put."""
    ids: Ids
    options: str = ""
    """Further ones for overlays."""

    def enter(self, console: str) -> None:
        """Makes it the root of the process, whose mount namespace must be its own."""
        root = str(self.disk.mount_point)
        _overlay(root, self.layers, self.disk.upper, self.disk.work, self.options)
        top = beneath.open_folder(self.disk.mount_point)
        try:
            self._fill(top, console)
        finally:
            os.close(top)
        enter_root(root)
        _mask()

    def _fill(self, top: int, console: str) -> None:
        owner = f"uid={self.ids.first},gid={self.ids.first}"
        if self.host_usr is not None:
            usr = (*self.usr, self.host_usr)
            with beneath.made(top, "usr", self.ids.first) as place:
                _overlay(beneath.as_path(place), usr, self.disk.usr_upper, self.disk.usr_work, self.options)
            local = tuple(layer / "local" for layer in self.usr)
            with beneath.made(top, "usr/local", self.ids.first) as place:
                _overlay(beneath.as_path(place), local, self.disk.local, self.disk.local_work, self.options)
            with beneath.found(top, "usr/src") as sources:
                if sources is not None:
                    mount("tmpfs", beneath.as_path(sources), "tmpfs", MS_RDONLY)
        plain = MS_NOSUID | MS_NODEV | MS_NOEXEC
        self._mount(top, "proc", "proc", plain)
        self._mount(top, "sys", "sysfs", plain | MS_RDONLY)
        self._mount(top, "dev", "tmpfs", MS_NOSUID, f"mode=755,size=1m,{owner}")
        self._mount(top, "run", "tmpfs", MS_NOSUID | MS_NODEV, f"mode=755,size=64m,{owner}")
        with beneath.made(top, "dev", self.ids.first) as dev:
            self._fill_dev(beneath.as_path(dev), console)
        for source, target in self.shown:
            with beneath.made(top, target, self.ids.first) as place:
                mount(str(source), beneath.as_path(place), None, MS_BIND)
            with beneath.made(top, target, self.ids.first) as shown:
                narrow(beneath.as_path(shown), MS_RDONLY | MS_NOSUID | MS_NODEV)
        with beneath.made(top, "mnt", self.ids.first):
            pass
        for tree, target in self.attached:
            with beneath.made(top, target, self.ids.first) as place:
                move_in(tree, place)

    def _mount(self, top: int, path: str, kind: str, flags: int, options: str = "") -> None:
        with beneath.made(top, path, self.ids.first) as place:
            mount(kind, beneath.as_path(place), kind, flags, options)

    def _fill_dev(self, dev: str, console: str) -> None:
        """Nobody has been there before: it was mounted just now."""
        before = os.umask(0)
        for name, (major, minor) in _NODES.items():
            try:
                os.mknod(f"{dev}/{name}", stat.S_IFCHR | 0o666, os.makedev(major, minor))
                if name != "tty":
                    os.close(os.open(f"{dev}/{name}", os.O_RDONLY))
            except OSError:
                # In a user namespace, nodes can be made at best, but not used: the host's are shown.
                with suppress(FileExistsError):
                    os.close(os.open(f"{dev}/{name}", os.O_CREAT | os.O_EXCL))
                bind(f"/dev/{name}", f"{dev}/{name}")
        os.umask(before)
        group = f",gid={self.ids.first + _TTY_GROUP}" if self.ids.count > _TTY_GROUP else ""
        os.mkdir(f"{dev}/pts")
        mount(
            *("devpts", f"{dev}/pts", "devpts", MS_NOSUID | MS_NOEXEC),
            f"newinstance,ptmxmode=0666,mode=0620{group}",
        )
        os.mkdir(f"{dev}/shm")
        mount("tmpfs", f"{dev}/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=64m")
        os.close(os.open(f"{dev}/console", os.O_CREAT))
        bind(console, f"{dev}/console")
        os.symlink("pts/ptmx", f"{dev}/ptmx")
        os.symlink("/proc/self/fd", f"{dev}/fd")
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            os.symlink(f"/proc/self/fd/{number}", f"{dev}/{name}")


def _overlay(target: str, layers: tuple[Path, ...], upper: Path, work: Path, options: str) -> None:
    below = ":".join(str(layer) for layer in layers)
    mount(
        "overlay", target, "overlay", MS_NODEV, f"lowerdir={below},upperdir={upper},workdir={work}{options}"
    )


def _mask() -> None:
    for path in (*(f"/proc/{name}" for name in _MASKED), "/sys/firmware"):
        if os.path.isdir(path):
            mount("tmpfs", path, "tmpfs", MS_RDONLY)
        elif os.path.exists(path):
            bind("/dev/null", path)
    for path in _READ_ONLY:
        if os.path.exists(path):
            bind(path, path, read_only=True)
