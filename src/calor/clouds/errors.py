"""What can go wrong in a cloud, by what can be done about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from typing import Any

_TRANSIENT_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
# What keystoneauth adds to a message: see `CloudError.traceable`.
_ADDITIONS = re.compile(r" \(HTTP \d+\)( \(Request-ID: [^)]*\))?\Z")
_USED_UP = re.compile(r"quota.*exceed|exceed.*quota|over limit", re.IGNORECASE | re.DOTALL)
# What is left of a page in a message of Glance's or Neutron's.
_BREAKS = re.compile(r"(<br ?/?>|\s)+\Z")
# All that a proxy writes below its heading: nginx/1.26.3.
_SIGNATURE = re.compile(r"[\w.-]+(/[\w.-]+)?")
# Where services put the sentence for the user, within the body or within the one object in it.
_WORDS = ("message", "faultstring", "detail", "explanation", "title")


class CloudError(Exception):
    """A cloud did not do what it was asked. `message` has the cloud's words; the request id finds them in its
    logs."""

    def __init__(self, message: str, *, request_id: str | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.request_id = request_id
        self.status = status

    @property
    def traceable(self) -> str:
        """The message with what finds it again in the cloud's logs."""
        status = f" (HTTP {self.status})" if self.status else ""
        return f"{self.message}{status}" + (f" (Request-ID: {self.request_id})" if self.request_id else "")


class NotFound(CloudError):
    """What was asked for does not exist, or no longer."""


class Conflict(CloudError):
    """It exists already, or is in a state that does not allow this."""


class OverLimit(CloudError):
    """A quota is used up."""


class Unauthorized(CloudError):
    """The cloud does not accept who is asking."""


class Forbidden(CloudError):
    """The cloud knows who is asking, and does not let them."""


class Transient(CloudError):
    """The same request may succeed later. Whether it was carried out is not known."""


class Permanent(CloudError):
    """The same request will fail again."""


@contextmanager
def translated() -> Iterator[None]:
    """Lets what keystoneauth raises come out as a CloudError."""
    from keystoneauth1.exceptions import ClientException

    try:
        yield
    except ClientException as error:
        raise classified(error) from error


def classified(error: Exception) -> CloudError:
    """The error for an exception of keystoneauth."""
    from keystoneauth1 import exceptions

    if isinstance(error, exceptions.HttpError):
        message = _words_of(error)
        kind = _kind(error.http_status, message)
        return kind(message, request_id=error.request_id, status=error.http_status)
    if isinstance(error, exceptions.SSLError):
        return Permanent(str(error))
    if isinstance(error, exceptions.ConnectionError | exceptions.DiscoveryFailure):
        return Transient(str(error))
    if isinstance(error, exceptions.AuthorizationFailure | exceptions.MissingAuthMethods):
        return Unauthorized(str(error))
    return Permanent(str(error))


def _kind(status: int, message: str) -> type[CloudError]:
    # Nova answers 403, Neutron 409, and others 413, when a quota is used up. Policies about quotas answer 403, too.
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


def _words_of(error: Any) -> str:
    """What the service wrote. keystoneauth itself understands only some of the shapes that are in use."""
    try:
        body = error.response.json()
    except (AttributeError, ValueError):
        body = None
    return _words(body) or _words_on_page(error) or _ADDITIONS.sub("", str(error.message))


def _words_on_page(error: Any) -> str | None:
    """What is said below the heading, where a service answers with a page. Proxies only sign there: the heading says it
    then."""
    text = str(getattr(error.response, "text", "") or "")
    heading, _, below = text.partition("</h1>")
    said = _bare(below)
    return _bare(heading.rpartition("<h1>")[2]) if _SIGNATURE.fullmatch(said) else said or None


def _bare(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


def _words(body: Any) -> str | None:
    if not isinstance(body, dict):
        return None
    inner = [value for value in body.values() if isinstance(value, dict)]
    for part in (*inner, body):
        for key in _WORDS:
            if isinstance(part.get(key), str) and part[key]:
                return _BREAKS.sub("", part[key])
    # Neutron of old says it without more ado.
    return next((value for value in body.values() if isinstance(value, str) and len(body) == 1), None)
