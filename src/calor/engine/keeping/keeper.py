"""The engine of a process: finds stacks with work that no engine has, takes their leases, and runs them.

A lease shows which engine works on a stack. It is renewed every second; an engine that dies loses its leases, and
another one continues where it stopped. An action that crashes several engines fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from calor.engine.execution import Execution
from calor.engine.keeping.hangs import KILLER, MUTE_AFTER, Suspicion, Watchdog
from calor.engine.keeping.retries import RunRetries, reason_for_giving_up
from calor.engine.run.late_objects import LateObjects
from calor.engine.run.presence import Presence
from calor.engine.run.run import RETRY_LIMIT, Run, RunDependencies
from calor.engine.run.telemetry import running
from calor.engine.run.users import UserServices
from calor.language.library import World
from calor.lifecycle import Status
from calor.observe.series import LEASES_LOST, RUNS
from calor.stacks.events import stack_event_row
from calor.stacks.ids import new_id
from calor.stacks.run_notes import RunNotes
from calor.stacks.states import Stopped
from calor.stacks.vault import Vault
from calor.store import engines, records, work
from calor.store.database import Database
from calor.store.leases import Leases
from calor.store.outages import retry_until_available
from calor.store.runs import fail_unfinished, giving_up
from calor.store.writer import Changes, Lease, Stale, Writer

RENEWAL_SECONDS = 1.0
SWEEP_SECONDS = 1.0
REPORT_SECONDS = 10
"""An engine reports twice as often."""
HAND_OVER_SECONDS = 8.0

log = logging.getLogger(__name__)

INTERRUPTED = "Engine went down"
"""The reason of resources that a cancelled action has left unfinished."""


class Keeper:
    """The engine of one process."""

    def __init__(
        self,
        database: Database,
        world: World,
        writer: Writer | None = None,
        vault: Vault | None = None,
        user_services: UserServices | None = None,
        default_timeout: float | None = None,
        *,
        alone: bool = False,
        retry_limit: int = RETRY_LIMIT,
        presence_folder: Path | None = None,
        give_up: Callable[[], None] | None = None,
        mute_after: float = MUTE_AFTER,
    ) -> None:
        """`default_timeout` is for actions on stacks without a timeout. `alone` promises that no other engine works on
        the database: existing leases belong to dead engines and need not expire. `presence_folder` is shared by the
        engines of a machine. `give_up` kills the process when the engine hangs; if it cannot be called, the process is
        killed after `mute_after` seconds."""
        self._alone = alone
        self.id = new_id()
        self.presence = Presence(presence_folder, self.id)
        self.leases = Leases(database, self.id, self.presence.is_dead)
        self._suspicion = Suspicion(database, self.presence, self.id)
        self._watchdog = Watchdog(self.presence, self._suspicion, give_up, mute_after)
        self._late_objects = LateObjects(database)
        # Renewals must not wait for other work in threads.
        self._renewer = ThreadPoolExecutor(1, "renewals")
        self.database = database
        self.writer = writer or Writer(database, patience=None)
        self.dependencies = RunDependencies(
            database,
            self.writer,
            world,
            vault,
            user_services,
            default_timeout,
            retry_limit,
            self._late_objects,
            self.presence,
        )
        self._runs: dict[str, tuple[Execution, asyncio.Task[None]]] = {}
        self._retries = RunRetries()
        self._bell = asyncio.Event()
        self._watched = -SWEEP_SECONDS
        RUNS.track(self, Keeper._running)

    def ring(self) -> None:
        """Signals that there may be work."""
        self._bell.set()

    async def serve(self, ready: Callable[[], None] = lambda: None) -> None:
        """Processes work until cancelled."""
        await self._ask(self._sign_on)
        self._watchdog.start()
        renewal = asyncio.ensure_future(self._renew())
        ready()
        try:
            while True:
                self._bell.clear()
                await self._sweep()
                # Not wait_for, which can swallow a cancellation that comes together with a ring.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(SWEEP_SECONDS):
                        await self._bell.wait()
        finally:
            # Leases are released only after the runs have stopped.
            await self._hand_over()
            renewal.cancel()
            self._late_objects.close()
            self._watchdog.stop()
            await self._ask(self._sign_off)
            self._renewer.shutdown(wait=False)
            self.presence.close()

    @staticmethod
    async def _ask(question: Callable[..., Any], *args: Any) -> Any:
        """Runs a database function in a thread, with retries while the database is unavailable."""
        work = partial(retry_until_available, partial(question, *args))
        return await asyncio.get_running_loop().run_in_executor(None, work)

    async def _sweep(self) -> None:
        # Not in a thread: the runs may change meanwhile.
        walked = {id: execution.run.stack.run_id for id, (execution, _) in self._runs.items()}
        found = await self._ask(work.survey, self.database, self.id, walked)
        for newer in found.overtaken:
            if newer.stack in self._runs:
                control = self._runs[newer.stack][0].run.control
                if newer.status == Status.IN_PROGRESS:
                    control.stop.set()
                elif RunNotes.read(newer.run).cancelled:
                    control.cancel()
                else:
                    control.abort()
        for id in found.signalled:
            if id in self._runs:
                self._runs[id][0].check_inbox()
        unclaimed = [
            id for id in found.unclaimed if id not in self._runs and not self._retries.backing_off(id)
        ]
        lost = await self._lost_by_others()
        if unclaimed or lost:
            for lease, claimed in await self._ask(self._claim, [*unclaimed, *lost]):
                await self._take_up(lease, claimed)

    async def _take_up(self, lease: Lease, claimed: work.Claimed) -> None:
        stack = claimed.stack
        if claimed.is_guilty and stack.status == Status.IN_PROGRESS:
            await self._end(stack, lease, KILLER)
            return
        run = Run(stack, lease, self.dependencies, partial(self.leases.holds, lease))
        execution = Execution(run)
        task = asyncio.ensure_future(run.tracked(self._execute(execution, is_signalled=claimed.is_signalled)))
        self._runs[stack.id] = (execution, task)

    def _running(self) -> int:
        return len(self._runs)

    async def _lost_by_others(self) -> list[str]:
        """Stacks whose leases other engines have lost. Checked once a second at most, as it takes longer the more
        stacks other engines work on."""
        at = asyncio.get_running_loop().time()
        if at - self._watched < SWEEP_SECONDS:
            return []
        self._watched = at
        await self._ask(self._suspicion.record_dead_engines)
        return [id for id in await self._ask(self.leases.watch) if id not in self._runs]

    def _claim(self, ids: Sequence[str]) -> list[tuple[Lease, work.Claimed]]:
        """Claims leases, then reads the stacks: another engine may have done the work meanwhile."""
        before = {id: owner for id in ids if (owner := self.leases.owner_seen(id)) is not None}
        leases = self.leases.claim_all(ids)
        for lease in leases:
            if lease.stack in before:
                self._suspicion.record_hung_engine(before[lease.stack], lease.stack)
        found = work.claimed(self.database, [lease.stack for lease in leases]) if leases else {}
        for lease in leases:
            if lease.stack not in found:
                fail_unfinished(self.database, lease.stack, INTERRUPTED)
                self.writer.write(self.leases.release(lease))
        return [(lease, found[lease.stack]) for lease in leases if lease.stack in found]

    async def _execute(self, execution: Execution, *, is_signalled: bool) -> None:
        run = execution.run
        id = run.stack.id
        try:
            with running(run.stack, self.id):
                await execution.execute(is_signalled=is_signalled)
            self._retries.clear(id)
        except Stale:
            LEASES_LOST.add()
            log.warning("stack %s was taken over by another engine", id)
        except Stopped:
            # It was stopped at its last step.
            log.warning("stack %s is left to another engine", id)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            if self._retries.record(id, run.stack.run_id, error):
                log.exception("the run of stack %s failed repeatedly; it will not be retried", id)
                await self._give_up(run, error)
            else:
                log.exception("the run of stack %s failed; it will be retried", id)
        finally:
            await self._release(run.lease)
            self._runs.pop(id, None)
            # A newer action may be waiting for this one to end.
            self.ring()

    async def _give_up(self, run: Run, error: Exception) -> None:
        """Fails an action, or discards signals, after repeated failures."""
        await self._write_end(
            self._giving_up(run.stack, run.lease, reason_for_giving_up(error)), run.stack.id
        )
        self._retries.clear(run.stack.id)

    @staticmethod
    def _giving_up(stack: records.Stack, lease: Lease, reason: str) -> Changes:
        return giving_up(stack, lease, reason, stack_event_row)

    async def _end(self, stack: records.Stack, lease: Lease, reason: str) -> None:
        """Fails an action before it starts."""
        log.error("the action on stack %s fails: %s", stack.id, reason)
        await self._write_end(self._giving_up(stack, lease, reason), stack.id)
        await self._release(lease)

    async def _release(self, lease: Lease) -> None:
        await asyncio.wrap_future(self.writer.submit(self.leases.release(lease)))

    async def _write_end(self, changes: Changes, stack: str) -> None:
        try:
            await asyncio.wrap_future(self.writer.submit(changes))
        except Exception:
            log.exception("the stack %s could not be set to FAILED", stack)

    async def _renew(self) -> None:
        loop = asyncio.get_running_loop()
        reported = loop.time()
        while True:
            await asyncio.sleep(RENEWAL_SECONDS)
            try:
                await self._extend()
                if loop.time() - reported >= REPORT_SECONDS / 2:
                    reported = loop.time()
                    await loop.run_in_executor(self._renewer, self._report)
            except Exception:
                # Without renewals, other engines take over all runs within seconds.
                log.exception("the leases could not be renewed; retrying")

    async def _extend(self) -> None:
        held = [execution.run.lease for execution, _ in self._runs.values()]
        if held:
            kept = await asyncio.get_running_loop().run_in_executor(self._renewer, self.leases.extend)
            for execution, _ in list(self._runs.values()):
                run = execution.run
                if run.lease in held and run.lease not in kept:
                    run.control.leave()

    # The registration shown to operators.

    def _sign_on(self) -> None:
        self._suspicion.record_dead_engines()
        if self._alone:
            for stack in self.leases.clear():
                fail_unfinished(self.database, stack, INTERRUPTED)
        # Engines that were killed on this host cannot sign off by themselves.
        silent = 0 if self._alone else 3 * REPORT_SECONDS
        engines.sign_on(self.database, self.id, socket.gethostname(), REPORT_SECONDS, silent)

    def _report(self) -> None:
        engines.report(self.database, self.id)

    def _sign_off(self) -> None:
        # Includes leases without a run, which were claimed during the shutdown.
        engines.sign_off(self.database, self.id)

    async def _hand_over(self) -> None:
        """Stops all runs where they are; the next engine continues them."""
        tasks = []
        for execution, task in self._runs.values():
            execution.run.control.leave()
            tasks.append(task)
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=HAND_OVER_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
