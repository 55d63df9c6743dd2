"""What is behind the API: the machinery that wires networks and runs servers.

The services tell it whole plans, whenever something has changed and again after every start; what is so already stays
as it is. Nothing is ever told as a difference, so that a plan told twice, or after a crash, does no harm.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


class MachineryFailed(Exception):
    """What was asked for cannot be done here; the message is for whoever asked."""


@dataclass(frozen=True)
class SubnetPlan:
    cidr: str
    gateway: str | None


@dataclass(frozen=True)
class NetworkPlan:
    id: str
    subnets: tuple[SubnetPlan, ...]
    external: bool = False
    """Whether floating addresses are handed out here: its addresses can be reached from the host."""
    mtu: int = 1500


@dataclass(frozen=True)
class Leg:
    """An address with which something stands in a network."""

    port_id: str
    network_id: str
    mac: str
    address: str
    prefix: int


@dataclass(frozen=True)
class RouterPlan:
    id: str
    legs: tuple[Leg, ...]
    gateway: Leg | None = None
    """The leg in the external network."""
    next_hop: str | None = None
    """The external network's own gateway."""
    masquerades: bool = True
    floating: tuple[tuple[str, str], ...] = ()
    """Pairs of a floating address and the fixed one behind it."""
    routes: tuple[tuple[str, str], ...] = ()
    """Pairs of a destination and the next hop."""


@dataclass(frozen=True)
class Permission:
    """A rule of a security group, its remote group resolved to the addresses of its members. No value: any."""

    direction: str
    """ingress or egress."""
    family: int
    protocol: str | None = None
    ports: tuple[int, int] | None = None
    """First and last port; for ICMP the type and the code, where -1 is any."""
    remotes: tuple[str, ...] | None = None
    """Address ranges at the other end; an empty tuple lets nobody in."""


@dataclass(frozen=True)
class Address:
    address: str
    prefix: int
    gateway: str | None = None


@dataclass(frozen=True)
class PortPlan:
    """A server's leg in a network."""

    id: str
    network_id: str
    mac: str
    addresses: tuple[Address, ...]
    name_servers: tuple[str, ...] = ()
    routes: tuple[tuple[str, str], ...] = ()
    """Pairs of a destination and the next hop."""
    guarded: bool = True
    """Whether only what is permitted passes, and only from the port's own addresses."""
    permissions: tuple[Permission, ...] = ()
    further_sources: tuple[str, ...] = ()
    """Allowed address pairs: ranges it may send from beside its own."""
    up: bool = True
    mtu: int = 1500


@dataclass(frozen=True)
class VolumePlan:
    id: str
    file: Path
    device: str
    """Such as /dev/vdb."""
    uploaded: bool = False
    """Whether somebody has brought its data, which may be anything: it must not be mounted."""


@dataclass(frozen=True)
class ServerPlan:
    id: str
    name: str
    host_name: str
    image: Path | None
    """A root file system as a tarball, or None where the image has a name the machinery knows itself."""
    image_name: str
    vcpus: int
    memory_mb: int
    disk_gb: int
    ports: tuple[PortPlan, ...]
    volumes: tuple[VolumePlan, ...] = ()
    root_volume: VolumePlan | None = None
    """What it boots from, if not from an image alone: its disk is kept for others that do."""
    user_data: bytes | None = None
    public_keys: tuple[str, ...] = ()
    admin_password: str | None = None
    files: tuple[tuple[str, bytes], ...] = ()
    """Paths and contents of what is written when it boots for the first time."""
    config_drive: Mapping[str, bytes] | None = None
    """Its files by their paths, where the server has one."""


@dataclass(frozen=True)
class Usage:
    cpu_seconds: float = 0.0
    memory_mb: float = 0.0


@dataclass(frozen=True)
class MetadataQuestion:
    network_id: str
    address: str
    """Whom it comes from."""
    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class MetadataAnswer:
    status: int
    body: bytes = b""
    content_type: str = "text/plain"


AnswerMetadata = Callable[[MetadataQuestion], MetadataAnswer]


class Machinery(Protocol):
    """A backend. Whatever fails raises MachineryFailed."""

    @property
    def name(self) -> str:
        """linux or simulated."""

    @property
    def wires(self) -> bool:
        """Whether it needs to know of networks, routers and ports: making their plans is work."""

    @property
    def external_cidr(self) -> str:
        """The range from which the furnished external network `public` takes its addresses: one that can be
        reached from the host."""

    async def begin(self, answer: AnswerMetadata, died: Callable[[str], Awaitable[None]]) -> None:
        """Makes itself ready; finds what an earlier process of the cloud has left running. `answer` is asked for
        what servers want to know of themselves, `died` is told the id of a server that ended by itself."""

    async def end(self) -> None:
        """Lets go, with networks and servers left running."""

    async def set_network(self, plan: NetworkPlan) -> None: ...
    async def drop_network(self, id: str) -> None: ...
    async def set_router(self, plan: RouterPlan) -> None: ...
    async def drop_router(self, id: str) -> None: ...
    async def set_port(self, plan: PortPlan) -> None:
        """New addresses or permissions of a port that may be a running server's; otherwise nothing to do."""

    async def sweep(self, networks: frozenset[str], routers: frozenset[str], servers: frozenset[str]) -> None:
        """Removes everything but these."""

    async def running(self) -> frozenset[str]:
        """The ids of the servers that run, frozen ones among them."""

    async def boot(self, plan: ServerPlan, fresh: bool = False) -> None:
        """Runs a server; returns when it has begun to boot. Its disk is kept from an earlier run, unless `fresh`."""

    async def halt(self, id: str) -> None:
        """Ends a server and keeps its disk."""

    async def freeze(self, id: str) -> None: ...
    async def thaw(self, id: str) -> None: ...
    async def destroy(self, id: str) -> None:
        """Ends a server and removes all of it; one that is gone is fine."""

    async def plug(self, server: str, plan: PortPlan) -> None: ...
    async def unplug(self, server: str, port: str) -> None: ...
    async def attach(self, server: str, volume: VolumePlan) -> None: ...
    async def detach(self, server: str, volume: str) -> None: ...
    async def drop_volume(self, volume: str) -> None:
        """Removes what is kept for a volume that is gone."""

    async def flush(self, volume: str) -> None:
        """What servers have written to a volume is in its file afterwards; nothing to do where none has it."""

    async def grow(self, volume: str, file: Path) -> None:
        """The volume's file has become larger, and servers that have it are to see that."""

    async def console(self, id: str) -> str:
        """What the server has written to its console."""

    async def usage(self, id: str) -> Usage: ...
    async def snapshot(self, id: str, target: Path) -> None:
        """Writes the server's root file system as a tarball."""
