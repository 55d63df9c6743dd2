"""Takes up work: finds stacks that have to be walked and are walked by nobody, and keeps hold of them.

A lease says who walks a stack. It is renewed every second; an engine that dies loses its leases, and another
one goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from sqlalchemy import Engine, and_, delete, insert, or_, select, update

from calor.engine.ids import new_id
from calor.engine.leases import Leases
from calor.engine.runs import RETRY_LIMIT, Run
from calor.engine.setbacks import Setbacks, giving_up
from calor.engine.users import UserServices
from calor.engine.vault import Vault
from calor.engine.watching import running
from calor.language.library import World
from calor.observe.series import LEASES_LOST, RUNS
from calor.store import records, tables
from calor.store.clock import now
from calor.store.database import reading
from calor.store.outages import insist
from calor.store.writer import Lease, Stale, Writer

RENEWAL_SECONDS = 1.0
SWEEP_SECONDS = 1.0
REPORT_SECONDS = 60
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
    ) -> None:
        """`default_timeout` is the seconds that an action may take if its stack does not say. `alone` promises that
        no other engine works on the database: leases found at the start are those of engines that are gone, and
        need not run out."""
        self.default_timeout = default_timeout
        self.retry_limit = retry_limit
        self._alone = alone
        self.vault = vault
        self.user_services = user_services
        self.id = new_id()
        self.leases = Leases(database, self.id)
        # Renewals must not wait behind whatever else is done in threads.
        self._renewer = ThreadPoolExecutor(1, "renewals")
        self.database = database
        self.world = world
        self.writer = writer or Writer(database, patience=None)
        self._runs: dict[str, tuple[Run, asyncio.Task[None]]] = {}
        self._setbacks = Setbacks()
        self._bell = asyncio.Event()
        RUNS.ask(self, Keeper._running)

    def ring(self) -> None:
        """Tells that there may be work."""
        self._bell.set()

    async def serve(self, ready: Callable[[], None] = lambda: None) -> None:
        """Takes up work until cancelled."""
        await self._ask(self._sign_on)
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
            await self._ask(self._sign_off)
            self._renewer.shutdown(wait=False)

    @staticmethod
    async def _ask(question: Callable[..., Any], *args: Any) -> Any:
        """Asks the database; while that is away, waits for it."""
        work = partial(insist, partial(question, *args))
        return await asyncio.get_running_loop().run_in_executor(None, work)

    async def _sweep(self) -> None:
        # Threads must not go through the runs, which come and go meanwhile.
        walked = {id: run.stack.run_id for id, (run, _) in self._runs.items()}
        for id, status in await self._ask(self._overtaken, walked):
            if id not in self._runs:
                continue
            run = self._runs[id][0]
            if status == "IN_PROGRESS":
                run.stop.set()
            else:
                run.abort()
        for run, _ in self._runs.values():
            run.look_into_inbox()
        for id in await self._ask(self._waiting):
            claimed = await self._ask(self._claim, id)
            if claimed is not None:
                lease, stack = claimed
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
                )
                self._runs[stack.id] = (run, asyncio.ensure_future(self._execute(run)))

    def _running(self) -> int:
        return len(self._runs)

    def _waiting(self) -> list[str]:
        """Stacks under way, or signalled, whose lease nobody holds."""
        query = (
            select(tables.stack.c.id)
            .outerjoin(tables.lease, tables.lease.c.stack == tables.stack.c.id)
            .where(_HAS_WORK)
            .where(or_(tables.lease.c.stack.is_(None), tables.lease.c.expires_at < now()))
            .limit(100)
        )
        with reading(self.database).connect() as connection:
            found = connection.execute(query).scalars().all()
        return [id for id in found if id not in self._runs and not self._setbacks.rests(id)]

    def _claim(self, id: str) -> tuple[Lease, records.Stack] | None:
        """A lease, and the stack as it is now that nobody else changes it: what was to be done when it was found,
        another engine may have done."""
        lease = self.leases.claim(id)
        if lease is None:
            return None
        with reading(self.database).connect() as connection:
            query = select(tables.stack).where(tables.stack.c.id == id, _HAS_WORK)
            row = connection.execute(query).one_or_none()
        if row is None:
            self.leases.release(lease)
            return None
        return lease, records.record(records.Stack, row)

    def _overtaken(self, walked: Mapping[str, str]) -> list[tuple[str, str]]:
        """Of stacks that are walked here for an action each, those for which a newer one has replaced it, or that
        somebody has ended, and their statuses."""
        if not walked:
            return []
        table = tables.stack
        query = select(table.c.id, table.c.status, table.c.run_id).where(table.c.id.in_(walked))
        with reading(self.database).connect() as connection:
            rows = connection.execute(query)
            return [(id, status) for id, status, run_id in rows if run_id != walked[id]]

    async def _execute(self, run: Run) -> None:
        id = run.stack.id
        try:
            with running(run.stack, self.id):
                await run.execute()
            self._setbacks.overcome(id)
        except Stale:
            LEASES_LOST.add()
            log.warning("stack %s was taken over by another engine", id)
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
        given_up = giving_up(run.stack, run.lease, error)
        try:
            await asyncio.wrap_future(self.writer.submit(given_up))
        except Exception:
            log.exception("the stack %s could not be given up", run.stack.id)
        self._setbacks.overcome(run.stack.id)

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
        if self._alone:
            self.leases.clear()
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
