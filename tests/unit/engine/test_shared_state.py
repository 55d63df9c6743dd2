"""Looking for an object waits for create requests that are running."""

from __future__ import annotations

import asyncio

from calor.clouds.shared_state import SharedState


def test_finding_waits_for_running_create_requests() -> None:
    async def both() -> list[str]:
        shared = SharedState()
        answer = asyncio.Event()
        asked = asyncio.Event()

        async def ask() -> None:
            with shared.pending_create():
                asked.set()
                await answer.wait()
            shared.owners["object"] = "resource"

        async def look() -> list[str]:
            await shared.pending_creates()
            return list(shared.owners)

        asking = asyncio.create_task(ask())
        await asked.wait()
        looking = asyncio.create_task(look())
        await asyncio.sleep(0)
        assert not looking.done()
        answer.set()
        await asking
        return await looking

    assert asyncio.run(both()) == ["object"]


def test_failed_create_requests_are_not_waited_for() -> None:
    async def both() -> None:
        shared = SharedState()
        try:
            with shared.pending_create():
                raise ConnectionError
        except ConnectionError:
            await shared.pending_creates()

    asyncio.run(both())


def test_later_create_requests_are_not_waited_for() -> None:
    async def both() -> bool:
        shared = SharedState()
        with shared.pending_create():
            looking = asyncio.create_task(shared.pending_creates())
            await asyncio.sleep(0)
            later = shared.pending_create()
            later.__enter__()
        await looking
        later.__exit__(None, None, None)
        return looking.done()

    assert asyncio.run(both())
