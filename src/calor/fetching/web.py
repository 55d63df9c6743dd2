"""The one fetcher: http and https, from public addresses, within a deadline and a size."""

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
from calor.fetching.connecting import Connection, Deadline, Refused, checked_places
from calor.fetching.turns import budget_end

TIMEOUT = 20.0
_PORTS = {"http": 80, "https": 443}
_MOVED = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 5
_PIECE = 65_536
_SAFE = "%/:=&?~#+!$,;'@()*[]"
"""What needs no quoting in an address, a percent sign among it: it is quoted already."""


@dataclass(frozen=True)
class Fetcher:
    """Fetches on the calling thread. All methods raise OSError with the reason."""

    allowed: Allowed = PUBLIC_ONLY
    timeout: float = TIMEOUT
    """Seconds for everything: names, redirects and the last byte."""
    patience: float | None = None
    """Seconds to wait for the next piece, where that is less."""

    def text(self, url: str, largest: int) -> str:
        return b"".join(self.pieces(url, largest)).decode("utf-8", "replace")

    def pieces(self, url: str, largest: int) -> Iterator[bytes]:
        """The content, piece by piece."""
        deadline = Deadline(self.timeout, self.patience, budget_end())
        for _ in range(_MOST_REDIRECTS + 1):
            connection, parts = self._connected(url, deadline)
            with closing(_Ending(connection)):
                answer = _asked(connection, parts)
                if answer.status not in _MOVED:
                    yield from _content(answer, largest)
                    return
                url = urljoin(url, answer.getheader("Location", ""))
        raise OSError("it is redirected too often")

    def _connected(self, url: str, deadline: Deadline) -> tuple[Connection, SplitResult]:
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
            places = checked_places(host, port, self.allowed, deadline)
            return Connection(host, port, places, deadline, tls), parts
        self._check_for_proxy(host, port, deadline)
        at = proxy.hostname or "", proxy.port or 3128
        places = socket.getaddrinfo(*at, type=socket.SOCK_STREAM)
        return Connection(host, port, places, deadline, tls, at), parts

    def _check_for_proxy(self, host: str, port: int, deadline: Deadline) -> None:
        """The operator's proxy resolves names by itself. Those that are unknown here are left to it."""
        try:
            ip_address(host)
        except ValueError:
            try:
                checked_places(host, port, self.allowed, deadline)
            except Refused:
                raise
            except OSError:
                return
            return
        checked_places(host, port, self.allowed, deadline)


class _Ending:
    def __init__(self, connection: Connection) -> None:
        self.close = connection.end


def _proxy(parts: SplitResult) -> SplitResult | None:
    written = getproxies_environment().get(parts.scheme)
    if not written or proxy_bypass(parts.hostname or ""):
        return None
    return urlsplit(written if "://" in written else f"http://{written}")


def _asked(connection: Connection, parts: SplitResult) -> HTTPResponse:
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
        raise OSError(f"it is not answered in HTTP: {error or type(error).__name__}") from None


def _host(parts: SplitResult) -> str:
    written = parts.netloc.rpartition("@")[2]
    return written if written.isascii() else written.encode("idna").decode()


def _content(answer: HTTPResponse, largest: int) -> Iterator[bytes]:
    if answer.status != 200:
        raise OSError(f"{answer.status} {answer.reason}"[:200])
    if answer.getheader("Content-Encoding", "identity").lower() not in ("", "identity"):
        raise OSError("it is compressed, which was not asked for")
    size = 0
    try:
        while piece := answer.read(_PIECE):
            size += len(piece)
            if size > largest:
                raise OSError(f"it is larger than {largest} bytes")
            yield piece
    except (HTTPException, ValueError) as error:
        raise OSError(f"it breaks off: {error or type(error).__name__}") from None


@cache
def _tls() -> ssl.SSLContext:
    """Whom everybody believes, or those of a file that the environment names."""
    import certifi

    file = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    context = ssl.create_default_context(cafile=file)
    if not file:
        # A machine may have none of its own.
        context.load_verify_locations(certifi.where())
    return context
