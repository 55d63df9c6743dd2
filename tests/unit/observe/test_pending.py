"""What the tasks of a process wait for."""

from __future__ import annotations

import asyncio

from calor.observe.pending import places


async def outer(event: asyncio.Event) -> None:
    await inner(event)


async def inner(event: asyncio.Event) -> None:
    await event.wait()


def test_the_innermost_line_of_each_task_is_named() -> None:
    async def main() -> list[str]:
        event = asyncio.Event()
        task = asyncio.ensure_future(outer(event))
        await asyncio.sleep(0)
        found = places()
        event.set()
        await task
        return found

    found = asyncio.run(main())
    assert len(found) == 2
    assert [place.partition(" ")[2] for place in found if place.startswith("locks.py")] == ["Event.wait"]
