"""The compute service as an application."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from http import HTTPStatus
from inspect import isawaitable

from starlette.types import ASGIApp

from calor.localcloud.backend import BackendError
from calor.localcloud.compute import (
    aggregates,
    attachments,
    consoles,
    extra_specs,
    flavors,
    hypervisors,
    infrastructure,
    interfaces,
    keypairs,
    other_actions,
    power,
    quota_sets,
    rebuild_resize,
    server_groups,
    server_metadata,
    servers,
    shelving,
    versions,
)
from calor.localcloud.compute.actions import dispatcher
from calor.localcloud.compute.microversions import MicroversionHeaders, version_of
from calor.localcloud.compute.policy import members_or_admins
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.problems import Forbidden, NotFound, Problem
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply, Route, service_app

_MODULES = (
    servers,
    consoles,
    server_metadata,
    interfaces,
    attachments,
    flavors,
    extra_specs,
    keypairs,
    server_groups,
    aggregates,
    infrastructure,
    hypervisors,
    quota_sets,
)
_ACT = dispatcher(
    {
        **power.ACTIONS,
        **rebuild_resize.ACTIONS,
        **shelving.ACTIONS,
        **consoles.ACTIONS,
        **other_actions.ACTIONS,
    }
)
_ACTION_ROUTE = ComputeRoute("POST", "/servers/{server_id}/action", _ACT, members_or_admins)

_KINDS = {
    400: "badRequest",
    401: "unauthorized",
    403: "forbidden",
    404: "itemNotFound",
    405: "badMethod",
    406: "notAcceptable",
    409: "conflictingRequest",
    413: "overLimit",
    415: "badMediaType",
    429: "overLimit",
    501: "notImplemented",
    503: "serviceUnavailable",
}


class _Broken(Problem):
    status = HTTPStatus.INTERNAL_SERVER_ERROR


def compute_app(compute: ComputeService) -> ASGIApp:
    variants: dict[tuple[str, str], list[ComputeRoute]] = {}
    for each in (_ACTION_ROUTE, *(route for module in _MODULES for route in module.ROUTES)):
        variants.setdefault((each.method, each.path), []).append(each)
    routes = [
        Route(method, f"{prefix}{path}", partial(_answer, compute, group), _known)
        for prefix in ("/v2.1", "/v2")
        for (method, path), group in variants.items()
    ]
    routes += [
        Route("GET", "/", partial(versions.list_versions, compute), None),
        Route("GET", "/v2", partial(versions.get_first_version, compute), None),
        Route("GET", "/v2/", partial(versions.get_first_version, compute), None),
        Route("GET", "/v2.1", partial(versions.get_version, compute), None),
        Route("GET", "/v2.1/", partial(versions.get_version, compute), None),
        Route("GET", "/console", partial(consoles.show_console, compute), None),
    ]
    return MicroversionHeaders(service_app(routes, compute.context.authenticate, _error))


def _known(call: Call) -> bool:
    """For all valid tokens. The rule is checked later, since it depends on the microversion."""
    return True


async def _answer(compute: ComputeService, variants: Iterable[ComputeRoute], call: Call) -> Reply:
    version = version_of(call)
    for route in variants:
        if route.since <= version <= route.until:
            if not route.rule(call):
                raise Forbidden("You are not authorized to perform the requested action.")
            try:
                reply = route.handler(compute, call)
                return await reply if isawaitable(reply) else reply
            except BackendError as error:
                raise _Broken(str(error)) from None
    raise NotFound("The resource could not be found in this version of the API.")


def _error(status: HTTPStatus, message: str, kind: str) -> Json:
    return {_KINDS.get(status.value, "computeFault"): {"code": status.value, "message": message}}
