"""Handlers run in threads, few at a time unless they wait."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from calor.api.threads import Threads

LONG = 60.0


def test_no_more_short_handlers_run_at_once_than_allowed() -> None:
    running: set[int] = set()
    most = 0
    lock = threading.Lock()

    def work(number: int) -> int:
        nonlocal most
        with lock:
            running.add(number)
            most = max(most, len(running))
        threading.Event().wait(0.001)
        with lock:
            running.remove(number)
        return number

    async def main() -> list[int]:
        threads = Threads(at_once=2, short_seconds=LONG)
        return await asyncio.gather(*(threads.run(work, number) for number in range(30)))

    assert asyncio.run(main()) == list(range(30))
    assert most == 2


def test_those_that_take_longer_hold_up_nobody() -> None:
    opened = threading.Event()

    async def main() -> str:
        threads = Threads(at_once=1, short_seconds=0.001)
        waiting = [asyncio.ensure_future(threads.run(opened.wait, LONG)) for _ in range(10)]
        answer = await threads.run(str.upper, "short")
        assert not any(one.done() for one in waiting)
        opened.set()
        assert await asyncio.gather(*waiting) == [True] * 10
        return answer

    assert asyncio.run(main()) == "SHORT"


def test_what_a_handler_raises_reaches_its_caller_and_frees_its_place() -> None:
    async def main() -> None:
        threads = Threads(at_once=1, short_seconds=LONG)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await threads.run(divmod, 1, 0)

    asyncio.run(main())


def test_a_handler_that_raises_stop_iteration_is_answered() -> None:
    async def main() -> None:
        threads = Threads(at_once=1, short_seconds=LONG)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="StopIteration"):
                await asyncio.wait_for(threads.run(next, iter(())), LONG)

    asyncio.run(main())


def test_a_request_that_is_given_up_frees_its_place() -> None:
    opened = threading.Event()

    async def main() -> int:
        threads = Threads(at_once=1, short_seconds=LONG)
        first = asyncio.ensure_future(threads.run(opened.wait, LONG))
        queued = asyncio.ensure_future(threads.run(opened.wait, LONG))
        await asyncio.sleep(0)
        queued.cancel()
        first.cancel()
        await asyncio.wait([first, queued])
        answer = await threads.run(abs, -1)
        opened.set()
        return answer

    assert asyncio.run(main()) == 1


def test_handlers_see_the_context_of_their_caller() -> None:
    named: ContextVar[str] = ContextVar("named")

    async def one(threads: Threads, name: str) -> str:
        named.set(name)
        return await threads.run(named.get)

    async def main() -> list[str]:
        threads = Threads()
        return await asyncio.gather(*(one(threads, name) for name in "abc"))

    assert asyncio.run(main()) == ["a", "b", "c"]
