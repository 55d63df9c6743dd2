"""What takes time in the cloud: transitions that come later, and work that would hold others up.

Nothing here outlives the process. A service that is started anew looks through what it has stored for states that are
on their way, and sets them going again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, TypeVar

log = logging.getLogger("calor.localcloud")

T = TypeVar("T")

Work = Callable[[], Awaitable[None] | None]


class Life:
    """Lives from `begin` to `end`; what is asked for before the beginning starts with it."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._early: list[tuple[float, Work]] = []
        self._timers: set[asyncio.TimerHandle] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self) -> None:
        self._loop = asyncio.get_running_loop()
        early, self._early = self._early, []
        for seconds, work in early:
            self.later(seconds, work)

    async def end(self) -> None:
        """Forgets what is to come, and lets what is under way stop."""
        self._loop = None
        for timer in self._timers:
            timer.cancel()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def later(self, seconds: float, work: Work) -> None:
        """Does the work after some time, or at the next opportunity. What it raises is logged."""
        if self._loop is None:
            self._early.append((seconds, work))
            return
        loop = self._loop
        timer: asyncio.TimerHandle | None = None

        def due() -> None:
            if timer is not None:
                self._timers.discard(timer)
            task = loop.create_task(_told(work))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        if seconds <= 0:
            due()
        else:
            timer = loop.call_later(seconds, due)
            self._timers.add(timer)

    async def aside(self, work: Callable[..., T], *args: Any) -> T:
        """What a function returns that would hold others up, such as one that copies a file. It must not use the
        store."""
        return await asyncio.to_thread(work, *args)


async def _told(work: Work) -> None:
    try:
        result = work()
        if isawaitable(result):
            await result
    except Exception:
        log.exception("Work of the cloud failed")
