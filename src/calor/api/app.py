"""The API as an ASGI application."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route as Path
from starlette.types import ASGIApp, Receive, Scope, Send

from calor.api import bodies
from calor.api.addresses import base_url, path_below_root, url_length, versions
from calor.api.auth import Authenticator
from calor.api.errors import BadRequest, Unavailable, fault, notice, status_of, unexpected_fault
from calor.api.health import healthcheck
from calor.api.heat.routes import ROUTES
from calor.api.lanes import Lanes
from calor.api.metrics import exposition
from calor.api.observing import ROUTE, Observed
from calor.api.openapi.document import document
from calor.api.router import Match, Router, VersionUnknown, WrongMethod, unversioned
from calor.api.settings import ApiSettings
from calor.api.streams import Streams
from calor.api.threads import MOST_THREADS, Threads
from calor.api.web import Api, Call, Query, Reply, respond
from calor.fetching.slots import budget
from calor.observe import exposing, fields
from calor.service.authorization import Authorizer, UseCases
from calor.service.caller import Caller
from calor.service.errors import ServiceError
from calor.store.cipher import WrongKey
from calor.store.errors import InvalidValue
from calor.store.outages import is_transient

log = logging.getLogger(__name__)

_FETCHING_SECONDS = 60.0
"""The time limit for fetching all templates of a request."""
WAITING_CHANGES = 1000
"""The maximum number of requests of a project that wait to change something."""
WAITING = 32
"""The maximum number of requests of a project that wait for others; more are refused."""


def create_app(
    authorizer: Authorizer,
    authenticator: Authenticator,
    settings: ApiSettings | None = None,
    of_processes: Callable[[], str] = exposing.own_metrics,
) -> ASGIApp:
    """The app. `of_processes` returns the metrics of all processes, in the format of Prometheus."""
    settings = settings or ApiSettings()

    def healthy(request: Request) -> Response:
        return healthcheck(authorizer.services)

    def figures(request: Request) -> Response:
        if request.client is not None and request.client.host == settings.servers_come_from:
            return PlainTextResponse("metrics are not for servers", 403)
        return Response(exposition(authorizer.services, of_processes), media_type="text/plain; version=0.0.4")

    def described(request: Request) -> Response:
        return respond(Reply(body=document(base_url(request, settings.trust_proxy_headers))))

    routes = [Path("/healthcheck", healthy), Path("/openapi.json", described)]
    if settings.metrics:
        routes.insert(0, Path("/metrics", figures))
    app: ASGIApp = _Front(_Endpoint(authorizer, settings, authenticator), routes)
    cors = settings.cors
    if cors.origins:
        app = CORSMiddleware(
            app,
            allow_origins=cors.origins,
            allow_methods=cors.methods,
            allow_headers=cors.headers,
            expose_headers=cors.expose_headers,
            # Browsers refuse credentials if any origin is allowed.
            allow_credentials=cors.credentials and "*" not in cors.origins,
            max_age=cors.max_age,
        )
    return Observed(app, api="heat", access_log=settings.access_log)


class _Front:
    """Passes requests to the endpoint, except those for `routes`. The endpoint is not a route of the app beside it:
    those do not match paths with line breaks, and the layers before them take as long as a short request."""

    def __init__(self, endpoint: _Endpoint, routes: Sequence[Path]) -> None:
        self._endpoint = endpoint
        self._paths = frozenset(route.path for route in routes)
        self._others = Starlette(routes=routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._others if path_below_root(scope) in self._paths else self._endpoint
        await app(scope, receive, send)


@dataclass(frozen=True, slots=True)
class _Known:
    caller: Caller
    use_cases: UseCases | None
    """None if the rule depends on the body."""


class _Endpoint:
    """Handles a request, from routing to the response."""

    def __init__(self, authorizer: Authorizer, settings: ApiSettings, authenticator: Authenticator) -> None:
        self._authorizer = authorizer
        self._settings = settings
        self._authenticator = authenticator
        self._router = Router(ROUTES)
        self._previews = Lanes(settings.previews_at_once, WAITING)
        self._large_bodies = Lanes(settings.large_bodies_at_once, WAITING)
        self._streams = Streams(settings.streams_per_project)
        self._threads = Threads()
        # What changes of a project wait for, such as previews by this API, needs threads as well.
        self._changes = Lanes(MOST_THREADS // 2, WAITING_CHANGES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        found = self._found(request)
        if isinstance(found, Match):
            scope[ROUTE] = found.route.path
            response = await self._answer(request, found)
        else:
            response = found
        await response(scope, receive, send)

    def _found(self, request: Request) -> Match | Response:
        """The route for a request, or the response if there is none."""
        if url_length(request.scope) > self._settings.longest_url:
            return respond(Reply(414, notice(414)))
        try:
            below = unversioned(path_below_root(request.scope), request.headers.get("accept", ""))
        except VersionUnknown:
            return respond(Reply(300, versions(base_url(request, self._settings.trust_proxy_headers))))
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
                return respond(await self._threads.run(self._handled, request, found, b"", None))
            # The body of an unauthorized request is not read.
            known = await self._threads.run(self._known, request, found)
            async with self._lane(known.caller, found, size):
                raw = await bodies.receive(request, self._settings.largest_body, self._settings.body_seconds)
                with budget(_FETCHING_SECONDS):
                    return respond(await self._handle_in_lane(request, found, raw, known))
        except ServiceError as error:
            return self._refusal(error)
        except ClientDisconnect:
            raise
        except WrongKey as error:
            log.error("%s", error)
            return self._refusal(ServiceError("InvalidEncryptionKey", f"The request failed: {error}."))
        except InvalidValue as error:
            log.warning("%s", error)
            return self._refusal(BadRequest("The request has a value that the database cannot store."))
        except Exception as error:
            if is_transient(error):
                log.warning("the database does not respond")
                return self._refusal(Unavailable("The database does not respond at present."))
            log.exception("%s %s failed unexpectedly", request.method, found.route.path)
            return respond(Reply(500, unexpected_fault(error)))

    async def _handle_in_lane(
        self, request: Request, found: Match, raw: bytes, known: _Known
    ) -> Reply | Response:
        if found.route.previews:
            return await self._threads.run(self._handled, request, found, raw, known)
        async with self._changes.lane(known.caller.home):
            return await self._threads.run(self._handled, request, found, raw, known)

    @asynccontextmanager
    async def _lane(self, caller: Caller, found: Match, size: int | None) -> AsyncIterator[None]:
        """Limits the threads and memory that one project can use."""
        project = caller.home
        async with AsyncExitStack() as stack:
            if found.route.previews:
                await stack.enter_async_context(self._previews.lane(project))
            if size is None or size > bodies.LARGE:
                await stack.enter_async_context(self._large_bodies.lane(project))
            yield

    def _known(self, request: Request, found: Match) -> _Known:
        """Authenticates and authorizes the request, as far as possible without the body."""
        caller = self._authenticator.authenticate(request.headers, found.path["project"])
        fields.add(project=caller.project, user=caller.username, stack=found.path.get("stack_name"))
        rule = found.route.rule
        return _Known(caller, self._authorizer.authorize(caller, rule) if isinstance(rule, str) else None)

    def _handled(self, request: Request, found: Match, raw: bytes, known: _Known | None) -> Reply | Response:
        """Runs everything that may block: authentication and policy, unless already done, and the use case."""
        known = known or self._known(request, found)
        caller, use_cases = known.caller, known.use_cases
        rule, settings = found.route.rule, self._settings
        base = base_url(request, settings.trust_proxy_headers)
        given = bodies.parse(raw, request.headers.get("content-type", ""))
        if len(raw) > settings.largest_template:
            bodies.check_template(given, settings.largest_template)
        query = request.scope["query_string"].decode("utf-8", "replace")
        call = Call(
            caller=caller,
            method=request.method,
            base=base,
            url=base + path_below_root(request.scope),
            path=found.path,
            query=Query.parse(query),
            headers=request.headers,
            raw_query=query,
            given=given,
        )
        if use_cases is None:
            assert not isinstance(rule, str)
            use_cases = self._authorizer.authorize(caller, rule(call))
        check_caller = partial(self._known, request, found)
        api = Api(
            use_cases.queries, use_cases.commands, use_cases.policy, settings, self._streams, check_caller
        )
        return found.route.handler(api, call)

    def _refusal(self, error: ServiceError) -> Response:
        status = status_of(error)
        headers = {"WWW-Authenticate": self._authenticator.challenge} if status == 401 else {}
        return respond(Reply(status, fault(error), headers))
