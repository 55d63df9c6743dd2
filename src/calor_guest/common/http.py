"""HTTP requests with limits for time and size, and retries where these help."""

import json
import time
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Optional

if TYPE_CHECKING:
    from ssl import SSLContext
    from urllib.error import HTTPError

LARGEST = 32 << 20
_BODY_TIMEOUTS = 6
"""How many time-outs a whole body may take. One time-out limits a single wait."""
TRANSIENT = frozenset({500, 502, 503, 504})
"""Statuses of servers that may answer if asked again."""


class Response(NamedTuple):
    status: int
    headers: Mapping[str, str]
    """By names in lower case."""
    body: bytes

    def json(self) -> Any:
        """Raises ValueError."""
        return json.loads(self.body.decode("utf-8"))


class RequestFailed(Exception):
    """A request got no response (`status` is 0) or an error."""

    def __init__(self, message: str, status: int = 0) -> None:
        Exception.__init__(self, message)
        self.status = status

    @property
    def is_transient(self) -> bool:
        return self.status == 0 or self.status in TRANSIENT


class Tls(NamedTuple):
    """How servers are verified."""

    ca_file: Optional[str] = None
    insecure: bool = False

    def context(self) -> "SSLContext":
        import ssl

        context = ssl.create_default_context(cafile=self.ca_file or None)
        if self.insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context


VERIFIED = Tls()


def send(
    method: str,
    url: str,
    body: Optional[bytes] = None,
    headers: Optional[Mapping[str, str]] = None,
    timeout: float = 10.0,
    tls: Tls = VERIFIED,
) -> Response:
    """Sends one request. Raises RequestFailed. A 304 is a response, since those who send conditions expect it."""
    # Imported late: these take longer to load than most programs run that never send anything.
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    try:
        request = Request(url, data=body, headers=dict(headers or {}), method=method)
        context = tls.context() if url.lower().startswith("https:") else None
        with urlopen(request, timeout=timeout, context=context) as answer:
            return _received(answer, timeout)
    except HTTPError as error:
        if error.code == 304:
            return _received(error, timeout)
        raise RequestFailed(
            f"{method} {_shown(url)}: {error.code} {error.reason}{_excerpt(error)}", error.code
        ) from None
    except (OSError, ValueError, HTTPException) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise RequestFailed(f"{method} {_shown(url)}: {reason}") from None


def with_retries(
    call: Callable[[], Response],
    attempts: int = 11,
    backoff: float = 0.5,
    sleep: Callable[[float], None] = time.sleep,
) -> Response:
    """Repeats a request that failed with a transient error, with pauses that double. Raises RequestFailed."""
    for attempt in range(attempts - 1):
        try:
            return call()
        except RequestFailed as error:
            if not error.is_transient:
                raise
            sleep(backoff * 2**attempt)
    return call()


def send_json(
    method: str,
    url: str,
    value: Any,
    headers: Optional[Mapping[str, str]] = None,
    timeout: float = 10.0,
    tls: Tls = VERIFIED,
) -> Response:
    body = json.dumps(value).encode("utf-8")
    return send(method, url, body, dict(headers or {}, **{"Content-Type": "application/json"}), timeout, tls)


def _received(answer: Any, timeout: float) -> Response:
    body, until = b"", time.monotonic() + _BODY_TIMEOUTS * timeout
    for piece in iter(lambda: answer.read1(1 << 20), b""):
        body += piece
        if len(body) > LARGEST:
            raise ValueError(f"the response is larger than {LARGEST >> 20} MiB")
        if time.monotonic() > until:
            raise ValueError("the response takes too long")
    names = {name.lower(): value for name, value in answer.headers.items()}
    return Response(int(getattr(answer, "status", None) or answer.getcode()), names, body)


def _shown(url: str) -> str:
    """Without the query, which may hold a signature."""
    return url.partition("?")[0]


def _excerpt(error: "HTTPError") -> str:
    """The beginning of the error's body."""
    try:
        text = error.read(500).decode("utf-8", "replace")
    except OSError:
        return ""
    return ": {}".format(" ".join(text.split())) if text.strip() else ""
