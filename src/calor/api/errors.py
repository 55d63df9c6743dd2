"""From errors to answers."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from calor.language.view import diagnostic_view
from calor.service.availability import CODE, UNAVAILABLE
from calor.service.errors import ServiceError

STATUSES: dict[str, int] = {
    "HTTPUnauthorized": 401,
    "Forbidden": 403,
    "NotAuthorized": 403,
    "InvalidTenant": 403,
    "EntityNotFound": 404,
    "NotFound": 404,
    "ResourceNotFound": 404,
    "ResourceNotAvailable": 404,
    "SnapshotNotFound": 404,
    "HTTPNotFound": 404,
    "StackExists": 409,
    "ActionInProgress": 409,
    "HTTPConflict": 409,
    "InvalidGlobalResource": 500,
    "StopActionFailed": 500,
    "EventSendFailed": 500,
    "RevertFailed": 500,
    "ServerBuildFailed": 500,
    "InvalidEncryptionKey": 500,
    "HTTPServiceUnavailable": 503,
}
"""Status by kind. What a use case refuses for any other reason is the request's fault: 400."""

EXPLANATIONS: dict[int, str] = {
    202: "The request was accepted; the work goes on.",
    302: "What was asked for is at another address.",
    400: "The request cannot be understood or done as it is.",
    401: "The request needs valid credentials.",
    403: "Access was denied.",
    404: "There is nothing at this address.",
    405: "The method is not allowed at this address.",
    409: "The request conflicts with the present state.",
    414: "The address is too long.",
    500: "The server met an error of its own.",
    503: "The server cannot answer at present.",
}


class BadRequest(ServiceError):
    """The request has a wrong shape."""

    def __init__(self, message: str, kind: str = "HTTPBadRequest") -> None:
        super().__init__(kind, message)


class Unauthorized(ServiceError):
    def __init__(self, message: str = "The request you have made requires authentication.") -> None:
        super().__init__("HTTPUnauthorized", message)


class Unavailable(ServiceError):
    def __init__(self, message: str) -> None:
        super().__init__("HTTPServiceUnavailable", message)


def status_of(error: ServiceError) -> int:
    return STATUSES.get(error.kind, 400)


def fault(error: ServiceError) -> dict[str, Any]:
    """The body for an error of a use case. `diagnostics` is there when a template is wrong."""
    message = error.message
    if error.kind == UNAVAILABLE:
        message = f"HEAT-E{CODE} {message}"
    body = _fault(status_of(error), error.kind, message)
    if error.diagnostics:
        body["diagnostics"] = [diagnostic_view(one) for one in error.diagnostics]
    return body


def breakdown(error: Exception) -> dict[str, Any]:
    """The body for an error nobody foresaw; what it says stays in the log."""
    return _fault(
        500, type(error).__name__, "The request failed for a reason that only the server's log tells."
    )


def _fault(status: int, kind: str, message: str) -> dict[str, Any]:
    return {
        "code": status,
        "title": HTTPStatus(status).phrase,
        "explanation": EXPLANATIONS[status],
        "error": {"type": kind, "message": message, "traceback": None},
    }


def notice(status: int, message: str | None = None) -> Mapping[str, str]:
    """The body of answers that routing itself gives."""
    phrase = HTTPStatus(status).phrase
    return {"message": message or EXPLANATIONS[status], "code": f"{status} {phrase}", "title": phrase}
