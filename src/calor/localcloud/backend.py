"""The interface of backends, which run networks and servers.

Services pass complete plans whenever something has changed, and again after every start. Plans are idempotent, so that
they can be repeated, also after a crash.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


class BackendError(Exception):
    """The backend cannot carry out a request; the message is shown to the user."""


@dataclass(frozen=True)
class SubnetPlan:
    cidr: str
    gateway: str | None


@dataclass(frozen=True)
class NetworkPlan:
    id: str
    subnets: tuple[SubnetPlan, ...]
    external: bool = False
    """Whether it is external: its addresses can be reached from the host."""
    mtu: int = 1500


@dataclass(frozen=True)
class Leg:
    """An interface in a network."""

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
    """A security group rule, with a remote group resolved to addresses. None means any."""

    direction: str
    """ingress or egress."""
    family: int
    protocol: str | None = None
    ports: tuple[int, int] | None = None
    """First and last port; for ICMP the type and the code, where -1 is any."""
    remotes: tuple[str, ...] | None = None
    """Remote address ranges; an empty tuple permits nothing."""


@dataclass(frozen=True)
class Address:
    address: str
    prefix: int
    gateway: str | None = None


@dataclass(frozen=True)
class PortPlan:
    """A port of a server."""

    id: str
    network_id: str
    mac: str
    addresses: tuple[Address, ...]
    name_servers: tuple[str, ...] = ()
    routes: tuple[tuple[str, str], ...] = ()
    """Pairs of a destination and the next hop."""
    guarded: bool = True
    """Whether port security is enabled."""
    permissions: tuple[Permission, ...] = ()
    further_sources: tuple[str, ...] = ()
    """Allowed address pairs: further source ranges."""
    up: bool = True
    mtu: int = 1500


@dataclass(frozen=True)
class VolumePlan:
    id: str
    file: Path
    device: str
    """Such as /dev/vdb."""


@dataclass(frozen=True)
class ServerPlan:
    id: str
    name: str
    host_name: str
    image: Path | None
    """A tarball of the root file system, or None for an image that the backend knows by name."""
    image_name: str
    vcpus: int
    memory_mb: int
    disk_gb: int
    ports: tuple[PortPlan, ...]
    volumes: tuple[VolumePlan, ...] = ()
    root_volume: VolumePlan | None = None
    """The volume that it boots from, if any: its disk is kept with the volume."""
    user_data: bytes | None = None
    public_keys: tuple[str, ...] = ()
    admin_password: str | None = None
    files: tuple[tuple[str, bytes], ...] = ()
    """Paths and contents of injected files."""
    config_drive: Mapping[str, bytes] | None = None
    """Files of the config drive by path; None without one."""
    project: str = ""


@dataclass(frozen=True)
class Usage:
    cpu_seconds: float = 0.0
    memory_mb: float = 0.0


@dataclass(frozen=True)
class MetadataRequest:
    network_id: str
    address: str
    """The source address."""
    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class MetadataResponse:
    status: int
    body: bytes = b""
    content_type: str = "text/plain"


MetadataHandler = Callable[[MetadataRequest], MetadataResponse]


class Backend(Protocol):
    """A backend. All methods may raise BackendError."""

    @property
    def name(self) -> str:
        """linux or simulated."""

    @property
    def needs_network_plans(self) -> bool:
        """Whether it uses plans of networks, routers and ports, which take time to create."""

    @property
    def external_cidr(self) -> str:
        """The range from which the seeded external network `public` takes its addresses: one that can be
        reached from the host."""

    async def start(self, answer: MetadataHandler, died: Callable[[str], Awaitable[None]]) -> None:
        """Starts the backend, and finds servers that are still running. `answer` handles metadata requests,
        `died` is called with the ids of servers that exit by themselves."""

    async def stop(self) -> None:
        """Stops the backend, but not its networks and servers."""

    async def set_network(self, plan: NetworkPlan) -> None: ...
    async def drop_network(self, id: str) -> None: ...
    async def set_router(self, plan: RouterPlan) -> None: ...
    async def drop_router(self, id: str) -> None: ...
    async def set_port(self, plan: PortPlan) -> None:
        """Updates a port, if its server is running."""

    async def sweep(self, networks: frozenset[str], routers: frozenset[str], servers: frozenset[str]) -> None:
        """Removes everything but these."""

    async def running(self) -> frozenset[str]:
        """The ids of running servers, including frozen ones."""

    async def boot(self, plan: ServerPlan, fresh: bool = False) -> None:
        """Boots a server; returns when it is running. Its disk is kept from an earlier run, unless `fresh`."""

    async def halt(self, id: str) -> None:
        """Stops a server and keeps its disk."""

    async def freeze(self, id: str) -> None: ...
    async def thaw(self, id: str) -> None: ...
    async def destroy(self, id: str) -> None:
        """Stops a server, if it exists, and removes it completely."""

    async def plug(self, server: str, plan: PortPlan) -> None: ...
    async def unplug(self, server: str, port: str) -> None: ...
    async def attach(self, server: str, volume: VolumePlan) -> None: ...
    async def detach(self, server: str, volume: str) -> None: ...
    async def drop_volume(self, volume: str) -> None:
        """Removes everything that was stored for a deleted volume."""

    async def flush(self, volume: str) -> None:
        """Writes everything that servers have written to a volume to its file."""

    async def grow(self, volume: str, file: Path) -> None:
        """Grows an attached volume whose file was extended."""

    async def console(self, id: str) -> str:
        """The console output."""

    async def usage(self, id: str) -> Usage: ...
    async def snapshot(self, id: str, target: Path) -> None:
        """Writes the server's root file system as a tarball."""
