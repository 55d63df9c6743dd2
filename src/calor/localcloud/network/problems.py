"""Errors of the network service, with Neutron's error types."""

from __future__ import annotations

from http import HTTPStatus

from calor.localcloud.problems import BadRequest, Conflict, Forbidden, NotFound
from calor.localcloud.types import Json

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


def error_body(status: HTTPStatus, message: str, kind: str) -> Json:
    if status == HTTPStatus.UNAUTHORIZED:
        # As by keystonemiddleware.
        return {"error": {"code": status.value, "title": status.phrase, "message": message}}
    return {
        "NeutronError": {"type": kind or _TYPES.get(status, "HTTPError"), "message": message, "detail": ""}
    }


class StaleRevision(Conflict):
    status = HTTPStatus.PRECONDITION_FAILED


def invalid(message: str) -> BadRequest:
    return BadRequest(f"Invalid input for operation: {message}", "InvalidInput")


def missing(label: str, identifier: str) -> NotFound:
    """`label` is the prefix of the error type: Network, SecurityGroup."""
    return NotFound(f"{label} {identifier[:255]} could not be found.", f"{label}NotFound")


def forbidden(action: str) -> Forbidden:
    return Forbidden(f"{action} is disallowed by policy.", "PolicyNotAuthorized")
