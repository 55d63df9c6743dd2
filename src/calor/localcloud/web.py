"""Connects HTTP with the handlers of services."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from inspect import isawaitable
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as Path

from calor.localcloud.caller import ANONYMOUS, Authenticate, Caller
from calor.localcloud.problems import BadRequest, Forbidden, Problem, TooLarge, Unauthorized
from calor.localcloud.requests import Reader, parse_json
from calor.localcloud.store import Duplicate
from calor.localcloud.streams import in_time

log = logging.getLogger("calor.localcloud")

T = TypeVar("T")

BODY_LIMIT = 1_048_576
ANONYMOUS_BODY_LIMIT = 65_536
"""For requests without a token, such as those for one."""
HUNG_UP = 499
"""The status for a client that has disconnected."""


@dataclass(frozen=True)
class Call:
    """A request as handlers see it."""

    caller: Caller
    method: str
    # Where the service is, as the client reaches it: http://host:port/identity.
    base: str
    url: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    """The last value of each parameter."""
    parameters: tuple[tuple[str, str], ...]
    """All parameters, which may be repeated."""
    headers: Mapping[str, str]
    request_id: str
    """The id in the response header."""
    raw: bytes
    """The body; empty for a route that streams."""
    stream: AsyncIterator[bytes]
    """The body piece by piece, for a route that streams."""

    def all(self, parameter: str) -> list[str]:
        """All values of a parameter."""
        return [value for name, value in self.parameters if name == parameter]

    def read(self, reader: Reader[T]) -> T:
        """The body, read by the reader."""
        return reader(parse_json(self.raw), "The body")

    def read_in(self, member: str, reader: Reader[T]) -> T:
        """Reads the member that wraps the body."""
        body = parse_json(self.raw)
        if not isinstance(body, dict) or member not in body:
            raise BadRequest(f"The body must be an object with the member {member}.")
        return reader(body[member], member)


@dataclass(frozen=True)
class Reply:
    """`body` is sent as JSON; `raw` is sent unchanged, and needs a Content-Type header."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | AsyncIterable[bytes] | None = None


NO_CONTENT = Reply(204)

Handler = Callable[[Call], Reply | Awaitable[Reply]]
Rule = Callable[[Call], bool]
ErrorShape = Callable[[HTTPStatus, str, str], Any]
"""Returns the body of an error from its status, message and kind; or a reply, if the body is not JSON."""


@dataclass(frozen=True)
class Route:
    """A route without a rule needs no token."""

    method: str
    path: str
    handler: Handler
    rule: Rule | None
    streams: bool = False
    """Whether the handler streams the body, without a size limit."""


def service_app(routes: Iterable[Route], authenticate: Authenticate, error_shape: ErrorShape) -> Starlette:
    """One service, to be mounted at its path."""
    paths: dict[str, dict[str, Route]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method] = route

    def endpoint(by_method: Mapping[str, Route]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            route = by_method.get(request.method) or by_method["GET"]
            reply = route.handler(await _authorize(request, route, authenticate))
            return respond(await reply if isawaitable(reply) else reply)

        return answer

    def error_response(
        status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None, kind: str = ""
    ) -> Response:
        shaped = error_shape(status, message, kind)
        reply = shaped if isinstance(shaped, Reply) else Reply(status, shaped)
        return respond(replace(reply, headers={**reply.headers, **(headers or {})}))

    async def on_problem(request: Request, error: Exception) -> Response:
        assert isinstance(error, Problem)
        asks = {"WWW-Authenticate": f'Keystone uri="{_origin(request)}/identity"'}
        return error_response(
            error.status, error.message, asks if isinstance(error, Unauthorized) else None, error.kind
        )

    async def on_duplicate(request: Request, error: Exception) -> Response:
        return error_response(HTTPStatus.CONFLICT, "An object with this name or ID already exists.")

    async def on_http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        message = {
            404: "The resource could not be found.",
            405: "The method is not allowed for this resource.",
        }
        return error_response(
            HTTPStatus(error.status_code), message.get(error.status_code, error.detail), error.headers
        )

    async def on_disconnect(request: Request, error: Exception) -> Response:
        log.debug("%s %r: the client disconnected", request.method, request.url.path)
        return Response(status_code=HUNG_UP)

    async def on_error(request: Request, error: Exception) -> Response:
        return error_response(HTTPStatus.INTERNAL_SERVER_ERROR, "An unexpected error prevented the request.")

    app = Starlette(
        routes=[Path(path, endpoint(group), methods=list(group)) for path, group in paths.items()],
        exception_handlers={
            Problem: on_problem,
            Duplicate: on_duplicate,
            HTTPException: on_http_error,
            ClientDisconnect: on_disconnect,
            Exception: on_error,
        },
    )
    # A path with an empty id must not match the collection.
    app.router.redirect_slashes = False
    return app


def respond(reply: Reply) -> Response:
    if isinstance(reply.raw, bytes):
        return Response(reply.raw, reply.status, dict(reply.headers))
    if reply.raw is not None:
        return StreamingResponse(reply.raw, reply.status, dict(reply.headers))
    if reply.body is None:
        return Response(status_code=reply.status, headers=dict(reply.headers))
    content = json.dumps(reply.body, separators=(",", ":"), allow_nan=False)
    return Response(
        content, reply.status, {**reply.headers, "Vary": "X-Auth-Token"}, media_type="application/json"
    )


async def _authorize(request: Request, route: Route, authenticate: Authenticate) -> Call:
    caller = ANONYMOUS
    if route.rule is not None:
        known = authenticate(request.headers.get("x-auth-token", ""))
        if known is None:
            raise Unauthorized
        caller = known
    call = Call(
        caller=caller,
        method=request.method,
        base=_origin(request) + request.scope.get("root_path", ""),
        url=_origin(request) + request.scope["path"],
        path=request.path_params,
        query=dict(request.query_params),
        parameters=tuple(request.query_params.multi_items()),
        headers=request.headers,
        request_id=request.scope.get("request_id", ""),
        raw=b"" if route.streams else await _limited_body(request, known=route.rule is not None),
        stream=in_time(aiter(request.stream())),
    )
    if route.rule is not None and not route.rule(call):
        raise Forbidden("You are not authorized to perform the requested action.")
    return call


def _origin(request: Request) -> str:
    scheme = request.headers.get("x-forwarded-proto", request.url.scheme)
    return f"{scheme}://{request.headers.get('host', 'localhost')}"


async def _limited_body(request: Request, *, known: bool) -> bytes:
    limit = BODY_LIMIT if known else ANONYMOUS_BODY_LIMIT
    received = bytearray()
    async for part in in_time(aiter(request.stream())):
        received += part
        if len(received) > limit:
            raise TooLarge(f"The body has more than {limit} bytes.")
    return bytes(received)
