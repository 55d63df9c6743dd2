"""Entry points for WSGI servers: `gunicorn --threads 16 calor.server.wsgi:heat_api`.

CALOR_CONFIG_FILE and CALOR_STATE_DIR say what the commands' options do. An app is made with the first request: servers
fork after they have loaded their apps.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from threading import Lock
from typing import TYPE_CHECKING, Any

from calor.server import entry
from calor.server.apps import Apps
from calor.server.bridge import Bridge, StartResponse
from calor.server.refusals import REFUSALS

if TYPE_CHECKING:
    from starlette.applications import Starlette

log = logging.getLogger("calor")


class Application:
    """An app, as PEP 3333 wants it. While it cannot be made, requests are answered with 503."""

    def __init__(self, choose: Callable[[Apps], Starlette]) -> None:
        self._choose = choose
        self._bridge: Bridge | None = None
        self._making = Lock()

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        try:
            bridge = self._bridge or self._made()
        except REFUSALS as refusal:
            log.error("calor: %s", refusal)
            start_response("503 Service Unavailable", [("Content-Type", "text/plain"), ("Retry-After", "10")])
            return [b"the service is not ready; its log says why\n"]
        return bridge(environ, start_response)

    def _made(self) -> Bridge:
        with self._making:
            if self._bridge is None:
                apps = entry.apps()
                self._bridge = Bridge(self._choose(apps), apps.largest_body)
            return self._bridge


heat_api = Application(Apps.rest)
heat_api_cfn = Application(Apps.cfn)
