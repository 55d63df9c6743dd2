"""HTTP requests over persistent connections, with the standard library: importing one of the usual HTTP libraries takes
longer than running most commands."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, responses
from typing import Any
from urllib.parse import urlsplit

from calor import __version__
from calor.cli.api.settings import CloudSettings
from calor.cli.errors import CommandError, Unavailable

TIMEOUT = 60.0
_LOOKED_AT = 4096
_SHOWN = 300
_KEPT_SECONDS = 2.0
"""How long an idle connection is reused: servers close idle connections after a while."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    """The names are in lower case."""
    body: bytes

    def json(self) -> Any:
        """The content of the body, or None if it is not valid JSON."""
        try:
            return json.loads(self.body) if self.body else None
        except ValueError:
            return None

    def words(self) -> str:
        """A body that is not JSON, in one line; of an HTML page, as proxies send them, the status and the title."""
        text = self.body[:_LOOKED_AT].decode("utf-8", "replace").strip()
        if not text.startswith("<") and "html" not in self.headers.get("content-type", ""):
            return " ".join(text.split())[:_SHOWN]
        from html import unescape

        found = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        title = " ".join(unescape(found[1]).split())[:_SHOWN] if found else responses.get(self.status, "")
        return title if title.startswith(str(self.status)) else f"{self.status} {title}".strip()


class Http:
    def __init__(self, settings: CloudSettings, *, debug: bool = False) -> None:
        self._settings = settings
        self._debug = debug
        self._open: dict[str, tuple[HTTPConnection, float]] = {}

    def send(
        self, method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Answer:
        """Raises Unavailable if there is no response."""
        place = _place(url)
        kept, used = self._open.pop(place, (None, 0.0))
        if kept is not None and time.monotonic() - used > _KEPT_SECONDS:
            kept.close()
            kept = None
        began = time.monotonic()
        try:
            connection = kept or self._connect(url, TIMEOUT)
            answer = self._ask(connection, method, url, headers, body)
            content = answer.read()
        except (OSError, HTTPException, ValueError) as error:
            raise _unreachable(url, error) from None
        if answer.will_close:
            connection.close()
        else:
            self._open[place] = (connection, time.monotonic())
        if self._debug:
            spent = (time.monotonic() - began) * 1000
            request_id = answer.headers.get("x-openstack-request-id", "")
            print(f"{method} {url} {answer.status} {spent:.0f} ms {request_id}".rstrip(), file=sys.stderr)
        return Answer(answer.status, _lower(answer), content)

    def lines(
        self, url: str, headers: Mapping[str, str], silence: float
    ) -> tuple[Answer | None, Iterator[str]]:
        """The lines of a response as they arrive, at most `silence` seconds apart; or, if it is an error, the response.
        The lines end early if the connection breaks. Raises Unavailable if there is no response."""
        try:
            connection = self._connect(url, silence)
            answer = self._ask(connection, "GET", url, headers, None)
            if answer.status != 200:
                refusal = Answer(answer.status, _lower(answer), answer.read())
                connection.close()
                return refusal, iter(())
        except (OSError, HTTPException, ValueError) as error:
            raise _unreachable(url, error) from None
        return None, _read_lines(connection, answer)

    def _ask(
        self,
        connection: HTTPConnection,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        body: bytes | None,
    ) -> HTTPResponse:
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if getattr(connection, "whole_address", False):
            target = url
        connection.request(
            method, target, body=body, headers={"User-Agent": f"calor/{__version__}", **(headers or {})}
        )
        return connection.getresponse()

    def _connect(self, url: str, timeout: float) -> HTTPConnection:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("not an http or https URL")
        proxy = _proxy(parts.scheme, parts.hostname)
        host, port = parts.hostname, parts.port
        via_host, via_port = (proxy.hostname or "", proxy.port or 80) if proxy else (host, port)
        if parts.scheme == "http":
            connection = HTTPConnection(via_host, via_port, timeout=timeout)
            if proxy:
                connection.whole_address = True  # type: ignore[attr-defined]
            return connection
        secure = HTTPSConnection(via_host, via_port, timeout=timeout, context=self._tls())
        if proxy:
            secure.set_tunnel(host, port)
        return secure

    def _tls(self) -> Any:
        import ssl

        settings = self._settings
        try:
            context = ssl.create_default_context(cafile=settings.cacert)
            if settings.cert:
                context.load_cert_chain(settings.cert, settings.key)
        except OSError as error:
            named = ", ".join(one for one in (settings.cacert, settings.cert, settings.key) if one)
            raise CommandError(f"{named} cannot be used: {error.strerror or error}") from None
        if not settings.verify:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context


def _read_lines(connection: HTTPConnection, answer: HTTPResponse) -> Iterator[str]:
    try:
        # An incomplete line is dropped.
        while (line := answer.readline()).endswith(b"\n"):
            yield line.decode("utf-8", "replace").rstrip("\r\n")
    except (OSError, HTTPException, ValueError):
        return
    finally:
        connection.close()


def _lower(answer: HTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in answer.getheaders()}


def _proxy(scheme: str, host: str) -> Any:
    """The proxy for a host according to the environment, if any."""
    if not any(name.lower().endswith("_proxy") and value for name, value in os.environ.items()):
        return None
    from urllib.request import getproxies, proxy_bypass

    stated = getproxies().get(scheme)
    return urlsplit(stated) if stated and not proxy_bypass(host) else None


def _place(url: str) -> str:
    """`http://host:port`; also for what is not a URL, so that messages can quote it."""
    return "/".join(url.split("/", 3)[:3])


def _unreachable(url: str, error: Exception) -> Unavailable:
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    hint = ""
    if isinstance(error, ConnectionRefusedError):
        hint = "is the server running? `calor serve` starts one"
    elif "CERTIFICATE_VERIFY_FAILED" in str(error):
        reason, hint = "its certificate cannot be verified", "name the authority with --os-cacert"
    return Unavailable(f"{_place(url)} does not answer: {reason}", hint)
