"""The cloud as one ASGI application: each service mounted at its path, all over one store."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from uuid import uuid4

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from calor.localcloud.identity.records import Records
from calor.localcloud.identity.service import identity_app
from calor.localcloud.identity.state import Identity, now
from calor.localcloud.store import Store


def cloud_app(store: Store, clock: Callable[[], datetime] = now) -> ASGIApp:
    identity = Identity(Records(store), clock=clock)
    mounts = [Mount("/identity", identity_app(identity))]
    return _Frontdoor(Starlette(routes=mounts), roots=frozenset(mount.path for mount in mounts))


class _Frontdoor:
    """Gives every answer a request id, and lets a service's root be reached without a slash at its end."""

    def __init__(self, app: ASGIApp, roots: frozenset[str]) -> None:
        self._app = app
        self._roots = roots

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["path"] in self._roots:
            scope = {**scope, "path": scope["path"] + "/"}

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["X-Openstack-Request-Id"] = f"req-{uuid4()}"
            await send(message)

        await self._app(scope, receive, send_marked)
