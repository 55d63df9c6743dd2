"""Observability of requests: ids, log lines, metrics and spans."""

from __future__ import annotations

import logging
import re
import time
from uuid import uuid4

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from calor.observe import fields, tracing
from calor.observe.escaping import one_line
from calor.observe.logs import EXTRA
from calor.observe.series import REQUEST_SECONDS

REQUEST_ID = b"x-openstack-request-id"
ROUTE = "calor.route"
"""The key in the scope where an app stores the route of a request."""

HUNG_UP = 499
"""The status in metrics and the log if the client disconnected before the response."""

_REQUEST_ID = re.compile(r"req-[A-Za-z0-9-]{1,60}\Z")
_WITHOUT_BODY = frozenset({"GET", "HEAD", "DELETE", "OPTIONS"})
_QUIET = frozenset({"/healthcheck", "/metrics"})
"""Polled every few seconds by monitoring; logged only at the debug level."""

log = logging.getLogger("calor.requests")


class Observed:
    """Assigns every request an id, unless it has one, returns the id, and records the result of the request."""

    def __init__(
        self, app: ASGIApp, *, api: str, access_log: bool, confidential_queries: bool = False
    ) -> None:
        """With `confidential_queries`, not only bodies may contain hidden values."""
        self._app = app
        self._always_confidential = confidential_queries
        self._api = api
        self._access_log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = {name: value for name, value in scope["headers"] if name in (b"traceparent", REQUEST_ID)}
        text = given.get(REQUEST_ID, b"").decode("latin-1")
        id = text if _REQUEST_ID.match(text) else f"req-{uuid4()}"
        method = scope["method"]
        started = time.perf_counter()
        status, answered = 0, 0.0

        async def send_marked(message: Message) -> None:
            nonlocal status, answered
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (REQUEST_ID, id.encode())]
                status, answered = message["status"], time.perf_counter() - started
            await send(message)

        parent = given.get(b"traceparent", b"").decode("latin-1")
        # Bodies may contain hidden values, and exceptions may repeat them.
        confidential = self._always_confidential or method not in _WITHOUT_BODY
        with fields.scope(confidential=confidential, request_id=id):
            try:
                with tracing.span(method, kind="SERVER", parent=parent, http_request_method=method) as span:
                    await self._app(scope, receive, send_marked)
                    if span is not None:
                        _describe(span, method, scope.get(ROUTE, ""), status)
            except ClientDisconnect:
                status = status or HUNG_UP
                log.debug("%s %s: the client disconnected", method, one_line(scope["path"]))
            finally:
                # The response to an exception is sent by the outer app.
                self._record(scope, status or 500, answered, time.perf_counter() - started)

    def _record(self, scope: Scope, status: int, answered: float, seconds: float) -> None:
        method, path = scope["method"], scope["path"]
        if path in _QUIET:
            level = logging.DEBUG
        else:
            level = logging.INFO
            REQUEST_SECONDS.observe(
                answered or seconds, self._api, _named(method), scope.get(ROUTE, ""), str(status)
            )
        if self._access_log and log.isEnabledFor(level):
            details = {"api": self._api, "status": status, "ms": round(seconds * 1000, 1)}
            # The query is not logged: it may contain signatures.
            log.log(level, "%s %s", method, one_line(path), extra={EXTRA: details})


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _named(method: str) -> str:
    """The method for metrics. Unknown methods are combined, since clients can send any word."""
    return method if method in _METHODS else "other"


def _describe(span: object, method: str, route: str, status: int) -> None:
    details: dict[str, object] = {"http.route": route, "http.response.status_code": status}
    details.update({f"calor.{name}": value for name, value in fields.current().items()})
    span.update_name(f"{method} {route}")  # type: ignore[attr-defined]
    span.set_attributes(details)  # type: ignore[attr-defined]
    if status >= 500:
        tracing.mark_failed(span, str(status))
