"""Block devices of volumes, as servers see them: nodes that exist, but cannot be opened.

What is written to a device would reach a file system that the kernel trusts. But scripts wait for the device before
they use the volume.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from calor.localcloud.linux import safe_paths, syscalls
from calor.localcloud.linux.syscalls import MS_NODEV, MS_NOEXEC, MS_NOSUID, bind

LINKS_AT = "disk/by-id"
_MAJOR, _MINORS = 254, 16
"""Those of virtual disks."""


@dataclass(frozen=True)
class Device:
    name: str
    link: str
    """Its name in /dev/disk/by-id."""
    tree: int
    """A descriptor of a detached mount of the node."""

    @property
    def number(self) -> tuple[int, int]:
        return device_number(self.name)


def device_number(name: str) -> tuple[int, int]:
    """The major and minor number of a device with a name such as vdb or vdb1."""
    disk = name.rstrip("0123456789")
    return _MAJOR, _MINORS * (ord(disk[-1]) - ord("a")) + int(name[len(disk) :] or 0)


class Nodes:
    """The nodes of the host, of which servers get mounts that make no devices of them."""

    def __init__(self, folder: Path, is_root: bool) -> None:
        self._folder = folder
        self._is_root = is_root
        self._is_mounted = False

    def _mount(self) -> None:
        """For the holder, which has its own mounts."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        if self._is_root:
            bind(str(self._folder), str(self._folder), flags=MS_NODEV | MS_NOSUID | MS_NOEXEC)
        self._is_mounted = True

    def device(self, name: str, volume_id: str) -> Device:
        if not self._is_mounted:
            self._mount()
        node = self._folder / name
        if not node.exists():
            if self._is_root:
                os.mknod(node, stat.S_IFBLK | 0o660, os.makedev(*device_number(name)))
            else:
                node.touch()
        return Device(name, f"virtio-{volume_id[:20]}", syscalls.open_tree(str(node)))


def show(dev: int, device: Device, owner: int) -> None:
    """Shows it in the /dev of a server, an open folder."""
    place = safe_paths.open_new_file(dev, device.name, owner)
    try:
        syscalls.move_mount(device.tree, place)
    finally:
        os.close(place)
    with safe_paths.open_or_create(dev, LINKS_AT, owner) as links:
        with suppress(FileNotFoundError):
            os.unlink(device.link, dir_fd=links)
        os.symlink(f"../../{device.name}", device.link, dir_fd=links)


def hide(dev: int, device: Device) -> None:
    with suppress(OSError):
        syscalls.umount_at(dev, device.name)
        os.unlink(device.name, dir_fd=dev)
    with safe_paths.open_existing(dev, LINKS_AT) as links:
        if links is not None:
            with suppress(OSError):
                os.unlink(device.link, dir_fd=links)
