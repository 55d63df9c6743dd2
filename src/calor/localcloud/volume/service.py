"""The volume service put together."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette

from calor.localcloud.volume import (
    actions,
    attachments,
    backups,
    discovery,
    group_snapshots,
    group_types,
    groups,
    qos,
    quota_sets,
    snapshots,
    transfers,
    type_details,
    types,
    volumes,
)
from calor.localcloud.volume.state import VolumeService
from calor.localcloud.web import Reply, service_app

_MODULES = (
    discovery,
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
    bound = [each.bound(service) for module in _MODULES for each in module.ROUTES]
    return service_app([*discovery.OPEN_ROUTES, *bound], service.ground.authenticate, _error)


def _error(status: HTTPStatus, message: str, kind: str) -> Any:
    words: dict[str, Any] = {"code": status.value, "message": message}
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        # Waiting does not help against a quota, and clients would take any other number for a time to wait.
        return Reply(status, {"overLimit": {**words, "retryAfter": "0"}}, {"Retry-After": "0"})
    return {_NAMES.get(status.value, "computeFault"): words}
