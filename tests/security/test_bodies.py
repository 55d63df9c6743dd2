"""Nobody fills the memory of a server with bodies, or keeps it busy with reading them."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import pytest

from calor.api.errors import Unavailable
from calor.api.lanes import Lanes
from calor.server.bridge import Bridge
from tests.support.api import PROJECT, Door, Stage, error, open_door, token
from tests.support.cloud import Cloud

LARGE = 60 * 1024 * 1024


async def asked(app: Any, path: str, headers: dict[str, str], pieces: list[bytes]) -> tuple[int, int]:
    """The status of the answer to a POST, and how many pieces of its body were read."""
    status, read = 0, 0

    async def receive() -> dict[str, Any]:
        nonlocal read
        if read == len(pieces):
            await asyncio.Event().wait()
        read += 1
        return {"type": "http.request", "body": pieces[read - 1], "more_body": read < len(pieces)}

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "server": ("heat.test", 8004),
        "client": None,
    }
    await app(scope, receive, send)
    return status, read


class TestRest:
    PATH = f"/v1/{PROJECT}/validate"
    PIECES = [b"{" + b" " * 65_535] * 100

    def ask(self, door: Door, headers: dict[str, str]) -> tuple[int, int]:
        return asyncio.run(asked(door.client.app, self.PATH, headers, self.PIECES))

    @pytest.mark.parametrize("size", [{"content-length": "6553600"}, {"transfer-encoding": "chunked"}])
    def test_a_body_is_not_read_from_somebody_unknown(self, stage: Stage, size: dict[str, str]) -> None:
        assert self.ask(open_door(stage, largest_body=LARGE), size) == (401, 0)

    def test_a_body_is_not_read_from_somebody_who_may_not_ask(self, stage: Stage) -> None:
        headers = {"content-length": "6553600", "x-auth-token": token(roles="heat_stack_user")}
        assert self.ask(open_door(stage, largest_body=LARGE), headers) == (403, 0)

    def test_a_body_that_is_said_to_be_too_large_is_not_read(self, stage: Stage) -> None:
        headers = {"content-length": "6553600", "x-auth-token": token()}
        assert self.ask(open_door(stage, largest_body=100_000), headers) == (400, 0)

    def test_a_body_in_chunks_is_read_up_to_the_limit(self, stage: Stage) -> None:
        headers = {"transfer-encoding": "chunked", "x-auth-token": token()}
        assert self.ask(open_door(stage, largest_body=100_000), headers) == (400, 2)

    def test_a_body_that_does_not_come_is_given_up(self, stage: Stage) -> None:
        headers = {"content-length": "1000", "x-auth-token": token()}
        door = open_door(stage, body_seconds=0.05)
        never: list[bytes] = []
        assert asyncio.run(asked(door.client.app, self.PATH, headers, never)) == (400, 0)

    def test_one_that_is_read_is_answered(self, door: Door) -> None:
        template = {"heat_template_version": "2021-04-16"}
        assert door("POST", "/validate", {"template": template}).status_code == 200
        error(door("POST", "/validate", {"template": {}}), 400)


class TestLanes:
    def test_a_project_has_few_requests_at_once_and_the_others_wait(self) -> None:
        lanes = Lanes(2, 100)
        now, most, done = {"a": 0, "b": 0}, {"a": 0, "b": 0}, 0

        async def one(project: str) -> None:
            nonlocal done
            async with lanes.lane(project):
                now[project] += 1
                most[project] = max(most[project], now[project])
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                now[project] -= 1
            done += 1

        async def all_of_them() -> None:
            await asyncio.gather(*(one("a") for _ in range(20)), *(one("b") for _ in range(20)))

        asyncio.run(all_of_them())
        assert (done, most) == (40, {"a": 2, "b": 2})
        assert lanes._lanes == {}

    def test_too_many_are_refused(self) -> None:
        async def ask() -> None:
            lanes = Lanes(1, 1)
            async with lanes.lane("a"):
                waiting = asyncio.ensure_future(self._enter(lanes, "a"))
                await asyncio.sleep(0)
                with pytest.raises(Unavailable):
                    await self._enter(lanes, "a")
                await self._enter(lanes, "b")
            await waiting

        asyncio.run(ask())

    def test_nobody_waits_for_ever(self) -> None:
        async def ask() -> None:
            lanes = Lanes(1, 10, patience=0.05)
            async with lanes.lane("a"):
                with pytest.raises(Unavailable):
                    await self._enter(lanes, "a")
            await self._enter(lanes, "a")

        asyncio.run(ask())

    @staticmethod
    async def _enter(lanes: Lanes, project: str) -> None:
        async with lanes.lane(project):
            pass


class TestWsgi:
    def environ(self, body: io.BytesIO, size: int) -> dict[str, Any]:
        return {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": "/",
            "SERVER_NAME": "heat.test",
            "SERVER_PORT": "8004",
            "CONTENT_LENGTH": str(size),
            "wsgi.input": body,
        }

    def test_a_body_is_read_when_the_app_asks_for_it(self) -> None:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            size = 0
            while True:
                message = await receive()
                size += len(message["body"])
                if not message["more_body"]:
                    break
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": str(size).encode()})

        body = io.BytesIO(b"x" * 1_000_000)
        answer = Bridge(app, LARGE)(self.environ(body, 1_000_000), lambda status, headers: None)
        assert b"".join(answer) == b"1000000"

    def test_a_body_that_nobody_asks_for_is_not_read(self) -> None:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})

        body = io.BytesIO(b"x" * 1_000_000)
        answer = Bridge(app, LARGE)(self.environ(body, 1_000_000), lambda status, headers: None)
        assert b"".join(answer) == b""
        assert body.tell() == 0


class TestEmbeddedCloud:
    def test_a_large_body_without_a_token_is_refused(self, cloud: Cloud) -> None:
        body = b'{"auth": "' + b"x" * 100_000 + b'"}'
        headers = {"Content-Type": "application/json"}
        answer = cloud.client.post("/identity/v3/auth/tokens", content=body, headers=headers)
        assert answer.status_code == 413

    def test_an_image_is_not_taken_without_a_token(self, cloud: Cloud) -> None:
        answer = cloud.client.put("/image/v2/images/x/file", content=b"x" * 100_000)
        assert answer.status_code == 401

    def test_an_object_is_not_taken_without_a_token(self, cloud: Cloud) -> None:
        answer = cloud.client.put("/object-store/v1/AUTH_x/c/o", content=b"x" * 100_000)
        assert answer.status_code in (401, 403, 404)
