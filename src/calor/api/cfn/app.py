"""The CFN API as an ASGI application."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from calor.api.addresses import base_url, versions
from calor.api.cfn import estimate_pages
from calor.api.cfn.authentication import Authentication
from calor.api.cfn.endpoint import ActionEndpoint, EndpointSettings
from calor.api.cfn.signals import SignalHandler
from calor.api.health import healthcheck
from calor.api.observing import ROUTE, Observed
from calor.service.authorization import Authorizer
from calor.store.database import Database, reading


def create_cfn_app(
    database: Database,
    authorizer: Authorizer,
    authentication: Authentication,
    settings: EndpointSettings | None = None,
    *,
    access_log: bool = True,
) -> Starlette:
    """The app. It responds to a signal when it is stored or, for a wait condition, handled."""
    settings = settings or EndpointSettings()
    signals = SignalHandler(reading(database), authorizer, authentication)
    actions = ActionEndpoint(authorizer, authentication, settings)

    async def signal(request: Request) -> Response:
        request.scope[ROUTE] = "/signal"
        return await signals.answer(request, wait=False)

    async def wait_condition(request: Request) -> Response:
        request.scope[ROUTE] = "/waitcondition"
        return await signals.answer(request, wait=True)

    def healthy(request: Request) -> Response:
        return healthcheck(authorizer.services)

    async def listed(request: Request) -> Response:
        return JSONResponse(versions(base_url(request, settings.trust_proxy_headers)), 300)

    async def estimate(request: Request) -> Response:
        request.scope[ROUTE] = "/estimate"
        return settings.actions.estimate_pages.response(request.query_params.get(estimate_pages.FIELD, ""))

    return Starlette(
        routes=[
            Route("/v1/signal/{arn:path}", signal, methods=["POST"]),
            Route("/v1/waitcondition/{arn:path}", wait_condition, methods=["PUT"]),
            Route(estimate_pages.PATH, estimate),
            Route("/v1", actions.answer, methods=["GET", "POST"]),
            Route("/v1/", actions.answer, methods=["GET", "POST"]),
            Route("/healthcheck", healthy),
            Route("/", listed),
            Route("/versions", listed),
        ],
        middleware=[Middleware(Observed, api="cfn", access_log=access_log, confidential_queries=True)],
    )
