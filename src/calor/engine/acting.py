"""Actions on what is there: suspend, resume, check and snapshot. The definition stays as it is."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from calor.engine.context import Context
from calor.engine.foreign import exists
from calor.engine.states import ResourceState, StepFailed, Stopped
from calor.engine.tree import has_stack
from calor.engine.walking import walk
from calor.graph import Graph
from calor.language.definition import Definition
from calor.observe.fields import at_resource
from calor.plan.choosing import current
from calor.plan.present import EXTERNAL, IMPLEMENTATION, declared_type
from calor.store import records

if TYPE_CHECKING:
    from calor.engine.runs import Run

BACKWARDS = frozenset({"SUSPEND"})
GOES_ON = frozenset({"CHECK"})


def may_begin(action: str, state: ResourceState) -> bool:
    """Whether an action may be begun, or gone on with, on a resource as it is. Otherwise what was never made, or is
    broken, would count as COMPLETE afterwards."""
    if action == "SUSPEND":
        return state.action == "SUSPEND" or (state.action != "DELETE" and state.status == "COMPLETE")
    if action == "RESUME":
        return state.action == "RESUME" or state.state == "SUSPEND_COMPLETE"
    return True


def _was_never_made(state: ResourceState) -> bool:
    return state.status == "FAILED" and state.physical_id is None


class ActionWalk:
    """One stack on which an action is done, resource by resource."""

    def __init__(self, run: Run, stack: records.Stack, action: str, rows: list[records.Resource]) -> None:
        self.run = run
        self.stack = stack
        self.action = action
        self.journal = run.journal
        self.definition: Definition | None = None
        self.rows = run.states_of(rows)
        self._current = current(self.rows.values(), stack.definition)
        self.children: dict[str, ActionWalk] = {}
        self.unsupported: list[str] = []
        self.snapshots: dict[str, Any] = {}

    async def execute(self) -> dict[str, Exception]:
        """Does the action on every resource; what failed, by id."""
        graph: Graph[str] = Graph()
        for row in self.rows.values():
            graph.add(row.id)
            for needed in row.requires:
                if needed not in self.rows:
                    continue
                if self.action in BACKWARDS:
                    graph.depend(needed, row.id)
                else:
                    graph.depend(row.id, needed)
        go_on = self.action in GOES_ON
        with self.run.watch.walking(self.stack):
            return await walk(
                graph,
                self._start,
                go_on=go_on,
                stop=self.run.stopped,
                rest=self.journal.send,
                follow=self.run.followed,
            )

    def _start(self, id: str) -> Coroutine[Any, Any, None] | None:
        state = self.rows[id]
        at_resource(state.name)
        if self._passes(state):
            return None
        if not may_begin(self.action, state):
            if self._current.get(state.name) is not state:
                # It waits to be deleted, and another one has its place.
                return None
            raise StepFailed("Error", f"State {state.state} is invalid for {self.action.lower()}")
        found = declared_type(state, self.run.world.declaration)
        never_made = _was_never_made(state)
        self._enter(state)
        if has_stack(state):
            return self._finish(self._below(state), state)
        if state.data.get(EXTERNAL):
            return self._leave_alone(state, found)
        handler = getattr(found, self.action.lower(), None)
        if handler is None:
            if never_made:
                raise self._fail(state, StepFailed("Exception", "Resource not created"))
            if self.action == "CHECK":
                self.unsupported.append(state.name)
                self._leave(state, f"CHECK not supported for {state.type_name}")
            else:
                self._leave(state)
            return None
        try:
            outcome = handler(self.context(state))
        except Exception as error:
            raise self._fail(state, StepFailed.of(error)) from None
        if inspect.isawaitable(outcome):
            return self._finish(outcome, state)
        self._done(state, outcome)
        return None

    def _leave_alone(self, state: ResourceState, found: Any) -> Coroutine[Any, Any, None] | None:
        """Nothing is done to what the stack only refers to. A check tells whether it is there."""
        if self.action == "CHECK":
            return self._finish(self._must_exist(state, found), state)
        self._leave(state)
        return None

    async def _must_exist(self, state: ResourceState, found: Any) -> None:
        if not await exists(found, self.context(state)):
            raise StepFailed("NotFound", f"{state.type_name} {state.physical_id} is gone")

    def _passes(self, state: ResourceState) -> bool:
        """Whether the action has nothing to do with the resource."""
        if state.action == "INIT" or (state.action == "DELETE" and state.status == "COMPLETE"):
            return True
        if self.action == "SUSPEND":
            return state.state == "SUSPEND_COMPLETE"
        if self.action == "RESUME":
            return state.state == "RESUME_COMPLETE"
        # What was not made is not worth keeping, and must not count as COMPLETE afterwards.
        return self.action == "SNAPSHOT" and (state.state == "CREATE_FAILED" or _was_never_made(state))

    async def _below(self, state: ResourceState) -> None:
        stack = await self.run.stack_below(self.stack, state)
        if stack is None:
            raise StepFailed("NotFound", f"the stack below {state.name} is gone")
        inner = ActionWalk(self.run, stack, self.action, await self.run.resource_rows(stack.id))
        self.children[state.name] = inner
        self._change(stack, "IN_PROGRESS", f"Stack {self.action} started")
        failed = await inner.execute()
        if self.run.stopped():
            if self.run.aborted:
                self._change(stack, "FAILED", f"{self.action} was given up")
            raise Stopped
        if failed:
            reason = inner.failure(failed)
            self._change(stack, "FAILED", f"Resource {self.action} failed: {reason.reason}")
            raise reason
        self._change(stack, "COMPLETE", f"Stack {self.action} completed successfully")

    def _change(self, stack: records.Stack, status: str, reason: str) -> None:
        values = {"action": self.action, "status": status, "reason": reason, "updated_at": self.run.now()}
        self.journal.stack_changed(stack, **values)

    def failure(self, failed: Mapping[str, Exception]) -> StepFailed:
        """What failed; a check tells all of it."""
        found = [StepFailed.of(error).at(self.rows[id].name) for id, error in failed.items()]
        if self.action in GOES_ON:
            return StepFailed(found[0].kind, ", ".join(one.message for one in found), nested=True)
        return found[0]

    async def _finish(self, outcome: Any, state: ResourceState) -> None:
        self.journal.send()
        try:
            answer = await outcome
        except asyncio.CancelledError:
            raise
        except Stopped:
            if self.run.aborted:
                self._fail(state, StepFailed("Aborted", f"{self.action} was given up"))
            raise
        except Exception as error:
            if self.run.left:
                raise Stopped from error
            raise self._fail(state, StepFailed.of(error)) from None
        self._done(state, answer)

    def _done(self, state: ResourceState, answer: Any) -> None:
        if self.action == "SNAPSHOT" and isinstance(answer, dict):
            alias = {IMPLEMENTATION: state.data[IMPLEMENTATION]} if IMPLEMENTATION in state.data else {}
            self.snapshots[state.name] = answer | alias
        self._leave(state)

    def by_reference(self, reference: Any) -> ResourceState | None:
        return next((row for row in self.rows.values() if reference in (row.name, row.physical_id)), None)

    def update_policy(self, name: str) -> Mapping[str, Any]:
        """Nothing is updated here."""
        return {}

    def reads(self, name: str, attribute: str) -> bool:
        """No attributes are read here."""
        return False

    def context(self, state: ResourceState, **extra: Any) -> Context:
        return Context(self, state, **extra)

    def _enter(self, state: ResourceState) -> None:
        self._note(state, "IN_PROGRESS", "state changed")

    def _leave(self, state: ResourceState, reason: str = "state changed") -> None:
        self._note(state, "COMPLETE", reason)

    def _fail(self, state: ResourceState, error: StepFailed) -> StepFailed:
        self._note(state, "FAILED", error.at(state.name).reason)
        return error

    def _note(self, state: ResourceState, status: str, reason: str) -> None:
        state.action, state.status, state.reason = self.action, status, reason
        state.updated_at = self.run.now()
        self.journal.transition(self.stack, state)
