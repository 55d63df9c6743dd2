"""A run: one action on one stack, from the moment an engine takes it up until the stack has its final state."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from sqlalchemy import Connection, select, update

from calor.engine import definitions
from calor.engine.applying import Delete, StackWalk, Step
from calor.engine.journal import Journal
from calor.engine.states import StepFailed
from calor.language.definition import Definition
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.store import records, tables
from calor.store.database import reading
from calor.store.writer import Lease, Writer

STACK_TYPE = "OS::Heat::Stack"
ROLLED_BACK = frozenset({"CREATE", "UPDATE", "ADOPT", "RESTORE"})
"""The actions that lead back when they fail, if the stack wants that."""


class Stopped(Exception):
    """The run was told to stop."""


class Run:
    """Takes a stack from IN_PROGRESS to its end, rollback included."""

    def __init__(
        self, stack: records.Stack, lease: Lease, writer: Writer, database: Any, world: World
    ) -> None:
        self.stack = stack
        self.lease = lease
        self.world = world
        self.database = database
        self.journal = Journal(writer, lease, self.now)
        self.stop = asyncio.Event()
        self.file_digests: dict[str, str] = {}
        self.superseded = False
        self.timed_out = False

    @staticmethod
    def now() -> float:
        return time.time()

    async def pause(self, seconds: float) -> None:
        """Waits. Raises Stopped when the run is told to stop meanwhile."""
        try:
            await asyncio.wait_for(self.stop.wait(), seconds)
        except TimeoutError:
            return
        raise Stopped("the run was stopped")

    async def execute(self) -> None:
        """Runs until the stack is COMPLETE or FAILED."""
        while True:
            failed = await self._walk()
            if self.stop.is_set():
                return
            if not failed:
                await self._complete()
                return
            reason = self._reason(failed)
            if self.stack.disable_rollback or self.stack.action not in (
                "CREATE",
                "UPDATE",
                "ADOPT",
                "RESTORE",
            ):
                await self._end("FAILED", reason)
                return
            await self._end("FAILED", reason)
            self._roll_back()

    async def _walk(self) -> dict[Step, Exception]:
        loop = asyncio.get_running_loop()
        definition, rows = await loop.run_in_executor(None, self._load)
        self.walk = StackWalk(self, self.stack, definition, rows)
        failed = await self.walk.execute()
        self.journal.send()
        return failed

    async def stack_row(self, id: str | None) -> records.Stack | None:
        """A stack's row as it is now, what the run itself has changed included."""
        if id is None:
            return None
        await self.journal.flush()
        return await asyncio.get_running_loop().run_in_executor(None, self._stack_row, id)

    def _stack_row(self, id: str) -> records.Stack | None:
        with reading(self.database).connect() as connection:
            row = connection.execute(select(tables.stack).where(tables.stack.c.id == id)).one_or_none()
        return None if row is None else records.record(records.Stack, row)

    async def resource_rows(self, stack: str) -> list[records.Resource]:
        return await asyncio.get_running_loop().run_in_executor(None, self._resource_rows, stack)

    def _resource_rows(self, stack: str) -> list[records.Resource]:
        with reading(self.database).connect() as connection:
            query = select(tables.resource).where(tables.resource.c.stack == stack)
            return [records.record(records.Resource, row) for row in connection.execute(query)]

    def _load(self) -> tuple[Definition | None, list[records.Resource]]:
        with reading(self.database).connect() as connection:
            query = select(tables.resource).where(tables.resource.c.stack == self.stack.id)
            rows = [records.record(records.Resource, row) for row in connection.execute(query)]
            if self._wants_nothing:
                return None, rows
            request = definitions.load(connection, self.stack.definition)
            self.file_digests = definitions.file_digests(connection, self.stack.definition)
        identity = StackIdentity(self.stack.name, self.stack.id, self.stack.project)
        definition, report = definitions.define(request, self.world, identity)
        if definition is None:
            raise StepFailed("StackValidationFailed", next(iter(report)).full_message)
        return definition, rows

    @property
    def _wants_nothing(self) -> bool:
        """Whether all resources have to go: in a delete, and in the rollback of a create."""
        return self.stack.action == "DELETE" or bool(self.stack.run.get("empty"))

    def _reason(self, failed: dict[Step, Exception]) -> str:
        step = next(iter(failed))
        known = self.walk.failure(failed)
        action = "DELETE" if isinstance(step, Delete) else self.stack.action
        return f"Resource {action} failed: {known.kind}: {known.message}"

    async def _complete(self) -> None:
        action = self.stack.action
        if action == "DELETE":
            await self._deleted()
            return
        outputs = self.walk.outputs() if self.walk.definition is not None else {}
        await self._end(
            "COMPLETE",
            f"Stack {action} completed successfully",
            outputs=outputs,
            previous=self.stack.definition,
            run={},
        )

    async def _deleted(self) -> None:
        now = self.now()
        await self._end("COMPLETE", "Stack DELETE completed successfully", deleted_at=now)

    def _roll_back(self) -> None:
        """Turns the run into one that leads back to the last definition that was reached."""
        previous = self.stack.previous
        values: dict[str, Any] = {
            "action": "ROLLBACK",
            "status": "IN_PROGRESS",
            "reason": f"Stack {self.stack.action} failed, rolling back",
            "updated_at": self.now(),
            "definition": previous or self.stack.definition,
            "run": {} if previous else {"empty": True},
        }
        self._change(**values)

    async def _end(self, status: str, reason: str, **values: Any) -> None:
        self._change(status=status, reason=reason, **values)
        await self.journal.flush()

    def _change(self, **values: Any) -> None:
        """Changes the stack's row and tells the change as an event of the stack, unless a newer action has
        taken the stack over meanwhile."""
        before = self.stack.run_id
        self.stack = records.changed(self.stack, **values)
        event = self.journal.event_row(
            self.stack.id,
            self.stack.root,
            self.stack.name,
            STACK_TYPE,
            self.stack.id,
            self.stack.action,
            self.stack.status,
            self.stack.reason,
        )

        def write(connection: Connection) -> None:
            table = tables.stack
            change = update(table).where(table.c.id == self.stack.id, table.c.run_id == before).values(values)
            if connection.execute(change).rowcount:
                connection.execute(tables.event.insert(), [event])
            else:
                self.superseded = True

        self.journal.changes.then(write)

    def tell(self, stack: records.Stack) -> None:
        """The event of a stack's own state."""
        self.journal.event(
            stack.id, stack.root, stack.name, STACK_TYPE, stack.id, stack.action, stack.status, stack.reason
        )
