"""Errors of cloud services, classified by how to handle them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keystoneauth1.exceptions import HttpError
    from requests import Response

_TRANSIENT_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
MAX_RETRY_AFTER = 60.0
"""The longest Retry-After that is respected."""
# What keystoneauth adds to a message: see `CloudError.traceable`.
_ADDITIONS = re.compile(r" \(HTTP \d+\)( \(Request-ID: [^)]*\))?\Z")
_USED_UP = re.compile(r"quota.*exceed|exceed.*quota|over limit", re.IGNORECASE | re.DOTALL)
# Remains of an HTML page in messages of Glance and Neutron.
_BREAKS = re.compile(r"(<br ?/?>|\s)+\Z")
# How many characters of an HTML page are parsed.
_MAX_PAGE = 4096
# The only text that a proxy writes below its heading: nginx/1.26.3.
_SIGNATURE = re.compile(r"[\w.-]+(/[\w.-]+)?")
# Where services put the message, in the body or in the one object in it.
_MESSAGE_KEYS = ("message", "faultstring", "detail", "explanation", "title")


class CloudError(Exception):
    """A request to a cloud service failed. `message` is the service's; the request id finds it in the service's
    logs."""

    def __init__(self, message: str, *, request_id: str | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.request_id = request_id
        self.status = status

    @property
    def traceable(self) -> str:
        """The message with the status and request id."""
        status = f" (HTTP {self.status})" if self.status else ""
        return f"{self.message}{status}" + (f" (Request-ID: {self.request_id})" if self.request_id else "")


class NotFound(CloudError):
    """The object does not exist, or no longer."""


class Conflict(CloudError):
    """The object exists already, or its state does not allow the request."""


class OverLimit(CloudError):
    """A quota is exceeded."""


class Unauthorized(CloudError):
    """The credentials are not accepted."""


class Forbidden(CloudError):
    """The user is not allowed to do this."""


class Transient(CloudError):
    """The same request may succeed later. It is not known whether it was processed."""

    retry_after: float = 0.0
    """The Retry-After of the response in seconds."""


class Permanent(CloudError):
    """The same request will fail again."""


@contextmanager
def translated() -> Iterator[None]:
    """Raises exceptions of keystoneauth as CloudErrors."""
    from keystoneauth1.exceptions import ClientException

    try:
        yield
    except ClientException as error:
        raise classify(error) from error


def classify(error: Exception) -> CloudError:
    """The CloudError for an exception of keystoneauth."""
    from keystoneauth1 import exceptions

    if isinstance(error, exceptions.HttpError):
        message = _message_of(error)
        kind = _kind(error.http_status, message)
        classified = kind(message, request_id=error.request_id, status=error.http_status)
        if isinstance(classified, Transient):
            classified.retry_after = _retry_after(error.response)
        return classified
    if isinstance(error, exceptions.SSLError):
        return Permanent(str(error))
    if isinstance(error, exceptions.ConnectionError | exceptions.DiscoveryFailure):
        return Transient(str(error))
    if isinstance(error, exceptions.AuthorizationFailure | exceptions.MissingAuthMethods):
        return Unauthorized(str(error))
    return Permanent(str(error))


def _retry_after(response: Response | None) -> float:
    """The header in seconds; OpenStack services do not use dates."""
    value = str(response.headers.get("Retry-After", "")) if response is not None else ""
    return min(float(value), MAX_RETRY_AFTER) if value.isdecimal() and value.isascii() else 0.0


def _kind(status: int, message: str) -> type[CloudError]:
    # When a quota is exceeded, Nova responds with 403, Neutron with 409, others with 413. Policies can cause 403, too.
    if status == 413 or (status in (403, 409) and _USED_UP.search(message)):
        return OverLimit
    if status in _TRANSIENT_STATUSES:
        return Transient
    kinds: dict[int, type[CloudError]] = {
        401: Unauthorized,
        403: Forbidden,
        404: NotFound,
        409: Conflict,
        410: NotFound,
    }
    return kinds.get(status, Permanent)


def _message_of(error: HttpError) -> str:
    """The service's message; keystoneauth itself finds it only in some formats."""
    try:
        body = error.response.json() if error.response is not None else None
    except (AttributeError, ValueError):
        body = None
    return _message_in(body) or _message_on_page(error) or _ADDITIONS.sub("", str(error.message))


def _message_on_page(error: HttpError) -> str | None:
    """The text below the heading of an HTML page. Proxies write only their name there; then, the heading."""
    text = str(getattr(error.response, "text", "") or "")[:_MAX_PAGE]
    heading, _, below = text.partition("</h1>")
    text = _without_tags(below)
    return _without_tags(heading.rpartition("<h1>")[2]) if _SIGNATURE.fullmatch(text) else text or None


def _without_tags(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


def _message_in(body: object) -> str | None:
    if not isinstance(body, dict):
        return None
    inner = [value for value in body.values() if isinstance(value, dict)]
    for part in (*inner, body):
        for key in _MESSAGE_KEYS:
            if isinstance(part.get(key), str) and part[key]:
                return _BREAKS.sub("", part[key])
    # Old releases of Neutron have the message as the only member.
    return next((value for value in body.values() if isinstance(value, str) and len(body) == 1), None)
