"""Controls whether a run may continue, and its waits and threads."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from calor.clouds.errors import Transient
from calor.clouds.fencing import sending_only_if
from calor.engine.run.journal import Journal
from calor.stacks.states import LeaseLost, Stopped

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")


class Control:
    """The control of one run, which can end early in three ways: it stops so that another engine continues (`leave`),
    it aborts running steps (`abort`), or it completes running steps and starts no others (`cancel`)."""

    def __init__(self, stack: str, journal: Journal, holds: Callable[[], bool]) -> None:
        """`holds` returns whether the run still has its lease."""
        self.stack = stack
        """The id of the root stack."""
        self._journal = journal
        self._holds = holds
        self.stop = asyncio.Event()
        self.left = False
        """Whether another engine has the stack, or will have it soon."""
        self.aborted = False
        """Whether running steps fail, rather than being left to another engine."""
        self._cancelled: set[str] = set()
        self._signalled = asyncio.Event()

    # Ending.

    def leave(self) -> None:
        """Leaves the stack to another engine: starts nothing more, and fails nothing."""
        self.left = True
        self.aborted = False
        self.stop.set()

    def abort(self) -> None:
        """Stops, and fails running steps."""
        self.aborted = True
        self.stop.set()

    def restart(self) -> None:
        """Continues after an abort, with a rollback."""
        self.stop.clear()
        self.aborted = False

    def cancel(self, stack: str | None = None) -> None:
        """Starts nothing more in a stack of the tree and its nested stacks, by default in the whole tree. Running steps
        are completed."""
        self._cancelled.add(stack or self.stack)
        # Wakes up steps that wait at hooks, which have started nothing.
        self.signalled()

    def is_cancelled(self, stack: str) -> bool:
        return stack in self._cancelled

    def stopped(self) -> bool:
        """Whether nothing more may be started: the run was stopped, its lease has expired, or a change could not be
        written."""
        if not self.left and (not self._holds() or self._journal.broken is not None):
            why = self._journal.broken or "its lease has expired"
            log.warning("stack %s is left to another engine: %s", self.stack, why)
            self.leave()
        return self.stop.is_set()

    @property
    def holds_lease(self) -> bool:
        """Whether no other engine can be working on the stack."""
        return self._holds()

    # Working in threads.

    async def in_thread(
        self, work: Callable[..., Answer], *args: Any, pool: Executor | None = None
    ) -> Answer:
        """Runs blocking work, such as requests. Requests that change something are only sent while the lease is held,
        checked right before sending. Raises Stopped."""
        if self.stopped() and self.left:
            raise Stopped
        fenced = partial(copy_context().run, self.fenced, work, *args)
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, fenced)
        except LeaseLost as lost:
            if lost.stack != self.stack:
                # This run waited for the same request of another run.
                raise Transient("the request was not sent", status=503) from None
            if not self.stopped():
                # The lease was renewed since. Stop anyway: other requests of the work may have been sent.
                self.leave()
            raise Stopped from None

    def fenced(self, work: Callable[..., Answer], *args: Any) -> Answer:
        """Runs work in this thread. Raises LeaseLost instead of sending a request that changes something without the
        lease."""
        self._ensure_sendable()
        with sending_only_if(self._ensure_sendable):
            return work(*args)

    def _ensure_sendable(self) -> None:
        if not self._holds():
            raise LeaseLost(self.stack)

    # Waiting.

    async def pause(self, seconds: float) -> None:
        """Waits, after sending all changes to the database. Raises Stopped when the run is stopped."""
        self._journal.send()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.stop.wait()
        if self.stopped():
            raise Stopped

    async def await_signal(self, seconds: float) -> None:
        """Waits until a signal has been handled, or the time is over. Raises Stopped."""
        self._journal.send()
        waiting = [
            asyncio.ensure_future(self._signalled.wait()),
            asyncio.ensure_future(self.stop.wait()),
        ]
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        if self.stopped():
            raise Stopped

    def signalled(self) -> None:
        """Wakes up everything that waits for a signal."""
        handled, self._signalled = self._signalled, asyncio.Event()
        handled.set()
