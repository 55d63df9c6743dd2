"""Microversions of the compute API."""

from __future__ import annotations

import re
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from calor.localcloud.problems import BadRequest, NotAcceptable, Problem
from calor.localcloud.web import Call

Version = tuple[int, int]

FIRST: Version = (2, 1)
LAST: Version = (2, 96)
_GENERAL, _OWN = "OpenStack-API-Version", "X-OpenStack-Nova-API-Version"


def version_of(call: Call) -> Version:
    return _requested_version(call.headers)


def format_version(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def _requested_version(headers: Mapping[str, str]) -> Version:
    """The requested version; the first one by default."""
    text = headers.get(_OWN, "")
    for part in headers.get(_GENERAL, "").split(","):
        service, _, version = part.strip().partition(" ")
        if service == "compute":
            text = version.strip()
    if not text:
        return FIRST
    if text == "latest":
        return LAST
    if not re.fullmatch(r"[1-9]\d{0,5}\.(0|[1-9]\d{0,5})", text):
        raise BadRequest(f"API version string {text[:40]} is of invalid format: it must be of the form 2.1.")
    major, _, minor = text.partition(".")
    asked = (int(major), int(minor))
    if not FIRST <= asked <= LAST:
        raise NotAcceptable(
            f"Version {text} is not supported by the API."
            f" Minimum is {format_version(FIRST)} and maximum is {format_version(LAST)}."
        )
    return asked


class MicroversionHeaders:
    """Adds the version headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            version = format_version(_requested_version(Headers(scope=scope)))
        except Problem:
            version = format_version(FIRST)

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers[_GENERAL] = f"compute {version}"
                headers[_OWN] = version
                headers.add_vary_header(_GENERAL)
                headers.add_vary_header(_OWN)
            await send(message)

        await self._app(scope, receive, send_marked)
