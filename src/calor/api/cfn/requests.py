"""Requests as they are received, for signatures and for actions."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request

from calor.clouds.ec2 import ReceivedRequest


def received(
    request: Request,
    query: Mapping[str, str],
    form: Mapping[str, str] | None = None,
    body: bytes = b"",
) -> ReceivedRequest:
    raw = request.scope.get("raw_path") or request.url.path.encode()
    return ReceivedRequest(
        verb=request.method,
        host=request.headers.get("host", ""),
        path=raw.decode("latin-1").partition("?")[0],
        query=query,
        form=form or {},
        headers=dict(request.headers),
        body=body,
    )
