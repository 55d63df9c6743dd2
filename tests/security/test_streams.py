"""Streams of events last as long as somebody listens who may: a project has so many of them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from calor.api.errors import Unauthorized, Unavailable
from calor.api.heat import events
from tests.support.api import OTHER, PROJECT, Door, FakeAuthenticator, Stage, open_door, token

MOST = 3


class Listener:
    """A client that reads a stream until it hangs up."""

    def __init__(self, door: Door, path: str, project: str = PROJECT) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.began = asyncio.Event()
        self._gone = asyncio.Event()
        self._sent = False
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": f"/v1/{project}{path}",
            "raw_path": f"/v1/{project}{path}".encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [(b"host", b"heat.test"), (b"x-auth-token", token(project=project).encode())],
            "client": ("127.0.0.1", 1),
            "server": ("heat.test", 80),
        }
        self.task = asyncio.ensure_future(door.client.app(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        if not self._sent:
            self._sent = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            self.began.set()
        else:
            self.body += message.get("body", b"")

    async def begun(self) -> Listener:
        await self.began.wait()
        return self

    async def hang_up(self) -> None:
        self._gone.set()
        await self.task


@pytest.fixture
def limited(stage: Stage) -> Door:
    return open_door(stage, streams_per_project=MOST)


def test_a_project_has_so_many_streams(limited: Door) -> None:
    own = f"/stacks/s/{limited.stage.add_stack('s')}/events/stream"
    others = f"/stacks/o/{limited.stage.add_stack('o', project=OTHER)}/events/stream"

    async def listen() -> None:
        several = [await Listener(limited, own).begun() for _ in range(MOST)]
        assert [one.status for one in several] == [200] * MOST
        refused = await Listener(limited, own).begun()
        await refused.hang_up()
        assert refused.status == 429
        assert refused.headers["retry-after"] == "5"
        assert "too many event streams" in json.loads(refused.body)["error"]["message"]
        # Others have their own, and whoever hangs up makes room.
        other = await Listener(limited, others, OTHER).begun()
        assert other.status == 200
        await several.pop().hang_up()
        several.append(await Listener(limited, own).begun())
        assert several[-1].status == 200
        for one in [*several, other]:
            await one.hang_up()

    asyncio.run(listen())


def test_a_stream_breaks_off_when_its_reader_loses_access(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "CHECKED_SECONDS", 0.0)
    door = open_door(stage)
    path = f"/stacks/s/{stage.add_stack('s')}/events/stream"
    known = FakeAuthenticator.authenticate

    def refused(self: FakeAuthenticator, headers: Any, project: str) -> Any:
        raise Unauthorized

    def away(self: FakeAuthenticator, headers: Any, project: str) -> Any:
        raise Unavailable("not now")

    async def listen() -> None:
        listener = await Listener(door, path).begun()
        for authenticate, ends in ((known, False), (away, False), (refused, True)):
            monkeypatch.setattr(FakeAuthenticator, "authenticate", authenticate)
            done, _ = await asyncio.wait([listener.task], timeout=20.0 if ends else 0.3)
            assert bool(done) == ends

    asyncio.run(listen())
