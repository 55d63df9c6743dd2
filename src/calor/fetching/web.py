"""Fetches http and https URLs from allowed addresses, with limits for time and size."""

from __future__ import annotations

import base64
import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException, HTTPResponse
from ipaddress import ip_address
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from calor.fetching.addresses import PUBLIC_ONLY, Allowed
from calor.fetching.connections import AddressNotAllowed, Connection, Deadline, resolve_allowed
from calor.fetching.slots import budget_end

TIMEOUT = 20.0
_PORTS = {"http": 80, "https": 443}
_MOVED = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 5
_PIECE = 65_536
_SAFE = "%/:=&?~#+!$,;'@()*[]"
"""Characters that are not quoted in URLs; with the percent sign, since URLs are quoted already."""


@dataclass(frozen=True)
class Fetcher:
    """Fetches on the calling thread. All methods raise OSError with the reason."""

    allowed: Allowed = PUBLIC_ONLY
    timeout: float = TIMEOUT
    """Seconds for the whole request, with DNS lookups and redirects."""
    idle_timeout: float | None = None
    """Seconds for each step, if that is less."""

    def text(self, url: str, largest: int) -> str:
        return b"".join(self.pieces(url, largest)).decode("utf-8", "replace")

    def pieces(self, url: str, largest: int) -> Iterator[bytes]:
        """The content, piece by piece."""
        deadline = Deadline(self.timeout, self.idle_timeout, budget_end())
        for _ in range(_MOST_REDIRECTS + 1):
            connection, parts = self._connect(url, deadline)
            with closing(_Closing(connection)):
                answer = _request(connection, parts)
                if answer.status not in _MOVED:
                    yield from _content(answer, largest)
                    return
                url = urljoin(url, answer.getheader("Location", ""))
        raise OSError("too many redirects")

    def _connect(self, url: str, deadline: Deadline) -> tuple[Connection, SplitResult]:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme)
        except ValueError as error:
            raise OSError(str(error)) from None
        if parts.scheme not in _PORTS or not host or not port:
            raise OSError(f"{url} is not an http or https address")
        tls = _tls() if parts.scheme == "https" else None
        proxy = _proxy(parts)
        if proxy is None:
            addresses = resolve_allowed(host, port, self.allowed, deadline)
            return Connection(host, port, addresses, deadline, tls), parts
        self._check_for_proxy(host, port, deadline)
        at = proxy.hostname or "", proxy.port or 3128
        addresses = socket.getaddrinfo(*at, type=socket.SOCK_STREAM)
        return Connection(host, port, addresses, deadline, tls, at), parts

    def _check_for_proxy(self, host: str, port: int, deadline: Deadline) -> None:
        """Checks the host as far as it can be resolved here. The operator's proxy resolves names itself."""
        try:
            ip_address(host)
        except ValueError:
            try:
                resolve_allowed(host, port, self.allowed, deadline)
            except AddressNotAllowed:
                raise
            except OSError:
                return
            return
        resolve_allowed(host, port, self.allowed, deadline)


class _Closing:
    def __init__(self, connection: Connection) -> None:
        self.close = connection.end


def _proxy(parts: SplitResult) -> SplitResult | None:
    written = getproxies_environment().get(parts.scheme)
    if not written or proxy_bypass(parts.hostname or ""):
        return None
    return urlsplit(written if "://" in written else f"http://{written}")


def _request(connection: Connection, parts: SplitResult) -> HTTPResponse:
    try:
        target = quote(parts.path or "/", _SAFE) + (f"?{quote(parts.query, _SAFE)}" if parts.query else "")
        if parts.scheme == "http" and _proxy(parts) is not None:
            target = f"http://{_host(parts)}{target}"
        headers = {"Host": _host(parts), "User-Agent": "calor", "Accept-Encoding": "identity"}
        if parts.username:
            known = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
            headers["Authorization"] = f"Basic {base64.b64encode(known).decode()}"
        connection.request("GET", target, headers={**headers, "Connection": "close"})
        return connection.getresponse()
    except (HTTPException, ValueError) as error:
        raise OSError(f"the server sent no valid HTTP response: {error or type(error).__name__}") from None


def _host(parts: SplitResult) -> str:
    written = parts.netloc.rpartition("@")[2]
    return written if written.isascii() else written.encode("idna").decode()


def _content(answer: HTTPResponse, largest: int) -> Iterator[bytes]:
    if answer.status != 200:
        raise OSError(f"{answer.status} {answer.reason}"[:200])
    if answer.getheader("Content-Encoding", "identity").lower() not in ("", "identity"):
        raise OSError("the response has an unexpected Content-Encoding")
    size = 0
    try:
        while piece := answer.read(_PIECE):
            size += len(piece)
            if size > largest:
                raise OSError(f"it is larger than {largest} bytes")
            yield piece
    except (HTTPException, ValueError) as error:
        raise OSError(f"the response is incomplete: {error or type(error).__name__}") from None


@cache
def _tls() -> ssl.SSLContext:
    """The default certificate authorities, or those of a file in the environment."""
    import certifi

    file = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    context = ssl.create_default_context(cafile=file)
    if not file:
        # The system may have none.
        context.load_verify_locations(certifi.where())
    return context
