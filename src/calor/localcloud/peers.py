"""Protocols by which services call one another within the process.

A service that others call has a protocol here, with the values it passes, and implements it in its own `peers.py`.
Callers are given the implementation in `services.py` and know the protocol alone: no service imports another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from calor.localcloud.backend import PortPlan
from calor.localcloud.caller import Caller


@dataclass(frozen=True)
class FixedAddress:
    subnet_id: str
    address: str


@dataclass(frozen=True)
class ServerPort:
    """A port as the compute service needs it."""

    id: str
    network_id: str
    network_name: str
    mac: str
    addresses: tuple[FixedAddress, ...]
    floating: tuple[str, ...]
    """Floating addresses that lead here."""
    security_groups: tuple[str, ...]
    """The names of its security groups."""
    device_id: str


class Networks(Protocol):
    """The network service. A `Problem` is raised for whatever the caller got wrong."""

    def default_networks(self, caller: Caller) -> Sequence[str]:
        """The default networks of a server: those of the project with subnets, or if it has none
        those shared with all projects that are not external."""

    def need_network(self, caller: Caller, network_id: str) -> str:
        """The id of a network that the caller may use."""

    def create_port(
        self,
        caller: Caller,
        network_id: str,
        device_id: str,
        *,
        address: str | None = None,
        security_groups: Sequence[str] | None = None,
        zone: str = "nova",
    ) -> ServerPort:
        """A new port for a server. Groups are given by name or id; None stands for the default one."""

    def claim_port(self, caller: Caller, port_id: str, device_id: str, zone: str = "nova") -> ServerPort:
        """Binds an existing port to a server. Raises Conflict if another server has it."""

    def release_port(self, port_id: str) -> None:
        """Unbinds a port from its server; deletes it if the compute service has created it. A missing port
        is ignored."""

    def ports_of(self, device_id: str) -> Sequence[ServerPort]: ...

    def ports_of_all(self, device_ids: Sequence[str]) -> Mapping[str, Sequence[ServerPort]]:
        """The same for many servers at once."""

    def set_groups(self, caller: Caller, device_id: str, groups: Sequence[str]) -> None:
        """Sets the security groups, by name or id, of all ports of a server."""

    def plan_of(self, port_id: str) -> PortPlan: ...

    async def wait_until_synced(self) -> None:
        """Returns when the backend has all changes up to now."""

    def owner_of_address(self, network_id: str, address: str) -> str | None:
        """The device that has an address in a network."""


@dataclass(frozen=True)
class UsableImage:
    id: str
    name: str
    status: str
    min_disk: int
    min_ram: int
    size: int
    properties: Mapping[str, object]
    file: Path | None
    """The file with its data, if it has one."""
    container_format: str = "bare"
    disk_format: str = "raw"
    checksum: str | None = None


class Images(Protocol):
    """The image service."""

    def need_image(self, caller: Caller, image_id: str) -> UsableImage: ...

    def image_names(self, image_ids: Sequence[str]) -> Mapping[str, str]: ...

    def create_image(
        self,
        caller: Caller,
        name: str,
        properties: Mapping[str, object],
        *,
        visibility: str = "private",
        protected: bool = False,
        container_format: str = "bare",
        disk_format: str = "raw",
    ) -> str:
        """Creates an image with the status `queued`, and returns its id. Properties may come from users: those
        with the name of an attribute are ignored."""

    def upload_image(self, image_id: str, file: Path | None) -> None:
        """Uploads the data of an image by moving the file (None: empty), so that it becomes active."""

    def remove_image(self, image_id: str) -> None:
        """Deletes an image that the compute service has created, if it still exists."""


@dataclass(frozen=True)
class UsableVolume:
    id: str
    name: str
    status: str
    size: int
    bootable: bool
    image_id: str | None
    """The image it was created from."""
    file: Path
    multiattach: bool


class Volumes(Protocol):
    """The volume service."""

    def need_volume(self, caller: Caller, volume_id: str) -> UsableVolume: ...

    def create_volume(
        self,
        caller: Caller,
        *,
        size: int,
        image_id: str | None = None,
        snapshot_id: str | None = None,
        name: str = "",
        volume_type: str | None = None,
        zone: str | None = None,
    ) -> str:
        """A new volume; its id. It is `creating` for a while."""

    def reserve(self, volume_id: str, server_id: str) -> None:
        """Reserves a volume for a server: from now on its owner cannot use it otherwise. Raises BadRequest if it cannot
        be attached."""

    def attach(self, volume_id: str, server_id: str, device: str) -> None:
        """Marks a volume that is reserved for the server as in use. Raises Conflict if it is not."""

    def detach(self, volume_id: str, server_id: str) -> None:
        """Makes a volume available again that is attached to the server or reserved for it. Others are ignored."""

    def delete_volume(self, project_id: str, volume_id: str) -> None:
        """Deletes a volume together with its server, if it still belongs to the project and nothing else uses it."""


@dataclass(frozen=True)
class Capacity:
    vcpus: int
    memory_mb: int
    disk_gb: int


@dataclass(frozen=True)
class ServerUsage:
    """The resources that a server uses."""

    server_id: str
    project_id: str
    user_id: str
    taken: Capacity


class Servers(Protocol):
    """The compute service: its only host, and the resources that servers use."""

    @property
    def host_id(self) -> str: ...

    @property
    def host_name(self) -> str: ...

    def capacity(self) -> Capacity: ...

    def usage(self, server_id: str) -> ServerUsage | None: ...

    def usages(self, project_id: str | None = None) -> Sequence[ServerUsage]:
        """The usage of all servers, or of those of a project."""

    def aggregates(self) -> Sequence[str]:
        """The UUIDs of the aggregates that the host is in."""
