"""The cloud as one ASGI application: each service mounted at its path, all over one store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from uuid import uuid4

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from calor.fetching.addresses import PUBLIC_ONLY, Allowed
from calor.fetching.web import Fetcher
from calor.localcloud.compute.metadata import answer
from calor.localcloud.compute.records import Records as ComputeRecords
from calor.localcloud.compute.service import compute_app
from calor.localcloud.compute.state import Compute
from calor.localcloud.compute.survival import all_server_ids, note_death, take_up
from calor.localcloud.config import SERVERS_COME_FROM
from calor.localcloud.faults import FaultyApp, Mischief, faults_app
from calor.localcloud.furnishing import furnish_services
from calor.localcloud.ground import Ground
from calor.localcloud.identity.records import Records
from calor.localcloud.identity.service import identity_app
from calor.localcloud.identity.state import Identity, now
from calor.localcloud.identity.tokens import caller_of
from calor.localcloud.image.downloads import DOWNLOAD_SECONDS, PATIENCE_SECONDS
from calor.localcloud.image.service import image_app
from calor.localcloud.image.state import ImageService
from calor.localcloud.life import Life
from calor.localcloud.machinery import Machinery
from calor.localcloud.network.for_servers import NetworksForServers
from calor.localcloud.network.service import network_app
from calor.localcloud.network.state import networking
from calor.localcloud.objectstore.service import objectstore_app
from calor.localcloud.objectstore.state import ObjectStore
from calor.localcloud.objectstore.tempurl import ROOT as OBJECT_STORE
from calor.localcloud.placement.service import placement_app
from calor.localcloud.simulated import Simulated
from calor.localcloud.store import Store
from calor.localcloud.volume.neighbour import VolumesForNeighbours
from calor.localcloud.volume.service import volume_app
from calor.localcloud.volume.state import VolumeService


def cloud_app(
    store: Store,
    folder: Path,
    clock: Callable[[], datetime] = now,
    machinery: Machinery | None = None,
    allowed: Allowed = PUBLIC_ONLY,
) -> ASGIApp:
    """`folder` is for the files of the services; `allowed` is where images may be fetched from, beside public
    addresses."""
    identity = Identity(Records(store), clock=clock)
    authenticate = partial(caller_of, identity)
    fetcher = Fetcher(allowed, DOWNLOAD_SECONDS, PATIENCE_SECONDS)
    ground = Ground(store, folder, Life(), clock, authenticate, machinery or Simulated(), fetcher)
    images = ImageService(ground)
    volumes = VolumeService(ground, images)
    network = networking(ground)
    networks = NetworksForServers(network)
    compute = Compute(ground, ComputeRecords(store), networks, images, VolumesForNeighbours(volumes))
    mischief = Mischief()
    objects = objectstore_app(ObjectStore(ground))
    mounts = [
        Mount("/identity", identity_app(identity)),
        Mount("/compute", compute_app(compute)),
        Mount("/image", image_app(images)),
        Mount("/network", network_app(network)),
        Mount("/volume", volume_app(volumes)),
        Mount(OBJECT_STORE, objects),
        Mount("/v1", _AtRoot(objects)),
        Mount("/placement", placement_app(compute)),
        Mount("/faults", faults_app(mischief, authenticate)),
    ]

    @asynccontextmanager
    async def alive(app: Starlette) -> AsyncIterator[None]:
        ground.life.begin()
        await ground.machinery.begin(partial(answer, compute), partial(note_death, compute))
        furnish_services(identity.records, network, folder, clock())
        await ground.machinery.sweep(
            networks.all_network_ids(), networks.all_router_ids(), all_server_ids(compute)
        )
        networks.resume()
        ground.life.later(0, partial(take_up, compute))
        yield
        await ground.life.end()
        await ground.machinery.end()

    app = Starlette(routes=mounts, lifespan=alive)
    roots = frozenset(mount.path for mount in mounts)
    return _Frontdoor(FaultyApp(app, mischief), roots)


_FOR_THE_HOST = "/faults"


def _is_server(scope: Scope) -> bool:
    return bool(scope.get("client")) and scope["client"][0] == SERVERS_COME_FROM


class _AtRoot:
    """The object store where other programs look for it: at /v1/AUTH_... of the host, without a path before that."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "root_path": scope["root_path"].removesuffix("/v1")}, receive, send)


class _Frontdoor:
    """Gives every answer a request id, and lets a service's root be reached without a slash at its end."""

    def __init__(self, app: ASGIApp, roots: frozenset[str]) -> None:
        self._app = app
        self._roots = roots

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _is_server(scope) and scope["path"].startswith(_FOR_THE_HOST):
            await Response(status_code=404)(scope, receive, send)
            return
        if scope["path"] in self._roots:
            scope = {**scope, "path": scope["path"] + "/"}

        request_id = f"req-{uuid4()}"
        scope = {**scope, "request_id": request_id}

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Openstack-Request-Id"] = request_id
                headers["X-Compute-Request-Id"] = request_id
            await send(message)

        await self._app(scope, receive, send_marked)
