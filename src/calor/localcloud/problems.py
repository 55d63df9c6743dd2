"""Errors of requests. Each service has its own format for them."""

from __future__ import annotations

from http import HTTPStatus


class Problem(Exception):
    """Ends a request with this status; the message is for the person who sent it."""

    status = HTTPStatus.BAD_REQUEST

    def __init__(self, message: str, kind: str = "") -> None:
        """`kind` is the error type of some services, such as NetworkInUse."""
        super().__init__(message)
        self.message = message
        self.kind = kind


class BadRequest(Problem):
    pass


class Unauthorized(Problem):
    status = HTTPStatus.UNAUTHORIZED

    def __init__(self, message: str = "The request you have made requires authentication.") -> None:
        super().__init__(message)


class Forbidden(Problem):
    status = HTTPStatus.FORBIDDEN


class NotFound(Problem):
    status = HTTPStatus.NOT_FOUND

    @classmethod
    def of(cls, kind: str, identifier: str) -> NotFound:
        return cls(f"Could not find {kind}: {identifier[:255]}.")


class RequestTimeout(Problem):
    status = HTTPStatus.REQUEST_TIMEOUT


class InsufficientStorage(Problem):
    status = HTTPStatus.INSUFFICIENT_STORAGE


class TooLarge(Problem):
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class UnsupportedMedia(Problem):
    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE


class Conflict(Problem):
    status = HTTPStatus.CONFLICT


class OverLimit(Problem):
    """A quota is exceeded. Services use different statuses: see `status`."""

    status = HTTPStatus.FORBIDDEN

    def __init__(self, message: str, kind: str = "OverQuota", status: HTTPStatus | None = None) -> None:
        super().__init__(message, kind)
        if status is not None:
            self.status = status


class RangeNotSatisfiable(Problem):
    status = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE


class NotAcceptable(Problem):
    status = HTTPStatus.NOT_ACCEPTABLE


class PreconditionFailed(Problem):
    status = HTTPStatus.PRECONDITION_FAILED


class LengthRequired(Problem):
    status = HTTPStatus.LENGTH_REQUIRED


class Unprocessable(Problem):
    status = HTTPStatus.UNPROCESSABLE_ENTITY
