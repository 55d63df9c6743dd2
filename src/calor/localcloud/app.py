"""The ASGI application of the cloud, with all services."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from calor.fetching.addresses import PUBLIC_ONLY, Allowed
from calor.fetching.web import Fetcher
from calor.localcloud.backend import Backend
from calor.localcloud.background import Background
from calor.localcloud.config import GUEST_SOURCE_ADDRESS
from calor.localcloud.context import Context
from calor.localcloud.faults import FAULTS, FaultInjection, FaultyApp, faults_app
from calor.localcloud.identity.peers import IdentityPeer
from calor.localcloud.identity.service import IdentityService, now
from calor.localcloud.image.download_pool import DOWNLOAD_SECONDS, IDLE_SECONDS
from calor.localcloud.services import build_services
from calor.localcloud.simulated import Simulated
from calor.localcloud.store import Store


def cloud_app(
    store: Store,
    folder: Path,
    clock: Callable[[], datetime] = now,
    backend: Backend | None = None,
    allowed: Allowed = PUBLIC_ONLY,
) -> ASGIApp:
    """`folder` is for the files of the services; `allowed` is where images may be fetched from, in addition to public
    address."""
    identity = IdentityService(store, clock)
    accounts = IdentityPeer(identity)
    fetcher = Fetcher(allowed, DOWNLOAD_SECONDS, IDLE_SECONDS)
    context = Context(
        store, folder, Background(), clock, accounts.authenticate, backend or Simulated(), fetcher
    )
    services = build_services(context, identity)
    faults = FaultInjection()
    mounts = [*services.mounts(), Mount(FAULTS, faults_app(faults, accounts.authenticate))]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        networks, servers = services.networks, services.servers
        context.background.start()
        await context.backend.start(servers.answer_metadata, servers.on_server_exit)
        owners = accounts.seed_accounts()
        for service in services.all:
            service.seed(owners)
        await context.backend.sweep(
            networks.all_network_ids(), networks.all_router_ids(), servers.all_server_ids()
        )
        for service in services.all:
            service.resume()
        yield
        await context.background.stop()
        await context.backend.stop()

    app = Starlette(routes=mounts, lifespan=lifespan)
    return _FrontDoor(FaultyApp(app, faults), frozenset(mount.path for mount in mounts))


class _FrontDoor:
    """Adds request ids to responses, and accepts the root of a service without a trailing slash."""

    def __init__(self, app: ASGIApp, roots: frozenset[str]) -> None:
        self._app = app
        self._roots = roots

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _is_from_server(scope) and scope["path"].startswith(FAULTS):
            await Response(status_code=404)(scope, receive, send)
            return
        if scope["path"] in self._roots:
            scope = {**scope, "path": scope["path"] + "/"}

        request_id = f"req-{uuid4()}"
        scope = {**scope, "request_id": request_id}

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Openstack-Request-Id"] = request_id
                headers["X-Compute-Request-Id"] = request_id
            await send(message)

        await self._app(scope, receive, send_with_id)


def _is_from_server(scope: Scope) -> bool:
    return bool(scope.get("client")) and scope["client"][0] == GUEST_SOURCE_ADDRESS
