"""The volume service as an application."""

from __future__ import annotations

from http import HTTPStatus

from starlette.applications import Starlette

from calor.localcloud.types import Json
from calor.localcloud.volume import (
    actions,
    attachments,
    backups,
    group_snapshots,
    group_types,
    groups,
    infrastructure,
    qos,
    quota_sets,
    snapshots,
    transfers,
    type_details,
    types,
    versions,
    volumes,
)
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.web import Reply, service_app

_MODULES = (
    infrastructure,
    volumes,
    actions,
    snapshots,
    backups,
    attachments,
    transfers,
    types,
    type_details,
    qos,
    quota_sets,
    group_types,
    groups,
    group_snapshots,
)
_NAMES = {
    400: "badRequest",
    401: "unauthorized",
    403: "forbidden",
    404: "itemNotFound",
    405: "badMethod",
    409: "conflictingRequest",
    413: "overLimit",
    415: "badMediaType",
    429: "overLimit",
    501: "notImplemented",
    503: "serviceUnavailable",
}


def volume_app(service: VolumeService) -> Starlette:
    routes = [
        *(route.bound(service) for route in versions.ROUTES),
        *(route.bound(service) for module in _MODULES for route in module.ROUTES),
    ]
    return service_app(routes, service.context.authenticate, _error)


def _error(status: HTTPStatus, message: str, kind: str) -> object:
    words: Json = {"code": status.value, "message": message}
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        # Clients wait for other numbers of seconds, which does not help against a quota.
        return Reply(status, {"overLimit": {**words, "retryAfter": "0"}}, {"Retry-After": "0"})
    return {_NAMES.get(status.value, "computeFault"): words}
