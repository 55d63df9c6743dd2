"""The identity service put together."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import Any

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
from calor.localcloud.identity.state import Identity
from calor.localcloud.identity.tokens import caller_of
from calor.localcloud.web import Route, service_app

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


def identity_app(identity: Identity) -> Starlette:
    routes = [
        Route(each.method, each.path, partial(each.handler, identity), each.rule)
        for module in _MODULES
        for each in module.ROUTES
    ]
    return service_app(routes, partial(caller_of, identity), _error)


def _error(status: HTTPStatus, message: str, kind: str) -> dict[str, Any]:
    return {"error": {"code": status.value, "title": status.phrase, "message": message}}
