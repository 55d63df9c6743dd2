"""Entry points for WSGI servers: `gunicorn --threads 16 calor.server.wsgi:heat_api`.

CALOR_CONFIG_FILE and CALOR_STATE_DIR replace the options --config-file and --state-dir. The app is created on the first
request: servers fork after loading their apps.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from threading import Lock
from typing import TYPE_CHECKING
from wsgiref.types import WSGIEnvironment

from calor.server import entry
from calor.server.apps import Apps
from calor.server.bridge import Bridge, StartResponse
from calor.server.startup_errors import STARTUP_ERRORS

if TYPE_CHECKING:
    from starlette.types import ASGIApp

log = logging.getLogger("calor")


class Application:
    """A WSGI app (PEP 3333). Responds with 503 while the app cannot be created."""

    def __init__(self, choose: Callable[[Apps], ASGIApp]) -> None:
        self._choose = choose
        self._bridge: Bridge | None = None
        self._creating = Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            bridge = self._bridge or self._create()
        except STARTUP_ERRORS as error:
            log.error("calor: %s", error)
            start_response("503 Service Unavailable", [("Content-Type", "text/plain"), ("Retry-After", "10")])
            return [b"the service is not ready; see its log\n"]
        return bridge(environ, start_response)

    def _create(self) -> Bridge:
        with self._creating:
            if self._bridge is None:
                apps = entry.apps()
                self._bridge = Bridge(self._choose(apps), apps.largest_body)
            return self._bridge


heat_api = Application(Apps.rest)
heat_api_cfn = Application(Apps.cfn)
