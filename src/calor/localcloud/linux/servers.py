"""Servers as the holder has them: made from an order, running until they end or are ended."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, replace
from pathlib import Path

from calor.localcloud.linux import limits, syscalls
from calor.localcloud.linux.confinement import Ids
from calor.localcloud.linux.consoles import Console
from calor.localcloud.linux.launching import Launch, launch
from calor.localcloud.linux.limits import Groups
from calor.localcloud.linux.plugging import Sockets
from calor.localcloud.linux.rootfs import Disk, Root
from calor.localcloud.linux.volumes import VOLUMES_AT, Volumes, hang_in, mount_name, take_out
from calor.localcloud.linux.wiring import Find, Surroundings
from calor.localcloud.machinery import MachineryFailed, PortPlan, VolumePlan


@dataclass(frozen=True)
class BootOrder:
    """What the holder is told of a server: the cloud has made its image and what it is to do at boot."""

    id: str
    name: str
    host_name: str
    folder: Path
    layers: tuple[Path, ...]
    usr_layers: tuple[Path, ...]
    """Above the host's /usr; empty, unless it has that one."""
    has_host_usr: bool
    boot_folder: Path
    config_drive: Path | None
    ports: tuple[PortPlan, ...]
    volumes: tuple[VolumePlan, ...]
    vcpus: int
    memory_mb: int
    root: Path | None = None
    """Its disk, where that is kept for the volume it boots from."""

    @property
    def disk(self) -> Path:
        return self.root or self.folder / "disk"


BOOT_AT = "/run/boot"
CONFIG_DRIVE_AT = "/mnt/config"


@dataclass(frozen=True)
class Means:
    """What all servers are made with."""

    ids: Ids
    groups: Groups
    usr: Path
    """The host's /usr, as servers are to see it."""
    overlay_options: str


@dataclass(frozen=True)
class Attached:
    volume: VolumePlan
    tree: int
    """A descriptor of its mount in the server. By it the mount is found again, whatever the server does with the
    folders that lead to it."""

    @property
    def place(self) -> str:
        return f"{VOLUMES_AT}/{mount_name(self.volume)}"


def _shown(order: BootOrder) -> tuple[tuple[Path, str], ...]:
    shown = [(order.boot_folder, BOOT_AT.lstrip("/"))]
    if order.config_drive is not None:
        shown.append((order.config_drive, CONFIG_DRIVE_AT.lstrip("/")))
    return tuple(shown)


class Server:
    """One that runs."""

    def __init__(
        self, order: BootOrder, means: Means, volumes: Volumes, find: Find, around: Surroundings
    ) -> None:
        self.id = order.id
        self._order = order
        self._means = means
        self._volumes = volumes
        self._attached: dict[str, Attached] = {}
        disk = Disk(order.disk)
        disk.make(means.ids)
        self.console = Console(order.folder / "console.log", means.ids)
        self.sockets = Sockets()
        try:
            for port in order.ports:
                self.sockets.plug(port)
            self.sockets.apply(find, around)
            for volume in order.volumes:
                self._open(volume)
            root = Root(
                disk,
                order.layers,
                order.usr_layers,
                means.usr if order.has_host_usr else None,
                _shown(order),
                tuple((one.tree, one.place) for one in self._attached.values()),
                means.ids,
                means.overlay_options,
            )
            groups = limits.make_limits(means.groups, order.id, order.vcpus, order.memory_mb)
            try:
                program = ("/bin/sh", f"{BOOT_AT}/init")
                self.launching = launch(
                    Launch(
                        *(root, order.host_name, self.sockets.namespace.fd, groups, self.console.path),
                        program,
                    )
                )
            finally:
                for group in groups:
                    os.close(group)
        except BaseException:
            self._clear_places()
            raise

    def _open(self, volume: VolumePlan) -> Attached:
        folder = self._volumes.open(volume, self.id)
        try:
            opened = Attached(volume, syscalls.open_copy(str(folder)))
        except OSError:
            self._volumes.close(volume.id, self.id)
            raise
        self._attached[volume.id] = opened
        return opened

    def _close(self, volume_id: str) -> None:
        os.close(self._attached.pop(volume_id).tree)
        self._volumes.close(volume_id, self.id)

    @property
    def process(self) -> int:
        return self.launching.process

    def order_now(self) -> BootOrder:
        """What it would have to be told to become the same again."""
        return replace(
            self._order,
            ports=tuple(self.sockets.ports.values()),
            volumes=tuple(one.volume for one in self._attached.values()),
        )

    def attach(self, volume: VolumePlan) -> None:
        if volume.id in self._attached:
            return
        opened = self._open(volume)
        try:
            hang_in(opened.tree, self.process, mount_name(volume), self._means.ids)
        except MachineryFailed:
            self._close(volume.id)
            raise

    def detach(self, volume_id: str) -> None:
        opened = self._attached.get(volume_id)
        if opened is not None:
            take_out(opened.tree, self.process)
            self._close(volume_id)

    def set_port(self, plan: PortPlan, find: Find, around: Surroundings) -> None:
        if plan != self.sockets.ports.get(plan.id):
            self.sockets.plug(plan)
            self.sockets.apply(find, around)

    def freeze(self, frozen: bool) -> None:
        limits.freeze(self._means.groups, self.id, self.process, frozen)

    def usage(self) -> dict[str, float]:
        found = limits.usage(self._means.groups, self.id, self.process)
        return {"cpu_seconds": found.cpu_seconds, "memory_mb": found.memory_mb}

    def signal(self, number: signal.Signals) -> None:
        # Those that are frozen would not hear it.
        self.freeze(False)
        os.kill(self.process, number)

    def clear(self) -> None:
        """Whatever there was besides its processes, once they are dead."""
        self.launching.connection.close()
        self._clear_places()

    def _clear_places(self) -> None:
        self.console.close()
        self.sockets.close()
        for volume_id in list(self._attached):
            self._close(volume_id)
        limits.remove_limits(self._means.groups, self.id)
