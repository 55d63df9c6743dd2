"""Whoever hangs up is nobody's error: the log has no traceback for it."""

from __future__ import annotations

import asyncio
import logging
from http import HTTPStatus
from typing import Any

import pytest

from calor.localcloud.caller import Caller
from calor.localcloud.web import Call, Reply, Route, service_app
from tests.support.api import PROJECT, Door, token
from tests.support.cfn import cfn_app

APPS = {
    "rest": f"/v1/{PROJECT}/stacks",
    "cfn": f"/v1/signal/arn:openstack:heat::{PROJECT}:stacks/s/i/resources/r",
    "cloud": "/things",
}


def hang_up(app: Any, path: str) -> None:
    """Announces a body, sends a part of it, and is gone."""
    parts = [
        {"type": "http.request", "body": b'{"stack_name', "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        return parts.pop(0) if len(parts) > 1 else parts[0]

    async def send(message: Any) -> None:
        pass

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"AWSAccessKeyId=k&Signature=s",
        "headers": [
            (b"host", b"heat.test"),
            (b"x-auth-token", token().encode()),
            (b"content-type", b"application/json"),
            (b"content-length", b"1000"),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("heat.test", 80),
    }
    asyncio.run(app(scope, receive, send))


def app_of(which: str, door: Door) -> Any:
    stage = door.stage
    match which:
        case "rest":
            return door.client.app
        case "cfn":
            return cfn_app(stage, _nobody)

    async def handler(call: Call) -> Reply:
        return Reply()

    def shape(status: HTTPStatus, message: str, kind: str) -> Any:
        return {}

    return service_app([Route("POST", "/things", handler, None)], _known, shape)


def _nobody(received: Any) -> Any:
    raise AssertionError("nobody is asked")


def _known(given: str) -> Caller | None:
    return None


@pytest.mark.parametrize("which", APPS)
def test_hanging_up_is_one_line_for_those_who_want_every_detail(
    which: str, door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    app = app_of(which, door)
    caplog.set_level(logging.DEBUG)
    hang_up(app, APPS[which])
    assert [one for one in caplog.records if one.exc_info or one.levelno > logging.INFO] == []
    reported = [one for one in caplog.records if "disconnected" in one.getMessage()]
    assert [one.levelno for one in reported] == [logging.DEBUG]
