"""Creates the services of the cloud with their dependencies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from calor.localcloud.compute.app import compute_app
from calor.localcloud.compute.peers import ComputePeer
from calor.localcloud.compute.recovery import resume_servers
from calor.localcloud.compute.seeding import seed_compute
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.context import Context
from calor.localcloud.identity.app import identity_app
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.image.app import image_app
from calor.localcloud.image.peers import ImagePeer
from calor.localcloud.image.recovery import resume_images
from calor.localcloud.image.seeding import seed_images
from calor.localcloud.image.service import ImageService
from calor.localcloud.network.app import network_app
from calor.localcloud.network.peers import NetworkPeer
from calor.localcloud.network.recovery import resume_networks
from calor.localcloud.network.seeding import seed_networks
from calor.localcloud.network.service import NetworkService
from calor.localcloud.objectstore.app import objectstore_app
from calor.localcloud.objectstore.service import ObjectStoreService
from calor.localcloud.objectstore.tempurl import ROOT as OBJECT_STORE
from calor.localcloud.placement.app import placement_app
from calor.localcloud.placement.service import PlacementService
from calor.localcloud.seeding import SeedAccounts
from calor.localcloud.volume.app import volume_app
from calor.localcloud.volume.peers import VolumePeer
from calor.localcloud.volume.recovery import resume_volumes
from calor.localcloud.volume.seeding import seed_volume_types
from calor.localcloud.volume.service import VolumeService


@dataclass(frozen=True)
class Service:
    """A mounted service."""

    path: str
    app: ASGIApp
    seed: Callable[[SeedAccounts], None] = lambda accounts: None
    """Called at every start, when the backend is ready."""
    resume: Callable[[], None] = lambda: None
    """Called at every start, after all services are seeded: resumes interrupted work."""


@dataclass(frozen=True)
class Services:
    all: tuple[Service, ...]
    networks: NetworkPeer
    servers: ComputePeer

    def mounts(self) -> Iterator[Mount]:
        for service in self.all:
            yield Mount(service.path, service.app)


def build_services(context: Context, identity: IdentityService) -> Services:
    image = ImageService(context)
    images = ImagePeer(image)
    volume = VolumeService(context, images)
    network = NetworkService(context)
    networks = NetworkPeer(network)
    compute = ComputeService(context, networks, images, VolumePeer(volume))
    servers = ComputePeer(compute)
    objects = objectstore_app(ObjectStoreService(context))
    return Services(
        (
            Service("/identity", identity_app(identity)),
            Service(
                "/compute",
                compute_app(compute),
                partial(seed_compute, compute),
                partial(resume_servers, compute),
            ),
            Service("/image", image_app(image), partial(seed_images, image), partial(resume_images, image)),
            Service(
                "/network",
                network_app(network),
                partial(seed_networks, network),
                partial(resume_networks, network),
            ),
            Service(
                "/volume",
                volume_app(volume),
                partial(seed_volume_types, volume),
                partial(resume_volumes, volume),
            ),
            Service(OBJECT_STORE, objects),
            Service("/v1", _AtRoot(objects)),
            Service("/placement", placement_app(PlacementService(context, servers))),
        ),
        networks,
        servers,
    )


class _AtRoot:
    """The object store at /v1/AUTH_..., where some clients expect it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "root_path": scope["root_path"].removesuffix("/v1")}, receive, send)
