"""Who looks for an object that may be its own does not find what another is about to learn that it has."""

from __future__ import annotations

import asyncio

from calor.engine.cloud_access import Reach


def test_who_looks_for_its_own_waits_until_what_is_asked_for_has_an_owner() -> None:
    async def both() -> list[str]:
        reach = Reach()
        answer = asyncio.Event()
        asked = asyncio.Event()

        async def ask() -> None:
            with reach.birth():
                asked.set()
                await answer.wait()
            reach.makers["object"] = "resource"

        async def look() -> list[str]:
            await reach.births()
            return list(reach.makers)

        asking = asyncio.create_task(ask())
        await asked.wait()
        looking = asyncio.create_task(look())
        await asyncio.sleep(0)
        assert not looking.done()
        answer.set()
        await asking
        return await looking

    assert asyncio.run(both()) == ["object"]


def test_nobody_waits_for_a_request_that_failed() -> None:
    async def both() -> None:
        reach = Reach()
        try:
            with reach.birth():
                raise ConnectionError
        except ConnectionError:
            await reach.births()

    asyncio.run(both())


def test_what_is_asked_for_later_is_not_waited_for() -> None:
    async def both() -> bool:
        reach = Reach()
        with reach.birth():
            looking = asyncio.create_task(reach.births())
            await asyncio.sleep(0)
            later = reach.birth()
            later.__enter__()
        await looking
        later.__exit__(None, None, None)
        return looking.done()

    assert asyncio.run(both())
