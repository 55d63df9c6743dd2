"""Entry points for ASGI servers: `uvicorn --factory calor.server.asgi:heat_api`.

CALOR_CONFIG_FILE and CALOR_STATE_DIR replace the options --config-file and --state-dir.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from calor.server import entry
from calor.server.apps import Apps
from calor.server.startup_errors import STARTUP_ERRORS


def heat_api() -> ASGIApp:
    """The REST API."""
    return Deferred(Apps.rest)


def heat_api_cfn() -> ASGIApp:
    """The CFN API."""
    return Deferred(Apps.cfn)


class Deferred:
    """An app that is created at lifespan startup or, if the server does not support lifespan, on the first request.
    Threads and connections do not survive a fork, and some servers fork after loading their apps."""

    def __init__(self, choose: Callable[[Apps], ASGIApp]) -> None:
        self._choose = choose
        self._apps: Apps | None = None
        self._app: ASGIApp | None = None
        self._creating = Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close"})
            return
        app = self._app
        if app is None:
            app = await run_in_threadpool(self._create)
        await app(scope, receive, send)

    def _create(self) -> ASGIApp:
        """Returns the app, created once. Raises one of STARTUP_ERRORS."""
        with self._creating:
            if self._app is None:
                self._apps = entry.apps()
                self._app = self._choose(self._apps)
            app: ASGIApp = self._app
        return app

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await run_in_threadpool(self._create)
        except STARTUP_ERRORS as error:
            await send({"type": "lifespan.startup.failed", "message": f"calor: {error}"})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        if self._apps is not None:
            await run_in_threadpool(self._apps.close)
        await send({"type": "lifespan.shutdown.complete"})
