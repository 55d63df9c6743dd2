"""What the network service refuses, with the names that its clients know."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from calor.localcloud.problems import BadRequest, Conflict, Forbidden, NotFound

_TYPES = {
    HTTPStatus.BAD_REQUEST: "HTTPBadRequest",
    HTTPStatus.FORBIDDEN: "PolicyNotAuthorized",
    HTTPStatus.NOT_FOUND: "HTTPNotFound",
    HTTPStatus.METHOD_NOT_ALLOWED: "HTTPMethodNotAllowed",
    HTTPStatus.CONFLICT: "HTTPConflict",
    HTTPStatus.PRECONDITION_FAILED: "RevisionNumberConstraintFailed",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "HTTPRequestEntityTooLarge",
    HTTPStatus.INTERNAL_SERVER_ERROR: "HTTPInternalServerError",
}


def error_body(status: HTTPStatus, message: str, kind: str) -> dict[str, Any]:
    if status == HTTPStatus.UNAUTHORIZED:
        # Answered before the service itself is asked, in the identity service's words.
        return {"error": {"code": status.value, "title": status.phrase, "message": message}}
    return {
        "NeutronError": {"type": kind or _TYPES.get(status, "HTTPError"), "message": message, "detail": ""}
    }


class StaleRevision(Conflict):
    status = HTTPStatus.PRECONDITION_FAILED


def invalid(message: str) -> BadRequest:
    return BadRequest(f"Invalid input for operation: {message}", "InvalidInput")


def missing(label: str, identifier: str) -> NotFound:
    """`label` is what the type of the error begins with: Network, SecurityGroup."""
    return NotFound(f"{label} {identifier[:255]} could not be found.", f"{label}NotFound")


def forbidden(action: str) -> Forbidden:
    return Forbidden(f"{action} is disallowed by policy.", "PolicyNotAuthorized")
