"""The state of a process, for load balancers."""

from __future__ import annotations

import logging

from starlette.responses import PlainTextResponse, Response

from calor.service.queries.services import Services

log = logging.getLogger(__name__)


def healthcheck(services: Services) -> Response:
    try:
        services.ping()
    except Exception:
        log.exception("the database does not respond")
        return PlainTextResponse("the database does not respond", 503)
    return PlainTextResponse("OK")
