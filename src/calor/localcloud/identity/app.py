"""The identity service as an application."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus

from starlette.applications import Starlette

from calor.localcloud.identity import (
    application_credentials,
    assignments,
    auth,
    credentials,
    domains,
    groups,
    projects,
    roles,
    services,
    trusts,
    users,
    versions,
)
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.identity.tokens import caller_of
from calor.localcloud.types import Json
from calor.localcloud.web import service_app

_MODULES = (
    auth,
    versions,
    projects,
    users,
    roles,
    domains,
    groups,
    assignments,
    trusts,
    application_credentials,
    credentials,
    services,
)


def identity_app(identity: IdentityService) -> Starlette:
    routes = [route.bound(identity) for module in _MODULES for route in module.ROUTES]
    return service_app(routes, partial(caller_of, identity), _error)


def _error(status: HTTPStatus, message: str, kind: str) -> Json:
    return {"error": {"code": status.value, "title": status.phrase, "message": message}}
