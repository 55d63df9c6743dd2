"""Fault injection for tests: admins can configure faults and delays at /faults.

A fault selects requests (by method, a pattern for the path, or the nth of them) and defines their treatment:
they are delayed, fail without being carried out, are carried out but fail, or their
connection is closed, before or after they are carried out.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from uuid import uuid4

from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from calor.bounded.errors import TooSlow
from calor.bounded.evaluator import evaluator
from calor.localcloud.caller import Authenticate
from calor.localcloud.policy import admins
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.requests import boolean, nullable, shape, text, whole
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply, Route, service_app

FAULTS = "/faults"
"""The path of the API."""


@dataclass(frozen=True)
class Fault:
    id: str
    method: str | None = None
    """None matches all methods."""
    path: str = ".*"
    """A regular expression that must match the whole path."""
    skip: int = 0
    """The number of matching requests to skip first."""
    times: int | None = None
    """The number of requests to affect; None means all."""
    delay: float = 0.0
    """Seconds by which requests are delayed."""
    status: int | None = None
    """The status of the response."""
    message: str = "An injected fault."
    drop: bool = False
    """Whether the connection is closed in the middle of the answer."""
    carried_out: bool = False
    """Whether failed or dropped requests are carried out."""
    hits: int = 0


class FaultInjection:
    """The active faults, oldest first."""

    def __init__(self) -> None:
        self._faults: dict[str, Fault] = {}

    def add(self, fault: Fault) -> None:
        self._faults[fault.id] = fault

    def remove(self, id: str) -> bool:
        return self._faults.pop(id, None) is not None

    def clear(self) -> None:
        self._faults.clear()

    def all(self) -> list[Fault]:
        return list(self._faults.values())

    def hit(self, method: str, path: str) -> Fault | None:
        """Returns the first fault that affects a request, and counts the hit."""
        for fault in self.all():
            if fault.method not in (None, method) or not _hits(fault.path, path):
                continue
            if fault.skip:
                self._faults[fault.id] = replace(fault, skip=fault.skip - 1)
                continue
            if fault.times is not None and fault.hits >= fault.times:
                continue
            self._faults[fault.id] = replace(fault, hits=fault.hits + 1)
            return fault
        return None


class FaultyApp:
    """Applies faults to requests."""

    def __init__(self, app: ASGIApp, faults: FaultInjection) -> None:
        self._app = app
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = scope["type"] == "http" and not scope["path"].startswith(FAULTS)
        fault = self._faults.hit(scope["method"], scope["path"]) if asked else None
        if fault is None:
            await self._app(scope, receive, send)
            return
        if fault.delay:
            await asyncio.sleep(fault.delay)
        if fault.status is None and not fault.drop:
            await self._app(scope, receive, send)
            return
        if fault.carried_out:
            await self._app(scope, receive, _nowhere)
        if fault.drop:
            await _break_off(send)
        else:
            await _refuse(send, fault)


async def _nowhere(message: Message) -> None:
    pass


async def _break_off(send: Send) -> None:
    """Announces a body without sending it, so that the server closes the connection."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1")]})


async def _refuse(send: Send, fault: Fault) -> None:
    status = HTTPStatus(fault.status or 500)
    # Clients of all services understand this format.
    words = {"code": status.value, "title": status.phrase, "message": fault.message}
    body = json.dumps({"error": words}).encode()
    headers = [(b"content-type", b"application/json")]
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _hits(pattern: str, path: str) -> bool:
    try:
        return evaluator().has_match(pattern, path, "fullmatch")
    except TooSlow:
        return False


def _pattern(value: object, where: str) -> str:
    pattern: str = text(1000)(value, where)
    try:
        evaluator().check(pattern)
    except ValueError as error:
        raise BadRequest(f"{where} is not a regular expression: {error}.") from None
    return pattern


def _seconds(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 3600:
        raise BadRequest(f"{where} must be a number of seconds up to 3600.")
    return float(value)


_NEW = shape(
    optional={
        "method": nullable(text(10)),
        "path": _pattern,
        "skip": whole(0, 1_000_000),
        "times": nullable(whole(1, 1_000_000)),
        "delay": _seconds,
        "status": nullable(whole(400, 599)),
        "message": text(1000),
        "drop": boolean,
        "carried_out": boolean,
    }
)


def faults_app(faults: FaultInjection, authenticate: Authenticate) -> Starlette:
    def list_faults(call: Call) -> Reply:
        return Reply(body={"faults": [asdict(fault) for fault in faults.all()]})

    def add_fault(call: Call) -> Reply:
        fault = Fault(uuid4().hex, **call.read_in("fault", _NEW))
        faults.add(fault)
        return Reply(201, {"fault": asdict(fault)})

    def clear_faults(call: Call) -> Reply:
        faults.clear()
        return NO_CONTENT

    def remove_fault(call: Call) -> Reply:
        if not faults.remove(call.path["id"]):
            raise NotFound.of("fault", call.path["id"])
        return NO_CONTENT

    routes = (
        Route("GET", "/", list_faults, admins),
        Route("POST", "/", add_fault, admins),
        Route("DELETE", "/", clear_faults, admins),
        Route("DELETE", "/{id}", remove_fault, admins),
    )
    return service_app(routes, authenticate, _error)


def _error(status: HTTPStatus, message: str, kind: str) -> Json:
    return {"error": {"code": status.value, "title": status.phrase, "message": message}}
