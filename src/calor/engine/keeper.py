"""Takes up work: finds stacks that have to be walked and are walked by nobody, and keeps hold of them.

A lease says who walks a stack. It is renewed every second; an engine that dies loses its leases, and another
one goes on where it stopped. A stack on which one engine after another dies is given up.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, and_, delete, insert, or_, select, update

from calor.engine.ids import new_id
from calor.engine.leases import Leases
from calor.engine.presence import Presence
from calor.engine.runs import RETRY_LIMIT, Run
from calor.engine.setbacks import Setbacks, broken_off, giving_up
from calor.engine.states import Stopped
from calor.engine.strays import Strays
from calor.engine.suspicion import KILLER, MUTE_AFTER, Suspicion, Watchdog
from calor.engine.tidying import tidy
from calor.engine.users import UserServices
from calor.engine.vault import Vault
from calor.engine.watching import running
from calor.language.library import World
from calor.observe.series import LEASES_LOST, RUNS
from calor.store import records, tables
from calor.store.clock import now
from calor.store.database import reading
from calor.store.outages import insist
from calor.store.writer import Changes, Lease, Stale, Writer

RENEWAL_SECONDS = 1.0
SWEEP_SECONDS = 1.0
REPORT_SECONDS = 10
"""An engine reports twice as often."""
CANCELLED = "cancelled"
"""What the row of a stack notes whose action was cancelled: what is under way is to be done."""
HAND_OVER_SECONDS = 8.0

log = logging.getLogger(__name__)

_HAS_WORK = and_(
    tables.stack.c.parent.is_(None),
    or_(tables.stack.c.status == "IN_PROGRESS", tables.stack.c.id.in_(select(tables.inbox.c.root))),
)
"""Of stacks that are no part of another: those under way, and those that were signalled."""


class Keeper:
    """The engine of one process."""

    def __init__(
        self,
        database: Engine,
        world: World,
        writer: Writer | None = None,
        vault: Vault | None = None,
        user_services: UserServices | None = None,
        default_timeout: float | None = None,
        *,
        alone: bool = False,
        retry_limit: int = RETRY_LIMIT,
        engines: Path | None = None,
        give_up: Callable[[], None] | None = None,
        mute_after: float = MUTE_AFTER,
    ) -> None:
        """`default_timeout` is the seconds that an action may take if its stack does not say. `alone` promises that
        no other engine works on the database: leases found at the start are those of engines that are gone, and
        need not run out. `engines` is a folder in which the engines of a machine see each other.
        `give_up` ends the process, for when the engine hangs; one that does not even get to do that is ended after
        `mute_after` seconds."""
        self.default_timeout = default_timeout
        self.retry_limit = retry_limit
        self._alone = alone
        self.vault = vault
        self.user_services = user_services
        self.id = new_id()
        self.presence = Presence(engines, self.id)
        self.leases = Leases(database, self.id, self.presence.is_dead)
        self._suspicion = Suspicion(database, self.presence, self.id)
        self._watchdog = Watchdog(self.presence, self._suspicion, give_up, mute_after)
        self._strays = Strays(database)
        # Renewals must not wait behind whatever else is done in threads.
        self._renewer = ThreadPoolExecutor(1, "renewals")
        self.database = database
        self.world = world
        self.writer = writer or Writer(database, patience=None)
        self._runs: dict[str, tuple[Run, asyncio.Task[None]]] = {}
        self._setbacks = Setbacks()
        self._bell = asyncio.Event()
        self._watched = -SWEEP_SECONDS
        RUNS.ask(self, Keeper._running)

    def ring(self) -> None:
        """Tells that there may be work."""
        self._bell.set()

    async def serve(self, ready: Callable[[], None] = lambda: None) -> None:
        """Takes up work until cancelled."""
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
            # Nobody else begins while something is still under way here.
            await self._hand_over()
            renewal.cancel()
            self._strays.close()
            self._watchdog.stop()
            await self._ask(self._sign_off)
            self._renewer.shutdown(wait=False)
            self.presence.close()

    @staticmethod
    async def _ask(question: Callable[..., Any], *args: Any) -> Any:
        """Asks the database; while that is away, waits for it."""
        work = partial(insist, partial(question, *args))
        return await asyncio.get_running_loop().run_in_executor(None, work)

    async def _sweep(self) -> None:
        # Threads must not go through the runs, which come and go meanwhile.
        walked = {id: run.stack.run_id for id, (run, _) in self._runs.items()}
        for id, status, cancelled in await self._ask(self._overtaken, walked):
            if id not in self._runs:
                continue
            run = self._runs[id][0]
            if status == "IN_PROGRESS":
                run.stop.set()
            elif cancelled:
                run.cancel()
            else:
                run.abort()
        for run, _ in self._runs.values():
            run.look_into_inbox()
        for id in [*await self._ask(self._waiting), *await self._left_by_others()]:
            claimed = await self._ask(self._claim, id)
            if claimed is not None:
                lease, stack, is_guilty = claimed
                if is_guilty and stack.status == "IN_PROGRESS":
                    await self._end(stack, lease, KILLER)
                    continue
                run = Run(
                    stack,
                    lease,
                    self.writer,
                    self.database,
                    self.world,
                    self.vault,
                    self.user_services,
                    self.default_timeout,
                    partial(self.leases.holds, lease),
                    retry_limit=self.retry_limit,
                    strays=self._strays,
                    presence=self.presence,
                )
                executed = run.followed(self._execute(run))
                self._runs[stack.id] = (run, asyncio.ensure_future(executed))

    def _running(self) -> int:
        return len(self._runs)

    def _waiting(self) -> list[str]:
        """Stacks under way, or signalled, that nobody has a lease of."""
        query = (
            select(tables.stack.c.id)
            .outerjoin(tables.lease, tables.lease.c.stack == tables.stack.c.id)
            .where(_HAS_WORK)
            .where(or_(tables.lease.c.stack.is_(None), tables.lease.c.owner == self.id))
            .limit(100)
        )
        with reading(self.database).connect() as connection:
            found = connection.execute(query).scalars().all()
        return [id for id in found if id not in self._runs and not self._setbacks.rests(id)]

    async def _left_by_others(self) -> list[str]:
        """Stacks that others had, and have lost. Looked for once a second, however often there is a ring: the more
        stacks are worked on elsewhere, the longer it takes."""
        at = asyncio.get_running_loop().time()
        if at - self._watched < SWEEP_SECONDS:
            return []
        self._watched = at
        await self._ask(self._suspicion.look_after_the_dead)
        return [id for id in await self._ask(self.leases.watch) if id not in self._runs]

    def _claim(self, id: str) -> tuple[Lease, records.Stack, bool] | None:
        """A lease, and the stack as it is now that nobody else changes it: what was to be done when it was found,
        another engine may have done. Also whether engines are thought to have ended because of it."""
        before = self.leases.owner_seen(id)
        lease = self.leases.claim(id)
        if lease is None:
            return None
        if before is not None:
            self._suspicion.look_at_the_hung(before, id)
        with reading(self.database).connect() as connection:
            query = select(tables.stack, self._suspicion.is_guilty()).where(tables.stack.c.id == id)
            found = connection.execute(query.where(_HAS_WORK)).one_or_none()
        if found is None:
            tidy(self.database, id)
            self.leases.release(lease)
            return None
        *columns, is_guilty = found
        return lease, records.Stack(*columns), bool(is_guilty)

    def _overtaken(self, walked: Mapping[str, str]) -> list[tuple[str, str, bool]]:
        """Of stacks that are walked here for an action each, those for which a newer one has replaced it, or that
        somebody has ended: their statuses, and whether they were cancelled."""
        if not walked:
            return []
        table = tables.stack
        query = select(table.c.id, table.c.status, table.c.run_id, table.c.run).where(table.c.id.in_(walked))
        with reading(self.database).connect() as connection:
            return [
                (row.id, row.status, bool(row.run.get(CANCELLED)))
                for row in connection.execute(query)
                if row.run_id != walked[row.id]
            ]

    async def _execute(self, run: Run) -> None:
        id = run.stack.id
        try:
            with running(run.stack, self.id):
                await run.execute()
            self._setbacks.overcome(id)
        except Stale:
            LEASES_LOST.add()
            log.warning("stack %s was taken over by another engine", id)
        except Stopped:
            # It was at its last step.
            log.warning("stack %s is left to be taken up again", id)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            if self._setbacks.met(id, run.stack.run_id, error):
                log.exception("the run of stack %s broke off again and again; it is given up", id)
                await self._give_up(run, error)
            else:
                log.exception("the run of stack %s broke off; it will be taken up again", id)
        finally:
            await self._ask(self.leases.release, run.lease)
            self._runs.pop(id, None)
            # A newer action may be waiting for this one to end.
            self.ring()

    async def _give_up(self, run: Run, error: Exception) -> None:
        """Ends the action, or the signals, with which nobody gets anywhere: something is in the way that stays."""
        await self._write_end(giving_up(run.stack, run.lease, broken_off(error)), run.stack.id)
        self._setbacks.overcome(run.stack.id)

    async def _end(self, stack: records.Stack, lease: Lease, reason: str) -> None:
        """Ends an action before it is walked."""
        log.error("stack %s is given up: %s", stack.id, reason)
        await self._write_end(giving_up(stack, lease, reason), stack.id)
        await self._ask(self.leases.release, lease)

    async def _write_end(self, changes: Changes, stack: str) -> None:
        try:
            await asyncio.wrap_future(self.writer.submit(changes))
        except Exception:
            log.exception("the stack %s could not be given up", stack)

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
                # Whatever it was: without renewals, all that runs here is left within seconds.
                log.exception("the leases could not be renewed; that is tried again")

    async def _extend(self) -> None:
        held = [run.lease for run, _ in self._runs.values()]
        if held:
            kept = await asyncio.get_running_loop().run_in_executor(self._renewer, self.leases.extend)
            for run, _ in list(self._runs.values()):
                if run.lease in held and run.lease not in kept:
                    run.leave()

    # Who works here, for operators to see.

    def _sign_on(self) -> None:
        self._suspicion.look_after_the_dead()
        if self._alone:
            for stack in self.leases.clear():
                tidy(self.database, stack)
        host = socket.gethostname()
        table = tables.service
        with self.database.begin() as connection:
            # Engines that were killed here cannot sign off by themselves.
            gone = now() - (0 if self._alone else 3 * REPORT_SECONDS)
            connection.execute(delete(table).where(table.c.host == host, table.c.updated_at < gone))
            connection.execute(
                insert(table).values(
                    id=self.id,
                    engine=self.id,
                    host=host,
                    hostname=host,
                    binary="heat-engine",
                    topic="engine",
                    report_interval=REPORT_SECONDS,
                    created_at=now(),
                    updated_at=now(),
                )
            )

    def _report(self) -> None:
        table = tables.service
        with self.database.begin() as connection:
            connection.execute(update(table).where(table.c.id == self.id).values(updated_at=now()))

    def _sign_off(self) -> None:
        with self.database.begin() as connection:
            connection.execute(delete(tables.service).where(tables.service.c.id == self.id))
            # One that was claimed when the engine was told to stop has no run.
            connection.execute(delete(tables.lease).where(tables.lease.c.owner == self.id))

    async def _hand_over(self) -> None:
        """Stops all runs where they are; whoever comes next goes on with them."""
        tasks = []
        for run, task in self._runs.values():
            run.leave()
            tasks.append(task)
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=HAND_OVER_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
