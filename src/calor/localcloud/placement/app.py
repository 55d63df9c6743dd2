"""The placement service as an application."""

from __future__ import annotations

from http import HTTPStatus

from starlette.applications import Starlette

from calor.localcloud.placement import allocations, providers, versions
from calor.localcloud.placement.service import PlacementService
from calor.localcloud.types import Json
from calor.localcloud.web import service_app


def placement_app(service: PlacementService) -> Starlette:
    routes = [
        *(route.bound(service) for route in versions.ROUTES),
        *(route.bound(service) for route in (*providers.ROUTES, *allocations.ROUTES)),
    ]
    return service_app(routes, service.context.authenticate, _error)


def _error(status: HTTPStatus, message: str, kind: str) -> Json:
    return {"errors": [{"status": status.value, "title": status.phrase, "detail": message}]}
