"""Refusals, with CloudFormation's codes."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from calor.api.errors import STATUSES
from calor.service.errors import ServiceError
from calor.service.signal_limits import BUSY
from calor.store.cipher import WrongKey
from calor.store.errors import InvalidValue
from calor.store.outages import is_transient

log = logging.getLogger(__name__)

STATUSES_OF_CODES = {
    "AccessDenied": 403,
    "InvalidClientTokenId": 403,
    "MissingAuthenticationToken": 403,
    "OptInRequired": 403,
    "SignatureDoesNotMatch": 403,
    "MalformedQueryString": 404,
    "APINotImplemented": 500,
    "InternalFailure": 500,
    "ServiceUnavailable": 503,
}
"""The status by code. All others are errors of the request: 400."""
_CODES = {
    "Forbidden": "AccessDenied",
    "NotAuthorized": "AccessDenied",
    "HTTPUnauthorized": "AccessDenied",
    "StackExists": "AlreadyExists",
    "ActionInProgress": "InvalidAction",
    "RequestLimitExceeded": "RequestLimitExceeded",
    "HTTPTooManyRequests": "Throttling",
    "HTTPServiceUnavailable": "ServiceUnavailable",
}
"""The codes by kind of error. Errors of the server are InternalFailure, all others InvalidParameterValue."""


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    code: str
    message: str

    @property
    def sender(self) -> str:
        """Whose fault it is."""
        return "Sender" if self.status < 500 else "Server"


class Refused(Exception):
    """A request is refused; `code` is one of CloudFormation's."""

    def __init__(self, code: str, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.refusal = Refusal(status or STATUSES_OF_CODES.get(code, 400), code, message)


def invalid(message: str) -> Refused:
    return Refused("InvalidParameterValue", message)


def refusal_of(error: Exception) -> Refusal:
    """What to answer to an error. Errors that are not the sender's are logged."""
    if isinstance(error, Refused):
        return error.refusal
    if isinstance(error, ServiceError):
        return _of_service(error)
    if isinstance(error, InvalidValue):
        log.warning("%s", error)
        return invalid("The request has a value that the database cannot store.").refusal
    if is_transient(error):
        log.warning("the database does not respond")
        return Refused("ServiceUnavailable", "The database does not respond at present.").refusal
    if isinstance(error, WrongKey):
        log.error("%s", error)
    else:
        log.error("a request failed unexpectedly", exc_info=error)
    return Refused("InternalFailure", "The request failed; see the server's log for the reason.").refusal


def _of_service(error: ServiceError) -> Refusal:
    if error.kind == BUSY:
        return Refusal(409, "Throttling", error.message)
    if error.kind == "HTTPUnauthorized":
        return Refusal(401, "AccessDenied", error.message)
    status = STATUSES.get(error.kind, 400)
    code = _CODES.get(error.kind) or ("InternalFailure" if status >= 500 else "InvalidParameterValue")
    return Refused(code, error.message).refusal
