"""Actions on existing resources: suspend, resume, check and snapshot."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Coroutine, Mapping
from typing import Any

from calor.engine.view.context import Context
from calor.engine.view.view import OpenTree, StackView
from calor.engine.walk.graph_walk import walk_graph
from calor.graph import Graph
from calor.language.library import ResolvedType
from calor.lifecycle import Action, Status
from calor.observe.fields import set_resource
from calor.plan.present import EXTERNAL, IMPLEMENTATION, declared_type
from calor.resources.contract import Act, ResourceType, contract_of
from calor.resources.values import JsonObject
from calor.stacks.external import exists
from calor.stacks.states import ResourceState, StepFailed, Stopped
from calor.stacks.tree import has_stack
from calor.store import records

BACKWARDS = frozenset({Action.SUSPEND})
CONTINUES_AFTER_FAILURE = frozenset({Action.CHECK})


def may_begin(action: Action, state: ResourceState) -> bool:
    """Whether an action may be started or continued on a resource. Otherwise a failed resource would be COMPLETE
    afterwards."""
    if action == Action.SUSPEND:
        return state.action == Action.SUSPEND or (
            state.action != Action.DELETE and state.status == Status.COMPLETE
        )
    if action == Action.RESUME:
        return state.action == Action.RESUME or state.state == "SUSPEND_COMPLETE"
    return True


def _was_never_created(state: ResourceState) -> bool:
    return state.status == Status.FAILED and state.physical_id is None


class ActionWalk:
    """An action on all resources of one stack."""

    def __init__(
        self, tree: OpenTree, stack: records.Stack, action: str, rows: list[records.Resource]
    ) -> None:
        self.run = tree.run
        self.stack = stack
        self.action = Action(action)
        self.journal = tree.run.journal
        self.view = StackView(tree, stack, None, rows)
        self.rows = self.view.rows
        self.children: dict[str, ActionWalk] = {}
        self.unsupported: list[str] = []
        self.snapshots: JsonObject = {}
        self.changes_attributes = False
        """Whether attributes may differ from those in the stack's outputs."""
        self._data: dict[str, JsonObject] = {}
        """The data of each resource before the action."""

    async def execute(self) -> dict[str, Exception]:
        """Carries out the action; returns failures by resource id."""
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
        continue_on_failure = self.action in CONTINUES_AFTER_FAILURE
        with self.run.telemetry.stack_scope(self.stack):
            return await walk_graph(
                graph,
                self._start,
                continue_on_failure=continue_on_failure,
                stop=self.run.control.stopped,
                idle=self.journal.send,
                wrap=self.run.tracked,
            )

    def _start(self, id: str) -> Coroutine[Any, Any, None] | None:
        state = self.rows[id]
        set_resource(state.name)
        if self._passes(state):
            # It may have been done by an engine that was killed before it stored the outputs.
            self.changes_attributes |= state.action == self.action
            return None
        if not may_begin(self.action, state):
            if self.view.current.get(state.name) is not state:
                # It was replaced and will be deleted.
                return None
            raise StepFailed("Error", f"State {state.state} is invalid for {self.action.lower()}")
        found = declared_type(state, self.run.world.declaration)
        never_created = _was_never_created(state)
        self._data[id] = state.data
        self._enter(state)
        if has_stack(state):
            return self._finish(self._walk_nested(state), state)
        if state.data.get(EXTERNAL):
            return self._leave_alone(state, found)
        handler = _handler(contract_of(found), self.action)
        if handler is None:
            if never_created:
                raise self._fail(state, StepFailed("Exception", "Resource not created"))
            if self.action == Action.CHECK:
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

    def _leave_alone(
        self, state: ResourceState, found: ResolvedType | None
    ) -> Coroutine[Any, Any, None] | None:
        """Actions do not affect external objects; a check verifies that they exist."""
        if self.action == Action.CHECK:
            return self._finish(self._must_exist(state, found), state)
        self._leave(state)
        return None

    async def _must_exist(self, state: ResourceState, found: ResolvedType | None) -> None:
        if not await exists(found, self.context(state)):
            raise StepFailed("NotFound", f"{state.type_name} {state.physical_id} is gone")

    def _passes(self, state: ResourceState) -> bool:
        """Whether the action skips the resource."""
        if state.action == Action.INIT or (state.action == Action.DELETE and state.status == Status.COMPLETE):
            return True
        if self.action == Action.SUSPEND:
            return state.state == "SUSPEND_COMPLETE"
        if self.action == Action.RESUME:
            return state.state == "RESUME_COMPLETE"
        # A resource that was not created has no snapshot, and must not be COMPLETE afterwards.
        return self.action == Action.SNAPSHOT and (
            state.state == "CREATE_FAILED" or _was_never_created(state)
        )

    async def _walk_nested(self, state: ResourceState) -> None:
        stack = await self.run.rows.nested_stack(self.stack, state)
        if stack is None:
            raise StepFailed("NotFound", f"the nested stack of {state.name} is gone")
        rows = await self.run.rows.resources(stack.id)
        inner = ActionWalk(self.view.tree, stack, self.action, rows)
        self.children[state.name] = inner
        self._change(stack, Status.IN_PROGRESS, f"Stack {self.action} started")
        failed = await inner.execute()
        if self.run.control.stopped():
            if self.run.control.aborted:
                self._change(stack, Status.FAILED, f"{self.action} aborted")
            raise Stopped
        if failed:
            reason = inner.failure(failed)
            self._change(stack, Status.FAILED, f"Resource {self.action} failed: {reason.reason}")
            raise reason
        if inner.changes_attributes:
            await self.view.tree.changes.store_outputs(stack)
            self.changes_attributes = True
        self._change(stack, Status.COMPLETE, f"Stack {self.action} completed successfully")

    def _change(self, stack: records.Stack, status: Status, reason: str) -> None:
        values = {"action": self.action, "status": status, "reason": reason, "updated_at": self.run.now()}
        self.journal.stack_changed(stack, **values)

    def failure(self, failed: Mapping[str, Exception]) -> StepFailed:
        """The failure to report; a check reports all of them."""
        found = [StepFailed.of(error).at(self.rows[id].name) for id, error in failed.items()]
        if self.action in CONTINUES_AFTER_FAILURE:
            return StepFailed(found[0].kind, ", ".join(one.message for one in found), nested=True)
        return found[0]

    async def _finish(self, outcome: Any, state: ResourceState) -> None:
        self.journal.send()
        try:
            answer = await outcome
        except asyncio.CancelledError:
            raise
        except Stopped:
            if self.run.control.aborted:
                self._fail(state, StepFailed("Aborted", f"{self.action} aborted"))
            raise
        except Exception as error:
            if self.run.control.left:
                raise Stopped from error
            raise self._fail(state, StepFailed.of(error)) from None
        self._done(state, answer)

    def _done(self, state: ResourceState, answer: Any) -> None:
        if self.action == Action.SNAPSHOT and isinstance(answer, dict):
            alias = {IMPLEMENTATION: state.data[IMPLEMENTATION]} if IMPLEMENTATION in state.data else {}
            self.snapshots[state.name] = answer | alias
        if state.data != self._data[state.id] and not has_stack(state):
            declared = declared_type(state, self.run.world.declaration)
            self.view.read_attributes_again(state, declared)
            self.changes_attributes = True
        self._leave(state)

    def context(self, state: ResourceState, **extra: Any) -> Context:
        return self.view.context(state, **extra)

    def _enter(self, state: ResourceState) -> None:
        self._note(state, Status.IN_PROGRESS, "state changed")

    def _leave(self, state: ResourceState, reason: str = "state changed") -> None:
        self._note(state, Status.COMPLETE, reason)

    def _fail(self, state: ResourceState, error: StepFailed) -> StepFailed:
        error = error.without_secrets(state)
        self._note(state, Status.FAILED, error.at(state.name).reason)
        return error

    def _note(self, state: ResourceState, status: Status, reason: str) -> None:
        state.action, state.status, state.reason = self.action, status, reason
        state.updated_at = self.run.now()
        self.journal.transition(self.stack, state)


def _handler(contract: type[ResourceType], action: Action) -> Act | None:
    match action:
        case Action.CHECK:
            return contract.check
        case Action.SUSPEND:
            return contract.suspend
        case Action.RESUME:
            return contract.resume
        case Action.SNAPSHOT:
            return contract.snapshot
    raise ValueError(f"{action} has no handlers")
