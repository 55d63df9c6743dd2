"""The requests of one project do not take all threads of the API."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest

from calor.api.threads import MOST_THREADS
from calor.service.errors import NotSupported
from calor.service.stack_commands import StackCommands
from tests.support.api import EMPTY, OTHER, PROJECT, Stage, open_door, token

LONG = 60.0


@pytest.fixture
def begun() -> list[int]:
    """One entry for each creation that has begun."""
    return []


@pytest.fixture
def stalled(monkeypatch: pytest.MonkeyPatch, begun: list[int]) -> Iterator[threading.Event]:
    """Creations of stacks wait for the event, as they do for slow services; then they fail."""
    opened = threading.Event()

    def create(*_: Any, **__: Any) -> None:
        begun.append(1)
        opened.wait(LONG)
        raise NotSupported("it took too long")

    monkeypatch.setattr(StackCommands, "create", create)
    yield opened
    opened.set()


def test_other_requests_are_answered_while_many_creations_of_a_project_wait(
    stage: Stage, stalled: threading.Event, begun: list[int]
) -> None:
    app = open_door(stage).client.app
    body = {"stack_name": "s", "template": EMPTY}

    async def main() -> None:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://heat.test:8004") as client:

            def create(project: str) -> asyncio.Task[Any]:
                headers = {"X-Auth-Token": token(project=project)}
                return asyncio.ensure_future(
                    client.post(f"/v1/{project}/stacks", json=body, headers=headers, timeout=LONG)
                )

            creations = [create(PROJECT) for _ in range(MOST_THREADS + 5)]
            while len(begun) < MOST_THREADS // 2:
                await asyncio.sleep(0.01)
            for project in (PROJECT, OTHER):
                headers = {"X-Auth-Token": token(project=project)}
                path = f"/v1/{project}/validate"
                answer = await client.post(path, json={"template": EMPTY}, headers=headers, timeout=LONG)
                assert answer.status_code == 200
                listed = await client.get(f"/v1/{project}/stacks", headers=headers, timeout=LONG)
                assert listed.status_code == 200
            assert not any(one.done() for one in creations)
            assert len(begun) == MOST_THREADS // 2
            stalled.set()
            await asyncio.gather(*creations)

    asyncio.run(main())
