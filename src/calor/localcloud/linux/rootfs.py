"""The root file system of a server, assembled in its mount namespace.

Its content is under the control of users: it comes from an uploaded image or an earlier run of the server. Until it is
the root, the files of the host are in reach, so that everything below it is opened by `safe_paths` only.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from calor.localcloud.linux import safe_paths
from calor.localcloud.linux.confinement import Ids
from calor.localcloud.linux.devices import Device, show
from calor.localcloud.linux.syscalls import (
    MS_BIND,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_RDONLY,
    bind,
    mount,
    move_mount,
    pivot_root,
    restrict_mount,
)

_MASKED = (
    *("acpi", "config.gz", "kallsyms", "kcore", "key-users", "keys", "kmsg", "latency_stats", "sched_debug"),
    *("scsi", "sysrq-trigger", "timer_list", "timer_stats", "vmallocinfo"),
)
_READ_ONLY = ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/pressure")
_NODES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9), "tty": (5, 0)}
_TTY_GROUP = 5
_MOST_TERMINALS = 256


@dataclass(frozen=True)
class Disk:
    """The writable layers of a server, kept between runs."""

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
        """Replaces /usr/local of the host."""
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
    """The read-only layers, the uppermost first."""
    usr: tuple[Path, ...]
    """The read-only layers above the host's /usr, if that is used; the last one has its own /usr/local."""
    host_usr: Path | None
    shown: tuple[tuple[Path, str], ...]
    """Folders of the holder and their read-only mount points."""
    attached: tuple[tuple[int, str], ...]
    """Detached mounts and their mount points."""
    devices: tuple[Device, ...]
    replaced: tuple[tuple[str, str], ...]
    """Files in the server, and the files of the kernel in whose place they are shown."""
    ids: Ids
    options: str = ""
    """Further overlay options."""

    def enter(self, console: str) -> None:
        """Makes it the root of the process, whose mount namespace must be its own."""
        root = str(self.disk.mount_point)
        _overlay(root, self.layers, self.disk.upper, self.disk.work, self.options)
        top = safe_paths.open_folder(self.disk.mount_point)
        try:
            self._fill(top, console)
        finally:
            os.close(top)
        pivot_root(root)
        _mask()
        for source, target in self.replaced:
            bind(source, target, read_only=True)

    def _fill(self, top: int, console: str) -> None:
        owner = f"uid={self.ids.first},gid={self.ids.first}"
        if self.host_usr is not None:
            usr = (*self.usr, self.host_usr)
            with safe_paths.open_or_create(top, "usr", self.ids.first) as place:
                _overlay(
                    safe_paths.fd_path(place), usr, self.disk.usr_upper, self.disk.usr_work, self.options
                )
            local = tuple(layer / "local" for layer in self.usr)
            with safe_paths.open_or_create(top, "usr/local", self.ids.first) as place:
                _overlay(
                    safe_paths.fd_path(place), local, self.disk.local, self.disk.local_work, self.options
                )
            with safe_paths.open_existing(top, "usr/src") as sources:
                if sources is not None:
                    mount("tmpfs", safe_paths.fd_path(sources), "tmpfs", MS_RDONLY)
        plain = MS_NOSUID | MS_NODEV | MS_NOEXEC
        self._mount(top, "proc", "proc", plain)
        self._mount(top, "sys", "sysfs", plain | MS_RDONLY)
        self._mount(top, "dev", "tmpfs", MS_NOSUID, f"mode=755,size=1m,{owner}")
        self._mount(top, "run", "tmpfs", MS_NOSUID | MS_NODEV, f"mode=755,size=64m,{owner}")
        with safe_paths.open_or_create(top, "dev", self.ids.first) as dev:
            self._fill_dev(safe_paths.fd_path(dev), console)
            for device in self.devices:
                show(dev, device, self.ids.first)
        for source, target in self.shown:
            with safe_paths.open_or_create(top, target, self.ids.first) as place:
                mount(str(source), safe_paths.fd_path(place), None, MS_BIND)
            with safe_paths.open_or_create(top, target, self.ids.first) as shown:
                restrict_mount(safe_paths.fd_path(shown), MS_RDONLY | MS_NOSUID | MS_NODEV)
        with safe_paths.open_or_create(top, "mnt", self.ids.first):
            pass
        for tree, target in self.attached:
            with safe_paths.open_or_create(top, target, self.ids.first) as place:
                move_mount(tree, place)

    def _mount(self, top: int, path: str, kind: str, flags: int, options: str = "") -> None:
        with safe_paths.open_or_create(top, path, self.ids.first) as place:
            mount(kind, safe_paths.fd_path(place), kind, flags, options)

    def _fill_dev(self, dev: str, console: str) -> None:
        """It was mounted just now: no server can have changed it."""
        before = os.umask(0)
        for name, (major, minor) in _NODES.items():
            try:
                os.mknod(f"{dev}/{name}", stat.S_IFCHR | 0o666, os.makedev(major, minor))
                if name != "tty":
                    os.close(os.open(f"{dev}/{name}", os.O_RDONLY))
            except OSError:
                # Device nodes created in a user namespace do not work: bind those of the host.
                with suppress(FileExistsError):
                    os.close(os.open(f"{dev}/{name}", os.O_CREAT | os.O_EXCL))
                bind(f"/dev/{name}", f"{dev}/{name}")
        os.umask(before)
        group = f",gid={self.ids.first + _TTY_GROUP}" if self.ids.count > _TTY_GROUP else ""
        os.mkdir(f"{dev}/pts")
        mount(
            *("devpts", f"{dev}/pts", "devpts", MS_NOSUID | MS_NOEXEC),
            f"newinstance,max={_MOST_TERMINALS},ptmxmode=0666,mode=0620{group}",
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
