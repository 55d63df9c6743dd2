"""Responses to errors."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from calor.language.diagnostic_json import diagnostic_to_json
from calor.resources.values import JsonObject
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
    "HTTPTooManyRequests": 429,
    "InvalidGlobalResource": 500,
    "StopActionFailed": 500,
    "EventSendFailed": 500,
    "RevertFailed": 500,
    "ServerBuildFailed": 500,
    "InvalidEncryptionKey": 500,
    "HTTPServiceUnavailable": 503,
}
"""The status by kind of error. All others are errors of the request: 400."""

EXPLANATIONS: dict[int, str] = {
    202: "The request was accepted and is being processed.",
    302: "The resource is at another URL.",
    400: "The request is invalid.",
    401: "The request needs valid credentials.",
    403: "Access was denied.",
    404: "There is no resource at this URL.",
    405: "The method is not allowed at this URL.",
    409: "The request conflicts with the current state.",
    414: "The URL is too long.",
    429: "Too many concurrent requests.",
    500: "An internal error occurred.",
    503: "The service is temporarily unavailable.",
}


class BadRequest(ServiceError):
    """The request is malformed."""

    def __init__(self, message: str, kind: str = "HTTPBadRequest") -> None:
        super().__init__(kind, message)


class Unauthorized(ServiceError):
    def __init__(self, message: str = "The request you have made requires authentication.") -> None:
        super().__init__("HTTPUnauthorized", message)


class TooMany(ServiceError):
    """A project has reached a limit on concurrent requests."""

    def __init__(self, message: str) -> None:
        super().__init__("HTTPTooManyRequests", message)


class Unavailable(ServiceError):
    def __init__(self, message: str) -> None:
        super().__init__("HTTPServiceUnavailable", message)


def status_of(error: ServiceError) -> int:
    return STATUSES.get(error.kind, 400)


def fault(error: ServiceError) -> JsonObject:
    """The body for an error of a use case, with `diagnostics` if a template is invalid."""
    message = error.message
    if error.kind == UNAVAILABLE:
        message = f"HEAT-E{CODE} {message}"
    body = _fault(status_of(error), error.kind, message)
    if error.diagnostics:
        body["diagnostics"] = [diagnostic_to_json(one) for one in error.diagnostics]
    return body


def unexpected_fault(error: Exception) -> JsonObject:
    """The body for an unexpected error, whose message is only logged."""
    return _fault(500, type(error).__name__, "The request failed; see the server's log for the reason.")


def _fault(status: int, kind: str, message: str) -> JsonObject:
    return {
        "code": status,
        "title": HTTPStatus(status).phrase,
        "explanation": EXPLANATIONS[status],
        "error": {"type": kind, "message": message, "traceback": None},
    }


def notice(status: int, message: str | None = None) -> Mapping[str, str]:
    """The body of responses by the router."""
    phrase = HTTPStatus(status).phrase
    return {"message": message or EXPLANATIONS[status], "code": f"{status} {phrase}", "title": phrase}
