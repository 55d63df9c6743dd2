"""Background work: delayed state transitions, and blocking work in threads.

Nothing survives the process. After a restart, each service looks for records whose transition was interrupted and
resumes it: see `recovery.py` of the services.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from inspect import isawaitable
from typing import ParamSpec, TypeVar

from calor.localcloud.slots import Slots

log = logging.getLogger("calor.localcloud")

P = ParamSpec("P")
T = TypeVar("T")

Work = Callable[[], Awaitable[None] | None]

LONG_AT_ONCE = 4
"""How much that takes long is done in threads at the same time."""


class Background:
    """Runs work between `start` and `stop`. Work that was added before `start` is started by it."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pending: list[tuple[float, Work]] = []
        self._timers: set[asyncio.TimerHandle] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._slots = Slots(LONG_AT_ONCE)
        self._long = ThreadPoolExecutor(LONG_AT_ONCE, "calor-files")

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        pending, self._pending = self._pending, []
        for seconds, work in pending:
            self.later(seconds, work)

    async def stop(self) -> None:
        """Drops work that has not begun, cancels the rest and waits for it."""
        self._loop = None
        for timer in self._timers:
            timer.cancel()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._long.shutdown(wait=False, cancel_futures=True)

    def later(self, seconds: float, work: Work) -> None:
        """Runs the work after some seconds; with 0, as soon as possible. Exceptions are logged."""
        if self._loop is None:
            self._pending.append((seconds, work))
            return
        loop = self._loop
        timer: asyncio.TimerHandle | None = None

        def run() -> None:
            if timer is not None:
                self._timers.discard(timer)
            task = loop.create_task(_logged(work))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        if seconds <= 0:
            run()
        else:
            timer = loop.call_later(seconds, run)
            self._timers.add(timer)

    async def in_thread(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a blocking function that takes a moment. It must not use the store."""
        return await asyncio.to_thread(work, *args, **kwargs)

    async def in_long_thread(
        self, project: str | None, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """The same for one that may take minutes, such as one that copies a file: who logs in does not wait for it, and
        other projects only if several are at it."""
        async with self._slots.of(project or ""):
            return await asyncio.get_running_loop().run_in_executor(
                self._long, partial(work, *args, **kwargs)
            )


async def _logged(work: Work) -> None:
    try:
        result = work()
        if isawaitable(result):
            await result
    except Exception:
        log.exception("A background task of the cloud failed")
