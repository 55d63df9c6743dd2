"""Servers as the holder runs them."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from calor.localcloud.backend import PortPlan, VolumePlan
from calor.localcloud.linux import limits
from calor.localcloud.linux.attachments import Attachments
from calor.localcloud.linux.confinement import Ids
from calor.localcloud.linux.consoles import Console
from calor.localcloud.linux.launching import Launch, launch
from calor.localcloud.linux.limits import ControlGroups
from calor.localcloud.linux.mount_requests import PARTITIONS_AT, VOLUMES_SHOWN_AT
from calor.localcloud.linux.rootfs import Disk, Root
from calor.localcloud.linux.server_ports import ServerPorts
from calor.localcloud.linux.volumes import Volumes
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


def _shown(spec: BootSpec, requests: Path) -> tuple[tuple[Path, str], ...]:
    shown = [(spec.boot_folder, BOOT_AT.lstrip("/")), (requests, VOLUMES_SHOWN_AT.lstrip("/"))]
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
        disk = Disk(spec.disk)
        disk.make(means.ids)
        self.console = Console(spec.folder / "console.log", means.ids)
        self.ports = ServerPorts()
        self.volumes = Attachments(volumes, spec.id, means.ids, spec.folder / "volumes")
        try:
            for port in spec.ports:
                self.ports.plug(port)
            self.ports.apply(find, settings)
            for volume in spec.volumes:
                self.volumes.open(volume)
            root = Root(
                disk,
                spec.layers,
                spec.usr_layers,
                means.usr if spec.has_host_usr else None,
                _shown(spec, self.volumes.requests.folder),
                tuple((one.tree, one.place) for one in self.volumes),
                tuple(one.device for one in self.volumes if one.device is not None),
                ((PARTITIONS_AT, "/proc/partitions"),),
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

    @property
    def process(self) -> int:
        return self.launching.process

    def current_spec(self) -> BootSpec:
        """The spec with which the server would boot into its present state."""
        return replace(
            self._order,
            ports=tuple(self.ports.plans.values()),
            volumes=tuple(one.volume for one in self.volumes),
        )

    def volume_ids(self) -> frozenset[str]:
        return frozenset(one.volume.id for one in self.volumes)

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
        self.volumes.close()
        limits.remove_limits(self._means.groups, self.id)
