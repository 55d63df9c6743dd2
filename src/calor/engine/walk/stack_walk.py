"""Changes one stack to its definition: runs the steps of its graph, waits at hooks, and collects failures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from calor.engine.view.refreshing import refresh_attributes
from calor.engine.view.view import StackView
from calor.engine.walk.graph_walk import maybe_await, walk_graph
from calor.engine.walk.hooks import wait_at
from calor.engine.walk.recorder import FAILURE, UNTOUCHED, Recorder
from calor.graph import Graph
from calor.lifecycle import Action, Status
from calor.observe.fields import set_resource
from calor.plan.ordering import Apply, Delete, Node, steps
from calor.resources.contract import contract_of
from calor.stacks.keys import HOOK
from calor.stacks.states import StepFailed

StepResult = Coroutine[Any, Any, None] | None
"""The part of a step that has to be awaited, if any."""
Dispatch = Callable[["StackWalk", Node], StepResult]
"""Starts a step. See `calor.engine.walk.dispatch`."""


class StackWalk:
    """The walk of one stack. Steps are functions with the walk as an argument."""

    def __init__(
        self,
        view: StackView,
        dispatch: Dispatch,
        *,
        occasion: str | None = None,
        above: StackWalk | None = None,
    ) -> None:
        self.view = view
        self.run = view.run
        self.stack = view.stack
        self.journal = view.run.journal
        self.dispatch = dispatch
        self.record = Recorder(view, occasion or view.run.occasion)
        self.above = above
        """The walk of the parent stack, if any."""
        self._failures: Mapping[Node, StepFailed] = {}
        self._left = 0
        """The number of steps that have not been started."""

    @property
    def occasion(self) -> str:
        return self.record.occasion

    def apply(self, name: str) -> StepResult:
        """Applies the definition to a resource again."""
        return self.dispatch(self, Apply(name))

    def graph(self) -> Graph[Node]:
        definition = self.view.definition
        wanted = definition.graph if definition is not None else Graph[str]()
        return steps(wanted, self.view.rows.values())

    async def execute(self) -> dict[Node, Exception]:
        """Runs all steps; returns failures by step."""
        self.view.open()
        self._failures = self._known_failures()
        graph = self.graph()
        self._left = len(graph)
        control = self.run.control
        with self.run.telemetry.stack_scope(self.stack):
            failed = await walk_graph(
                graph,
                self._start,
                stop=self._stopped,
                idle=self.journal.send,
                wrap=self.run.tracked,
            )
        if control.aborted or ((failed or self.cut_short) and not control.stop.is_set()):
            self._fail_interrupted()
        if not failed and not self._stopped():
            await self._refresh()
        return failed

    def is_cancelled(self) -> bool:
        """Whether no more steps are started, while running ones are completed."""
        return self.run.control.is_cancelled(self.stack.id) or (
            self.above is not None and self.above.is_cancelled()
        )

    @property
    def cut_short(self) -> bool:
        """Whether steps were not started because of the cancellation."""
        return self._left > 0 and self.is_cancelled()

    def _stopped(self) -> bool:
        return self.run.control.stopped() or self.is_cancelled()

    async def _refresh(self) -> None:
        """Refreshes attributes that other resources of the stack may have changed, such as a server's addresses, if the
        template reads them."""
        view = self.view
        if view.definition is None:
            return
        volatile = [
            (state, resource)
            for name, resource in view.definition.resources.items()
            if contract_of(resource.resource_type).volatile
            and view.reads_any(name)
            and (state := view.current.get(name)) is not None
        ]
        await asyncio.gather(*(refresh_attributes(view, state, resource) for state, resource in volatile))

    def failure(self, failed: Mapping[Node, Exception]) -> StepFailed:
        """The first failure, with its path, for the parent stack."""
        step, error = next(iter(failed.items()))
        return StepFailed.of(error).at(self._name(step))

    def _name(self, step: Node) -> str:
        return step.name if isinstance(step, Apply) else self.view.rows[step.id].name

    def _known_failures(self) -> dict[Node, StepFailed]:
        """The failures of this action before another engine took over: these steps are not repeated."""
        found: dict[Node, StepFailed] = {}
        for row in self.view.rows.values():
            failure = row.data.get(FAILURE, {})
            if failure.get("of") != self.occasion:
                continue
            error = StepFailed(**failure["error"])
            if row.status == Status.FAILED or failure.get(UNTOUCHED):
                found[Delete(row.id) if row.action == Action.DELETE else Apply(row.name)] = error
        return found

    def _fail_interrupted(self) -> None:
        """Fails interrupted steps of a dead engine that were not reached again."""
        for state in [*self.view.rows.values(), *self.view.current.values()]:
            if state.status == Status.IN_PROGRESS:
                message = f"Engine went down during resource {state.action}"
                self.record.fail(state, state.action, StepFailed("ResourceFailure", message))

    def _start(self, step: Node) -> StepResult:
        self._left -= 1
        if step in self._failures:
            raise self._failures[step]
        name = self._name(step)
        set_resource(name)
        if self.view.registry.hooks(name):
            return self._with_hooks(step, name)
        return self.dispatch(self, step)

    async def _with_hooks(self, step: Node, name: str) -> None:
        """Runs a step with the environment's hooks before and after it. Replacements have no hooks."""
        hooks = self.view.registry.hooks(name)
        action = self.stack.action.lower()
        if isinstance(step, Delete):
            if action == "delete" and "pre-delete" in hooks:
                await wait_at(self.view, self.view.rows[step.id], "pre-delete", self.is_cancelled)
            await maybe_await(self.dispatch(self, step))
            return
        present = self.view.current.get(name)
        exists = present is not None and present.action != Action.INIT
        if (action, exists) in (("create", False), ("update", True)) and f"pre-{action}" in hooks:
            waiting = present or self.record.new(self.view.defined.resources[name])
            await wait_at(self.view, waiting, f"pre-{action}", self.is_cancelled)
        changed_at = present.updated_at if present is not None else None
        await maybe_await(self.dispatch(self, step))
        state = self.view.current[name]
        done = state.state == f"{action.upper()}_COMPLETE" and state.updated_at != changed_at
        # After a takeover, a step may be done and still wait at its hook.
        waits = done or state.data.get(HOOK) == f"post-{action}"
        if waits and f"post-{action}" in hooks:
            await wait_at(self.view, state, f"post-{action}", self.is_cancelled)
