"""Runs request handlers in threads, few at a time.

Threads that compute get in each other's way: Python runs one of them at a time, and switching costs more than a short
request. So only a few start at once. A handler that takes longer probably waits for something, such as another service,
and no longer counts: others start beside it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from typing import TypeVar

R = TypeVar("R")

AT_ONCE = 2
SHORT_SECONDS = 0.02
MOST_THREADS = 40


class Threads:
    """Used from one event loop. Threads start when they are needed, and stay."""

    def __init__(self, at_once: int = AT_ONCE, short_seconds: float = SHORT_SECONDS) -> None:
        self._short = asyncio.Semaphore(at_once)
        self._short_seconds = short_seconds
        self._places = asyncio.Semaphore(MOST_THREADS)
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._threads = 0
        self._busy = 0

    async def run(self, function: Callable[..., R], *args: object) -> R:
        """Calls the function in a thread, when it is its turn, with the context of the caller."""
        await self._short.acquire()
        slot = _Slot(self._short)
        timer = asyncio.get_running_loop().call_later(self._short_seconds, slot.release)
        try:
            async with self._places:
                return await self._call(partial(copy_context().run, function, *args))
        finally:
            timer.cancel()
            slot.release()

    async def _call(self, function: Callable[[], R]) -> R:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[R] = loop.create_future()
        self._busy += 1
        if self._busy > self._threads:
            self._threads += 1
            threading.Thread(target=self._work, name="calor-request", daemon=True).start()
        self._jobs.put(partial(_answer, function, answer, loop))
        answer.add_done_callback(self._count_down)
        # The work goes on when the request is given up, and the thread is busy until it is done.
        return await asyncio.shield(answer)

    def _count_down(self, answer: asyncio.Future[R]) -> None:
        self._busy -= 1

    def _work(self) -> None:
        while True:
            self._jobs.get()()


class _Slot:
    """Is given back once: when the work is done, or has taken longer than a short request does."""

    def __init__(self, slots: asyncio.Semaphore) -> None:
        self._slots = slots
        self._held = True

    def release(self) -> None:
        if self._held:
            self._held = False
            self._slots.release()


def _answer(function: Callable[[], R], answer: asyncio.Future[R], loop: asyncio.AbstractEventLoop) -> None:
    """Calls the function in a thread, and reports what came of it to the loop, unless that has ended."""
    try:
        report = partial(answer.set_result, function())
    except StopIteration as error:
        # A future takes no such exception.
        report = partial(answer.set_exception, RuntimeError(f"the handler raised {error!r}"))
    except BaseException as error:
        report = partial(answer.set_exception, error)
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(report)
