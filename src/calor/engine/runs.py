"""A run: one action on one stack, from the moment an engine takes it up until the stack has its final state."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping
from concurrent.futures import Executor
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, update

from calor.clouds.errors import Transient
from calor.clouds.fencing import sending_only_if
from calor.engine import definitions, reality, snapshots
from calor.engine.acting import ActionWalk
from calor.engine.applying import StackWalk
from calor.engine.awaiting import Outages
from calor.engine.configs import Configs
from calor.engine.events import stack_event_row
from calor.engine.ids import new_id
from calor.engine.journal import Journal
from calor.engine.ledger import Ledger
from calor.engine.loading import loaded
from calor.engine.presence import Computing, Presence
from calor.engine.scaling import ChangesBelow
from calor.engine.signals import Inbox
from calor.engine.sinks import Sinks
from calor.engine.states import LeaseLost, ResourceState, StepFailed, Stopped
from calor.engine.strays import Stray, Strays
from calor.engine.unchanged import show_as_updated
from calor.engine.users import ResourceUsers, UserServices
from calor.engine.vault import Vault
from calor.engine.watching import ORIGIN, Watch
from calor.language.definition import Definition
from calor.language.library import World
from calor.language.registry import Registry
from calor.observe import fields
from calor.store import records, sealing, tables
from calor.store.database import seal_of
from calor.store.writer import Lease, Writer
from calor.types.behaviour import NothingToDo

log = logging.getLogger(__name__)

RETRY_LIMIT = 5
Answer = TypeVar("Answer")

ACTIONS_IN_PLACE = frozenset({"SUSPEND", "RESUME", "CHECK", "SNAPSHOT"})
ROLLED_BACK = frozenset({"CREATE", "UPDATE", "ADOPT", "RESTORE"})
"""The actions that lead back when they fail, if the stack wants that."""


class Run(Ledger):
    """Takes a stack from IN_PROGRESS to its end, rollback included."""

    def __init__(
        self,
        stack: records.Stack,
        lease: Lease,
        writer: Writer,
        database: Engine,
        world: World,
        vault: Vault | None = None,
        user_services: UserServices | None = None,
        default_timeout: float | None = None,
        holds: Callable[[], bool] = lambda: True,
        retry_limit: int = RETRY_LIMIT,
        strays: Strays | None = None,
        presence: Presence | None = None,
    ) -> None:
        super().__init__()
        self.stack = stack
        self.lease = lease
        self.world = world
        self.vault = vault
        self.database = database
        self.seal = seal_of(database) if stack.sealed else None
        """What encrypts the definitions of the stacks below, where the stack's own is encrypted."""
        self.watch = Watch(world.declaration)
        self.journal = Journal(writer, lease, self.now, sealed=stack.sealed, watch=self.watch)
        self.configs = Configs(self)
        self.users = ResourceUsers(self, user_services) if user_services is not None else None
        self.default_timeout = default_timeout
        self.retry_limit = retry_limit
        """How often the creation of a resource is tried again."""
        self.stop = asyncio.Event()
        self.left = False
        """Whether the stack belongs to somebody else by now, or is to."""
        self._holds = holds
        self._cancelled: set[str] = set()
        """Stacks in which nothing more is started: somebody has cancelled what was done to them."""
        self.late: dict[str, Stray] = {}
        """Objects, by id, of which the run has learned when it had lost its stack."""
        self._strays = strays
        self.presence = presence or Presence(None, lease.owner)
        self._shown = self.computing.written()
        self.aborted = False
        """Whether what is stopped is given up, rather than left for somebody else to go on with."""
        self.walk: StackWalk | ActionWalk | None = None
        self.registry = Registry()
        """Hooks and restrictions of the root's resources."""
        self.file_digests: dict[str, str] = {}
        self.denied_types: Collection[str] = ()
        """The types that whoever defined the stack may not use."""
        self.walks: dict[str, StackWalk] = {}
        """Stacks of the tree that have been opened, by id."""
        self._states: dict[str, ResourceState] = {}
        self.below = ChangesBelow(self)
        self.outages = Outages(self)
        self._sinks = Sinks(self, self.queues)
        self.kept = snapshots.Kept()
        """What leads the resources back, where a snapshot is restored."""
        self.ailing: set[str] = set()
        """The stacks of the tree in which, or below which, something was not well when the walk began."""
        self._superseded = False
        self._timed_out = False
        self._signalled = asyncio.Event()
        self._inbox = Inbox(self)
        self._context = copy_context()

    @staticmethod
    def now() -> float:
        return time.time()

    @property
    def mark(self) -> str:
        """Tells this action from others, also from the rollback that may follow it."""
        return f"{self.stack.run_id} {self.stack.action}"

    def leave(self) -> None:
        """Leaves the stack to somebody else: nothing more is started, and nothing counts as failed for that."""
        self.left = True
        self.aborted = False
        self.stop.set()

    def stopped(self) -> bool:
        """Whether nothing more may be started: the run was told to stop, its lease has run out, or something
        it did could not be written down."""
        if not self.left and (not self._holds() or self.journal.broken is not None):
            why = self.journal.broken or "its lease has run out"
            log.warning("stack %s is left to be taken up again: %s", self.stack.id, why)
            self.leave()
        return self.stop.is_set()

    def ensure_held(self) -> None:
        """Raises Stopped if somebody else may be working on the stack by now."""
        if self.stopped() and self.left:
            raise Stopped

    async def in_thread(
        self, work: Callable[..., Answer], *args: Any, pool: Executor | None = None
    ) -> Answer:
        """What work gives that takes its time, such as requests. Those that change something are sent only while
        nobody else can be working on the stack, as of the moment when they are sent. Raises Stopped."""
        self.ensure_held()
        fenced = partial(copy_context().run, self.fenced, work, *args)
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, fenced)
        except LeaseLost as lost:
            if lost.stack != self.stack.id:
                # Another run has asked for the same, and this one has waited for its answer.
                raise Transient("nobody asked for it in the end", status=503) from None
            if not self.stopped():
                # Renewed a moment later. What was not sent may have been one of several requests.
                self.leave()
            raise Stopped from None

    @property
    def holds_lease(self) -> bool:
        """Whether nobody else can be working on the stack."""
        return self._holds()

    def check_late(self, physical_id: str) -> None:
        """What a resource has got too late may belong to nobody."""
        stray = self.late.pop(physical_id, None)
        if stray is not None and self._strays is not None:
            self._strays.watch(stray)

    @property
    def computing(self) -> Computing:
        """What others are to know of the run while something is computed for it."""
        return Computing(self.stack.root, self.stack.run_id)

    def fenced(self, work: Callable[..., Answer], *args: Any) -> Answer:
        """What work gives, in this thread. Raises LeaseLost rather than to send what changes something when somebody
        else may be working on the stack."""
        self._ensure_sendable()
        with sending_only_if(self._ensure_sendable):
            return work(*args)

    def _ensure_sendable(self) -> None:
        if not self._holds():
            raise LeaseLost(self.stack.id)

    async def pause(self, seconds: float) -> None:
        """Waits, with all that was noted on its way to the database. Raises Stopped when the run is to stop."""
        self.journal.send()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.stop.wait()
        if self.stopped():
            raise Stopped

    # Signals.

    async def await_signal(self, seconds: float) -> None:
        """Waits until a signal has been handled, but no longer than that. Raises Stopped."""
        self.journal.send()
        waiting = [
            asyncio.ensure_future(self._signalled.wait()),
            asyncio.ensure_future(self.stop.wait()),
        ]
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        if self.stopped():
            raise Stopped

    def look_into_inbox(self) -> None:
        """Handles signals beside the walk, and tells of them as of the rest of the run."""
        self._context.run(self._inbox.look)

    def signalled(self) -> None:
        """Wakes up whoever waits for a signal."""
        handled, self._signalled = self._signalled, asyncio.Event()
        handled.set()

    def states_of(self, rows: Iterable[records.Resource]) -> dict[str, ResourceState]:
        """Resources by their ids, each as this run knows it. Signals are handled beside the walk, and may have opened a
        stack before it: of each resource there is one copy for all of them."""
        found: dict[str, ResourceState] = {}
        for row in rows:
            state = self._states.get(row.id)
            if state is None:
                state = self._states[row.id] = ResourceState.of(row)
            found[row.id] = state
        return found

    def introduce(self, state: ResourceState) -> None:
        """Makes a new resource known to the run."""
        self._states[state.id] = state

    async def walk_of(self, stack: str) -> StackWalk | None:
        """A stack of the tree, opened if it has not been yet."""
        if stack not in self.walks:
            row = await self.stack_of_tree(stack)
            if row is None or row.deleted_at is not None:
                return None
            opened = StackWalk(self, row, None, await self.resource_rows(stack))
            if stack not in self.walks:
                opened.open()
        return self.walks[stack]

    async def execute(self) -> None:
        """Runs until the stack is COMPLETE or FAILED, or until told to stop."""
        self._context = copy_context()
        try:
            if self.stack.status == "IN_PROGRESS":
                self.watch.begins(self.stack, self.now())
                self.outages.clear()
                self.look_into_inbox()
                self._sinks.open()
                await self._execute()
        finally:
            await self._inbox.emptied()
            await self._sinks.close()
            # What is still to be written must be before the lease is given back.
            try:
                await self.journal.flush()
            finally:
                self.forget_makers()

    async def _execute(self) -> None:
        while True:
            failure = await self._in_time()
            if self.aborted:
                await self.configs.cancel(timed_out=self._timed_out)
            if self.left or (self.stop.is_set() and not self._timed_out) or self.is_cancelled(self.stack.id):
                return
            if failure is None:
                await self._complete()
                return
            rolls_back = self.stack.action in ROLLED_BACK and not self.stack.disable_rollback
            self._note_end("FAILED", failure)
            if rolls_back:
                # In the same transaction: nobody takes the failure for the end.
                self._roll_back()
            await self.journal.flush()
            if not rolls_back or self._superseded:
                return
            self.stop.clear()
            self.aborted = self._timed_out = False
            self.walks.clear()
            self._states.clear()

    async def _in_time(self) -> str | None:
        """Walks; when the stack's time is over, what runs is stopped. Why it failed, if it did."""
        seconds = self.timeout(self.stack)
        timer = None
        if seconds:
            began = self.stack.updated_at or self.stack.created_at
            remaining = began + seconds - self.now()
            timer = asyncio.get_running_loop().call_later(max(remaining, 0), self._expire)
        try:
            failure = await self._walk()
        except StepFailed as error:
            failure = error.reason
        finally:
            if timer is not None:
                timer.cancel()
        self.journal.send()
        return "Timed out" if self._timed_out else failure

    def timeout(self, stack: records.Stack) -> float | None:
        """The seconds an action on a stack may take."""
        return stack.timeout_mins * 60.0 if stack.timeout_mins else self.default_timeout

    def _expire(self) -> None:
        self._timed_out = True
        self.abort()

    def cancel(self, stack: str | None = None) -> None:
        """Starts nothing more in a stack of the tree and those below it, in the whole tree by default; what is under
        way is done."""
        self._cancelled.add(stack or self.stack.id)
        # Those who wait at hooks have begun nothing.
        self.signalled()

    def is_cancelled(self, stack: str) -> bool:
        return stack in self._cancelled

    def followed(self, step: Coroutine[Any, Any, None]) -> Awaitable[None]:
        """A step that others can see to be computing something."""
        return self.presence.followed(self._shown, step)

    def abort(self) -> None:
        """Stops, and gives up what is under way."""
        self.aborted = True
        self.stop.set()

    async def _walk(self) -> str | None:
        action = self.stack.action
        if action in ACTIONS_IN_PLACE:
            acting = ActionWalk(self, self.stack, action, await self.resource_rows(self.stack.id))
            self.walk = acting
            return _told(action, await acting.execute(), acting.failure)
        drifted = await reality.look(self, self.stack) if self.stack.run.get(reality.CONVERGE) else set()
        await self.journal.flush()
        definition, rows = await loaded(self._load_seen)
        self.ailing |= drifted
        applying = StackWalk(self, self.stack, definition, rows, self.registry)
        self.walk = applying
        return _told(action, await applying.execute(), applying.failure)

    async def recreate(self, walk: StackWalk, reference: str) -> None:
        """Begins an update of the whole tree in which a resource counts as failed."""
        state = walk.by_reference(reference)
        if state is None:
            raise StepFailed("NotFound", f"there is no resource {reference} in the stack")
        if self.stack.status == "IN_PROGRESS":
            raise NothingToDo("the stack is being worked on")
        state.action, state.status, state.reason = "CHECK", "FAILED", "it is to be made anew"
        self.journal.transition(walk.stack, state)
        self._change(
            action="UPDATE",
            status="IN_PROGRESS",
            reason="Stack UPDATE started",
            updated_at=self.now(),
            run_id=new_id(),
            run={},
        )

    def _load_seen(self) -> tuple[Definition | None, list[records.Resource]]:
        with self.presence.computing(self.computing):
            return self._load()

    def _load(self) -> tuple[Definition | None, list[records.Resource]]:
        """What the stack is to become, None for nothing, and what it has."""
        rows = self._resource_rows(self.stack.id)
        self.kept = self.read_kept() if self.stack.action == "RESTORE" else snapshots.Kept()
        self.ailing = (self.read_ailing() if rows else set()) | self.kept.stacks
        nothing = self.stack.action == "DELETE" or bool(self.stack.run.get("empty"))
        request = self.request(self.stack.definition)
        if nothing and not definitions.has_hooks(request):
            return None, rows
        definition = self.define(request)
        self.registry = definition.environment.registry
        return None if nothing else definition, rows

    # How it ends.

    async def _complete(self) -> None:
        action = self.stack.action
        reason = f"Stack {action} completed successfully"
        if action == "DELETE":
            # The queues are written to in the owner's name, which is given up with the stack.
            await self._sinks.close(records.changed(self.stack, status="COMPLETE", reason=reason))
            await self.discard_snapshots()
            await self.give_up_credentials()
            self.journal.changes.then(self._forget_snapshots)
            await self._end("COMPLETE", reason, deleted_at=self.now())
        elif isinstance(self.walk, StackWalk):
            empty = self.walk.definition is None
            outputs = {} if empty else self.walk.outputs()
            # Where all has been taken away again, no definition was reached to which one could lead back.
            reached = None if empty else self.stack.definition
            if action in ("UPDATE", "ROLLBACK", "RESTORE") and self.walk.has_nested:
                self.journal.changes.then(partial(show_as_updated, root=self.stack))
            await self._end("COMPLETE", reason, outputs=outputs, previous=reached, run={})
        else:
            unsupported = self.walk.unsupported if self.walk is not None else []
            if unsupported:
                reason = f"{reason}; not supported for {', '.join(unsupported)}"
            await self._end("COMPLETE", reason, run={})

    def _forget_snapshots(self, connection: Connection) -> None:
        table = tables.snapshot
        connection.execute(table.delete().where(table.c.stack == self.stack.id))

    def _finish_snapshot(self, connection: Connection, id: str, status: str, reason: str) -> None:
        """A snapshot has the stack's data when the snapshot is complete; its stack has that state afterwards."""
        walk = self.walk if isinstance(self.walk, ActionWalk) else None
        snapshots.finish(connection, self.stack, walk, self.world, id, status, reason)

    def _roll_back(self) -> None:
        """Turns the run into one that leads back to the last definition that was reached."""
        previous = self.stack.previous
        run: dict[str, Any] = {} if previous else {"empty": True}
        if ORIGIN in self.stack.run:
            run[ORIGIN] = self.stack.run[ORIGIN]
        if self.stack.action == "ADOPT":
            # What was taken over was there before, and stays.
            run["retain"] = True
        self._change(
            action="ROLLBACK",
            status="IN_PROGRESS",
            reason=f"Stack {self.stack.action} failed, rolling back",
            updated_at=self.now(),
            definition=previous or self.stack.definition,
            run=run,
        )
        fields.learn(action="ROLLBACK")

    async def _end(self, status: str, reason: str, **values: Any) -> None:
        self._note_end(status, reason, **values)
        await self.journal.flush()

    def _note_end(self, status: str, reason: str, **values: Any) -> None:
        if self.stack.action == "SNAPSHOT":
            id = self.stack.run["snapshot"]
            self.journal.changes.then(partial(self._finish_snapshot, id=id, status=status, reason=reason))
        self._change(status=status, reason=reason, **values)
        self.watch.ends(self.stack, self.now())

    def reason_changed(self, reason: str) -> None:
        """Changes what the stack says of itself; no event tells of that."""
        self.stack = stack = records.changed(self.stack, reason=reason)

        def write(connection: Connection) -> None:
            table = tables.stack
            [row] = sealing.protect(connection, table, [{"reason": reason}], stack.sealed)
            change = update(table).where(table.c.id == stack.id, table.c.run_id == stack.run_id)
            connection.execute(change.where(table.c.status == "IN_PROGRESS").values(row))

        self.journal.changes.then(write)

    def _change(self, **values: Any) -> None:
        """Changes the stack's row and tells the change as an event of the stack, unless a newer action has
        taken the stack over meanwhile."""
        run_id = self.stack.run_id
        self.stack = stack = records.changed(self.stack, **values)
        event = stack_event_row(stack, self.now())

        def write(connection: Connection) -> None:
            table = tables.stack
            change = update(table).where(table.c.id == stack.id, table.c.run_id == run_id)
            [row] = sealing.protect(connection, table, [values], stack.sealed)
            if connection.execute(change.values(row)).rowcount:
                told = sealing.protect(connection, tables.event, [event], stack.sealed)
                connection.execute(tables.event.insert(), told)
            else:
                self._superseded = True

        self.journal.changes.then(write)


def _told(action: str, failed: Mapping[Any, Exception], failure: Any) -> str | None:
    if not failed:
        return None
    known: StepFailed = failure(failed)
    return f"Resource {action} failed: {known.reason}"
