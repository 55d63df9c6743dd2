"""Servers as the holder runs them."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from calor.localcloud.backend import BackendError, PortPlan, VolumePlan
from calor.localcloud.linux import limits, syscalls
from calor.localcloud.linux.confinement import Ids
from calor.localcloud.linux.consoles import Console
from calor.localcloud.linux.launching import Launch, launch
from calor.localcloud.linux.limits import ControlGroups
from calor.localcloud.linux.rootfs import Disk, Root
from calor.localcloud.linux.server_ports import ServerPorts
from calor.localcloud.linux.volumes import VOLUMES_AT, Volumes, attach_mount, detach_mount, mount_name
from calor.localcloud.linux.wiring import FindNetwork, HostSettings


@dataclass(frozen=True)
class BootSpec:
    """What the holder needs to know to boot a server. Stored in `order.json` beside its disk."""

    id: str
    name: str
    host_name: str
    folder: Path
    layers: tuple[Path, ...]
    usr_layers: tuple[Path, ...]
    """The layers above the host's /usr; empty without `has_host_usr`."""
    has_host_usr: bool
    boot_folder: Path
    config_drive: Path | None
    ports: tuple[PortPlan, ...]
    volumes: tuple[VolumePlan, ...]
    vcpus: int
    memory_mb: int
    root: Path | None = None
    """Its disk, if it boots from a volume: kept with the volume."""
    project: str = ""

    @property
    def disk(self) -> Path:
        return self.root or self.folder / "disk"


BOOT_AT = "/run/boot"
CONFIG_DRIVE_AT = "/mnt/config"


@dataclass(frozen=True)
class ServerDefaults:
    """What all servers have in common."""

    ids: Ids
    groups: ControlGroups
    usr: Path
    """The host's /usr as servers see it."""
    overlay_options: str


@dataclass(frozen=True)
class Attached:
    volume: VolumePlan
    tree: int
    """A descriptor of its mount in the server, which stays valid when the server renames the folders above it."""

    @property
    def place(self) -> str:
        return f"{VOLUMES_AT}/{mount_name(self.volume)}"


def _shown(spec: BootSpec) -> tuple[tuple[Path, str], ...]:
    shown = [(spec.boot_folder, BOOT_AT.lstrip("/"))]
    if spec.config_drive is not None:
        shown.append((spec.config_drive, CONFIG_DRIVE_AT.lstrip("/")))
    return tuple(shown)


class Server:
    def __init__(
        self,
        spec: BootSpec,
        means: ServerDefaults,
        volumes: Volumes,
        find: FindNetwork,
        settings: HostSettings,
        owner: int | None,
        delay: float,
    ) -> None:
        self.id = spec.id
        self.delay = delay
        """Seconds by which the start of its first process is delayed."""
        self.created_at = time.monotonic()
        self._order = spec
        self._means = means
        self._volumes = volumes
        self._attached: dict[str, Attached] = {}
        disk = Disk(spec.disk)
        disk.make(means.ids)
        self.console = Console(spec.folder / "console.log", means.ids)
        self.ports = ServerPorts()
        try:
            for port in spec.ports:
                self.ports.plug(port)
            self.ports.apply(find, settings)
            for volume in spec.volumes:
                self._open(volume)
            root = Root(
                disk,
                spec.layers,
                spec.usr_layers,
                means.usr if spec.has_host_usr else None,
                _shown(spec),
                tuple((one.tree, one.place) for one in self._attached.values()),
                means.ids,
                means.overlay_options,
            )
            groups = limits.create_limits(means.groups, spec.id, spec.vcpus, spec.memory_mb)
            try:
                program = ("/bin/sh", f"{BOOT_AT}/init")
                self.launching = launch(
                    Launch(
                        *(root, spec.host_name, self.ports.namespace.fd, groups, self.console.path),
                        program,
                        owner,
                    )
                )
            finally:
                for group in groups:
                    os.close(group)
        except BaseException:
            self._clean_up_resources()
            raise

    def _open(self, volume: VolumePlan) -> Attached:
        folder = self._volumes.open(volume, self.id)
        try:
            opened = Attached(volume, syscalls.open_tree(str(folder)))
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

    def current_spec(self) -> BootSpec:
        """The spec with which the server would boot into its present state."""
        return replace(
            self._order,
            ports=tuple(self.ports.plans.values()),
            volumes=tuple(one.volume for one in self._attached.values()),
        )

    def attach(self, volume: VolumePlan) -> None:
        if volume.id in self._attached:
            return
        opened = self._open(volume)
        try:
            attach_mount(opened.tree, self.process, mount_name(volume), self._means.ids)
        except BackendError:
            self._close(volume.id)
            raise

    def detach(self, volume_id: str) -> None:
        opened = self._attached.get(volume_id)
        if opened is not None:
            detach_mount(opened.tree, self.process)
            self._close(volume_id)

    def set_port(self, plan: PortPlan, find: FindNetwork, settings: HostSettings) -> None:
        if plan != self.ports.plans.get(plan.id):
            self.ports.plug(plan)
            self.ports.apply(find, settings)

    def freeze(self, frozen: bool) -> None:
        limits.freeze(self._means.groups, self.id, self.process, frozen)

    def usage(self) -> dict[str, float]:
        found = limits.usage(self._means.groups, self.id, self.process)
        return {"cpu_seconds": found.cpu_seconds, "memory_mb": found.memory_mb}

    def signal(self, number: signal.Signals) -> None:
        # A frozen process does not get the signal.
        with suppress(OSError):
            self.freeze(False)
        os.kill(self.process, number)

    def clean_up(self) -> None:
        """Removes everything but its processes, which must be dead."""
        self.launching.connection.close()
        self._clean_up_resources()

    def _clean_up_resources(self) -> None:
        self.console.close()
        self.ports.close()
        for volume_id in list(self._attached):
            self._close(volume_id)
        limits.remove_limits(self._means.groups, self.id)
