"""The API as an ASGI application."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from sqlalchemy.exc import DataError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route as Path
from starlette.types import Receive, Scope, Send

from calor.api import bodies
from calor.api.addresses import base_url
from calor.api.auth import Authenticator
from calor.api.errors import BadRequest, Unavailable, breakdown, fault, notice, status_of
from calor.api.heat.routes import ROUTES
from calor.api.lanes import Lanes
from calor.api.metrics import exposition
from calor.api.observing import ROUTE, Observed
from calor.api.openapi.document import document
from calor.api.router import Match, Router, VersionUnknown, WrongMethod, unversioned
from calor.api.settings import ApiSettings
from calor.api.web import Api, Call, Query, Reply, respond
from calor.fetching.turns import budget
from calor.observe import exposing, fields
from calor.service.caller import Caller
from calor.service.errors import ServiceError
from calor.service.gate import Admitted, Gate
from calor.store.cipher import WrongKey
from calor.store.outages import is_passing

log = logging.getLogger(__name__)

_FETCHING_SECONDS = 60.0
"""For all templates that a request names by their addresses."""
WAITING = 32
"""So many requests of a project may wait for others of it; more are refused."""


def create_app(
    gate: Gate,
    authenticator: Authenticator,
    settings: ApiSettings | None = None,
    of_processes: Callable[[], str] = exposing.figures,
) -> Starlette:
    """The app. `of_processes` tells the figures of all processes, in the form of Prometheus."""
    settings = settings or ApiSettings()
    endpoint = _Endpoint(gate, settings, authenticator)

    def healthcheck(request: Request) -> Response:
        try:
            gate.services.ping()
        except Exception:
            log.exception("the database does not answer")
            return PlainTextResponse("the database does not answer", 503)
        return PlainTextResponse("OK")

    def figures(request: Request) -> Response:
        if request.client is not None and request.client.host == settings.servers_come_from:
            return PlainTextResponse("metrics are not for servers", 403)
        return Response(exposition(gate.services, of_processes), media_type="text/plain; version=0.0.4")

    def described(request: Request) -> Response:
        return respond(Reply(body=document(base_url(request, settings.trust_proxy_headers))))

    routes = [Path("/healthcheck", healthcheck), Path("/openapi.json", described)]
    if settings.metrics:
        routes.insert(0, Path("/metrics", figures))
    middleware = [Middleware(Observed, api="heat", access_log=settings.access_log)]
    cors = settings.cors
    if cors.origins:
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=cors.origins,
                allow_methods=cors.methods,
                allow_headers=cors.headers,
                expose_headers=cors.expose_headers,
                # Browsers refuse credentials where any origin may ask.
                allow_credentials=cors.credentials and "*" not in cors.origins,
                max_age=cors.max_age,
            )
        )
    app = Starlette(routes=routes, middleware=middleware)
    # Not a route: those match no path with a line break in it, and answer such paths in a form of their own.
    app.router.default = endpoint
    app.router.redirect_slashes = False
    return app


@dataclass(frozen=True, slots=True)
class _Known:
    caller: Caller
    admitted: Admitted | None
    """None where the rule depends on the body."""


class _Endpoint:
    """Takes a request from its path to its answer."""

    def __init__(self, gate: Gate, settings: ApiSettings, authenticator: Authenticator) -> None:
        self._gate = gate
        self._settings = settings
        self._authenticator = authenticator
        self._router = Router(ROUTES)
        self._previews = Lanes(settings.previews_at_once, WAITING)
        self._large_bodies = Lanes(settings.large_bodies_at_once, WAITING)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        found = self._found(request)
        if isinstance(found, Match):
            scope[ROUTE] = found.route.path
            response = await self._answer(request, found)
        else:
            response = found
        await response(scope, receive, send)

    def _found(self, request: Request) -> Match | Response:
        """What answers a request, or the answer that there is nothing that does."""
        if len(str(request.url)) > self._settings.longest_url:
            return respond(Reply(414, notice(414)))
        path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
        try:
            below = unversioned(path, request.headers.get("accept", ""))
        except VersionUnknown:
            return respond(Reply(300, _versions(base_url(request, self._settings.trust_proxy_headers))))
        found = self._router.find(below, request.method) if below is not None and "\0" not in below else None
        if found is None:
            return respond(Reply(404, notice(404)))
        if isinstance(found, WrongMethod):
            allow = {"Allow": ",".join(found.allowed)}
            if request.method == "OPTIONS":
                return respond(Reply(204, headers=allow))
            return respond(Reply(405, notice(405), allow))
        return found

    async def _answer(self, request: Request, found: Match) -> Response:
        try:
            size = bodies.announced(request)
            if size == 0 and not found.route.previews:
                return respond(await run_in_threadpool(self._handled, request, found, b"", None))
            # Nothing is read from somebody who may not ask.
            known = await run_in_threadpool(self._known, request, found)
            async with self._lane(known.caller, found, size):
                raw = await bodies.receive(request, self._settings.largest_body, self._settings.body_seconds)
                with budget(_FETCHING_SECONDS):
                    return respond(await run_in_threadpool(self._handled, request, found, raw, known))
        except ServiceError as error:
            return self._refusal(error)
        except WrongKey as error:
            log.error("%s", error)
            return self._refusal(ServiceError("InvalidEncryptionKey", f"The request failed: {error}."))
        except DataError as error:
            log.warning("%s", error)
            return self._refusal(BadRequest("The request has a value that the database cannot keep."))
        except Exception as error:
            if is_passing(error):
                log.warning("no answer from the database")
                return self._refusal(Unavailable("The database does not answer at present."))
            log.exception("%s %s broke", request.method, found.route.path)
            return respond(Reply(500, breakdown(error)))

    @asynccontextmanager
    async def _lane(self, caller: Caller, found: Match, size: int | None) -> AsyncIterator[None]:
        """What keeps one project from having all threads or memory."""
        project = caller.home
        async with AsyncExitStack() as stack:
            if found.route.previews:
                await stack.enter_async_context(self._previews.lane(project))
            if size is None or size > bodies.LARGE:
                await stack.enter_async_context(self._large_bodies.lane(project))
            yield

    def _known(self, request: Request, found: Match) -> _Known:
        """Who asks, if they may, as far as that shows without the body."""
        caller = self._authenticator.authenticate(request.headers, found.path["project"])
        fields.learn(project=caller.project, user=caller.username, stack=found.path.get("stack_name"))
        rule = found.route.rule
        return _Known(caller, self._gate.admit(caller, rule) if isinstance(rule, str) else None)

    def _handled(self, request: Request, found: Match, raw: bytes, known: _Known | None) -> Reply | Response:
        """All that may wait: authentication and policy, if the caller is not known yet, and the use case itself."""
        known = known or self._known(request, found)
        caller, admitted = known.caller, known.admitted
        rule, settings = found.route.rule, self._settings
        base = base_url(request, settings.trust_proxy_headers)
        given = bodies.parse(raw, request.headers.get("content-type", ""))
        if len(raw) > settings.largest_template:
            bodies.check_template(given, settings.largest_template)
        call = Call(
            caller=caller,
            method=request.method,
            base=base,
            url=base + request.url.path.removeprefix(request.scope.get("root_path", "")),
            path=found.path,
            query=Query.parse(request.url.query),
            headers=request.headers,
            raw_query=request.url.query,
            given=given,
        )
        if admitted is None:
            assert not isinstance(rule, str)
            admitted = self._gate.admit(caller, rule(call))
        api = Api(admitted.queries, admitted.commands, admitted.policy, settings)
        return found.route.handler(api, call)

    def _refusal(self, error: ServiceError) -> Response:
        status = status_of(error)
        headers = {"WWW-Authenticate": self._authenticator.challenge} if status == 401 else {}
        return respond(Reply(status, fault(error), headers))


def _versions(base: str) -> Mapping[str, object]:
    links = [{"rel": "self", "href": f"{base}/v1/"}]
    return {"versions": [{"id": "v1.0", "status": "CURRENT", "links": links}]}
