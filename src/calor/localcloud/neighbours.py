"""What the services of the cloud ask of one another, within the process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from calor.localcloud.caller import Caller
from calor.localcloud.machinery import PortPlan


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
    """Their names."""
    device_id: str


class Networks(Protocol):
    """The network service. A `Problem` is raised for whatever the caller got wrong."""

    def default_networks(self, caller: Caller) -> Sequence[str]:
        """The networks with subnets that a server of the project gets if it names none: its own, or if it has none
        the shared ones that are not external."""

    def need_network(self, caller: Caller, network_id: str) -> str:
        """The id of a network that the caller may use."""

    def make_port(
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

    def take_port(self, caller: Caller, port_id: str, device_id: str, zone: str = "nova") -> ServerPort:
        """Gives an existing port to a server; refused while another has it."""

    def give_back(self, port_id: str) -> None:
        """Takes a port from its server: one the compute service has made is deleted, another is free again. One
        that is gone is fine."""

    def ports_of(self, device_id: str) -> Sequence[ServerPort]: ...

    def ports_of_all(self, device_ids: Sequence[str]) -> Mapping[str, Sequence[ServerPort]]:
        """The same for many servers at once."""

    def set_groups(self, caller: Caller, device_id: str, groups: Sequence[str]) -> None:
        """Other security groups, by name or id, for all ports of a server."""

    def plan_of(self, port_id: str) -> PortPlan: ...

    async def wired(self) -> None:
        """Returns when the machinery knows all that was changed until now."""

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
    properties: Mapping[str, Any]
    file: Path | None
    """Its data, where it has been given some."""
    container_format: str = "bare"
    disk_format: str = "raw"
    checksum: str | None = None


class Images(Protocol):
    """The image service."""

    def need_image(self, caller: Caller, image_id: str) -> UsableImage: ...

    def image_names(self, image_ids: Sequence[str]) -> Mapping[str, str]: ...

    def make_image(
        self,
        caller: Caller,
        name: str,
        properties: Mapping[str, Any],
        *,
        visibility: str = "private",
        protected: bool = False,
        container_format: str = "bare",
        disk_format: str = "raw",
    ) -> str:
        """A new image that waits for its data, in the state `queued`; its id. Properties may come from users: those
        with the name of an attribute are left out."""

    def fill_image(self, image_id: str, file: Path | None) -> None:
        """Gives an image its data, by moving the file (None: empty), so that it becomes active."""

    def remove_image(self, image_id: str) -> None:
        """Deletes an image the compute service has made for itself; one that is gone is fine."""


@dataclass(frozen=True)
class UsableVolume:
    id: str
    name: str
    status: str
    size: int
    bootable: bool
    image_id: str | None
    """The image it was made from."""
    file: Path
    multiattach: bool
    uploaded: bool = False
    """Whether its data came from an image, and so may be anything."""


class Volumes(Protocol):
    """The volume service."""

    def need_volume(self, caller: Caller, volume_id: str) -> UsableVolume: ...

    def make_volume(
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

    def reserve(self, volume_id: str) -> None:
        """Claims an available volume for an attachment; refused if it cannot be attached."""

    def attach(self, volume_id: str, server_id: str, device: str) -> None:
        """The claimed volume is in use."""

    def detach(self, volume_id: str, server_id: str) -> None:
        """Available again; one that is gone, or not attached, is fine."""

    def delete_volume(self, project_id: str, volume_id: str) -> None:
        """Deletes a volume that goes with its server, if it is still the project's."""
