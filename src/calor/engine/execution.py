"""Executes a run until its stack is COMPLETE or FAILED, rollback included."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextvars import copy_context
from functools import partial
from typing import Any

from calor.clouds.errors import CloudError, NotFound
from calor.engine.event_sinks import EventSinks
from calor.engine.run.loading import run_in_loading_thread
from calor.engine.run.run import Run
from calor.engine.signals.inbox import Inbox
from calor.engine.signals.nested_changes import SingleChanges
from calor.engine.view.view import OpenTree, StackView
from calor.engine.walk.actions import ActionWalk
from calor.engine.walk.dispatch import dispatch
from calor.engine.walk.drift import find_drift
from calor.engine.walk.stack_walk import StackWalk
from calor.language.definition import Definition
from calor.lifecycle import Action, Status
from calor.observe import fields
from calor.stacks import definitions, snapshots
from calor.stacks.run_notes import RunNotes
from calor.stacks.states import StepFailed
from calor.store import records
from calor.store.database import Connection
from calor.store.runs import forget_snapshots, show_nested_as_updated, snapshot_of, unhealthy_stacks

log = logging.getLogger(__name__)

ACTIONS_IN_PLACE = frozenset({Action.SUSPEND, Action.RESUME, Action.CHECK, Action.SNAPSHOT})
ROLLED_BACK = frozenset({Action.CREATE, Action.UPDATE, Action.ADOPT, Action.RESTORE})
"""The actions that are rolled back when they fail, unless the stack disables it."""


class Execution:
    """The execution of one run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.tree = OpenTree(run)
        changes = SingleChanges(self.tree, dispatch)
        self.tree.changes = changes
        self._sinks = EventSinks(run)
        self._inbox = Inbox(self.tree, changes.define)
        self._walk: StackWalk | ActionWalk | None = None
        self._timed_out = False
        self._context = copy_context()

    def check_inbox(self) -> None:
        """Handles pending signals in the background, with the log fields and the span of the run."""
        self._context.run(self._inbox.look)

    async def execute(self, *, is_signalled: bool) -> None:
        """Runs until the stack is COMPLETE or FAILED, or until stopped. Later signals are left to another run."""
        run = self.run
        self._context = copy_context()
        try:
            if is_signalled:
                self.check_inbox()
            if run.stack.status == Status.IN_PROGRESS:
                run.telemetry.run_started(run.stack, run.now())
                run.outages.clear()
                await self._execute()
        finally:
            await self._inbox.close()
            await self._sinks.close()
            # All changes must be written before the lease is released.
            try:
                await run.journal.flush()
            finally:
                run.owner.unregister_all()

    async def _execute(self) -> None:
        run, control = self.run, self.run.control
        while True:
            failure = await self._in_time()
            if control.aborted:
                await run.software.cancel(timed_out=self._timed_out)
            stopped = control.stop.is_set() and not self._timed_out
            if control.left or stopped or control.is_cancelled(run.stack.id):
                return
            if failure is None:
                await self._complete()
                return
            rolls_back = run.stack.action in ROLLED_BACK and not run.stack.disable_rollback
            self._note_end(Status.FAILED, failure)
            if rolls_back:
                # In the same transaction, so that no other engine takes the failure for the end.
                self._roll_back()
            await run.journal.flush()
            if not rolls_back or run.root.superseded:
                return
            control.restart()
            self._timed_out = False
            self.tree.clear()

    async def _in_time(self) -> str | None:
        """Walks the stack; aborts on a timeout. Returns why it failed, or None."""
        run = self.run
        seconds = run.timeout(run.stack)
        timer = None
        if seconds:
            began = run.stack.updated_at or run.stack.created_at
            remaining = began + seconds - run.now()
            timer = asyncio.get_running_loop().call_later(max(remaining, 0), self._expire)
        try:
            failure = await self._walk_stack()
        except StepFailed as error:
            failure = error.reason
        finally:
            if timer is not None:
                timer.cancel()
        run.journal.send()
        return "Timed out" if self._timed_out else failure

    def _expire(self) -> None:
        self._timed_out = True
        self.run.control.abort()

    async def _walk_stack(self) -> str | None:
        run, stack = self.run, self.run.stack
        if stack.action in ACTIONS_IN_PLACE:
            self._sinks.open()
            acting = ActionWalk(self.tree, stack, stack.action, await run.rows.resources(stack.id))
            self._walk = acting
            return _reason(stack.action, await acting.execute(), acting.failure)
        drifted = await find_drift(self.tree, stack) if RunNotes.of(stack).converge else set()
        await run.journal.flush()
        definition, rows, has_sinks = await run_in_loading_thread(self._load)
        if has_sinks:
            self._sinks.open()
        run.unhealthy |= drifted
        view = StackView(self.tree, stack, definition, rows, run.registry)
        self._walk = applying = StackWalk(view, dispatch)
        return _reason(stack.action, await applying.execute(), applying.failure)

    def _load(self) -> tuple[Definition | None, list[records.Resource], bool]:
        """The stack's new definition, None if it is deleted; its present resources; whether it may have event sinks."""
        run, stack = self.run, self.run.stack
        notes = RunNotes.of(stack)
        with run.presence.computing(run.computing):
            rows = run.rows.resources_now(stack.id)
            run.kept = self._kept(notes) if stack.action == Action.RESTORE else snapshots.Kept()
            unhealthy = unhealthy_stacks(run.database, stack.root) if rows else set()
            run.unhealthy = unhealthy | run.kept.stacks
            nothing = stack.action == Action.DELETE or notes.empty
            request = run.request(stack.definition)
            has_sinks = definitions.has_sinks(request)
            if nothing and not definitions.has_hooks(request):
                return None, rows, has_sinks
            definition = run.define(request)
            run.registry = definition.environment.registry
            return None if nothing else definition, rows, has_sinks

    def _kept(self, notes: RunNotes) -> snapshots.Kept:
        """The resource data with which a snapshot is restored."""
        found = snapshot_of(self.run.database, notes.snapshot, self.run.stack.id)
        return snapshots.kept(found.data if found is not None else None, self.run.world.declaration)

    # The end.

    async def _complete(self) -> None:
        run, walk = self.run, self._walk
        action = run.stack.action
        reason = f"Stack {action} completed successfully"
        if action == Action.DELETE:
            # Before the owner's credentials, which the sinks need, are deleted.
            await self._sinks.close(records.changed(run.stack, status=Status.COMPLETE, reason=reason))
            await self._discard_snapshots()
            # An engine that takes the stack over would need the credentials for all that is not stored as deleted.
            await run.journal.flush()
            await run.owner.delete_credentials(run.users)
            run.journal.changes.then(partial(forget_snapshots, id=run.stack.id))
            await self._end(Status.COMPLETE, reason, deleted_at=run.now())
        elif isinstance(walk, StackWalk):
            empty = walk.view.definition is None
            outputs = {} if empty else walk.view.outputs()
            # After a rollback to nothing, there is no definition for later rollbacks.
            reached = None if empty else run.stack.definition
            if action in (Action.UPDATE, Action.ROLLBACK, Action.RESTORE) and walk.view.has_nested:
                run.journal.changes.then(partial(show_nested_as_updated, root=run.stack))
            await self._end(Status.COMPLETE, reason, outputs=outputs, previous=reached, run={})
        else:
            if walk is not None and walk.changes_attributes:
                await self.tree.changes.store_outputs(run.stack)
            unsupported = walk.unsupported if walk is not None else []
            if unsupported:
                reason = f"{reason}; not supported for {', '.join(unsupported)}"
            await self._end(Status.COMPLETE, reason, run={})

    async def _discard_snapshots(self) -> None:
        """Deletes the objects of the stack's snapshots. Errors must not prevent the stack from being deleted."""
        declaration = self.run.world.declaration
        for snapshot in await self.run.rows.snapshots():
            for part in snapshots.parts(snapshot.data, declaration):
                try:
                    cloud = await self.run.owner.cloud()
                    await cloud.request(part.service, "DELETE", part.collection, part.id)
                except NotFound:
                    continue
                except (CloudError, StepFailed) as error:
                    log.warning(
                        "%s %s of a snapshot could not be deleted: %s", part.collection, part.id, error
                    )

    def _finish_snapshot(self, connection: Connection, id: str, status: Status, reason: str) -> None:
        """Stores the result of a snapshot, with the stack's data if it is complete."""
        walk = self._walk if isinstance(self._walk, ActionWalk) else None
        snapshots.finish(connection, self.run.stack, walk, self.run.world, id, status, reason)

    def _roll_back(self) -> None:
        """Turns the run into a rollback to the last completed definition."""
        run, stack = self.run, self.run.stack
        notes = RunNotes(
            origin=RunNotes.of(stack).origin,
            empty=not stack.previous,
            # Adopted objects existed before and are kept.
            retain=stack.action == Action.ADOPT,
        )
        run.root.change(
            action=Action.ROLLBACK,
            status=Status.IN_PROGRESS,
            reason=f"Stack {stack.action} failed, rolling back",
            updated_at=run.now(),
            definition=stack.previous or stack.definition,
            run=notes.stored(),
        )
        fields.add(action=Action.ROLLBACK)

    async def _end(self, status: Status, reason: str, **values: Any) -> None:
        self._note_end(status, reason, **values)
        await self.run.journal.flush()

    def _note_end(self, status: Status, reason: str, **values: Any) -> None:
        run = self.run
        if run.stack.action == Action.SNAPSHOT:
            id = str(RunNotes.of(run.stack).snapshot)
            run.journal.changes.then(partial(self._finish_snapshot, id=id, status=status, reason=reason))
        run.root.change(status=status, reason=reason, **values)
        run.telemetry.run_ended(run.stack, run.now())


def _reason(
    action: str, failed: Mapping[Any, Exception], failure: Callable[[Mapping[Any, Exception]], StepFailed]
) -> str | None:
    return f"Resource {action} failed: {failure(failed).reason}" if failed else None
