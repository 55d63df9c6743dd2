"""Makes a stack what its definition says: creates, updates, replaces and deletes its resources."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from calor.engine.changing import Changing
from calor.engine.hooks import HOOK, wait_at
from calor.engine.removing import Removing
from calor.engine.retrying import persevere
from calor.engine.states import ResourceState, StepFailed
from calor.engine.stepping import FAILURE, Following
from calor.engine.walking import awaited, walk
from calor.graph import Graph
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.language.expressions import FunctionError
from calor.language.values import bare
from calor.observe.fields import at_resource
from calor.plan.decision import RESTRICTED, Decision, Kind, Wanted, decide, may_outlive_failure, restriction
from calor.plan.ordering import Apply, Delete, Node, steps
from calor.plan.present import EXTERNAL, present_of, wanted_of


class StackWalk(Changing, Removing):
    """One stack on its way to a definition."""

    _failures: Mapping[Node, StepFailed] = {}
    above: StackWalk | None = None
    """The walk of the stack of which this one is a part, where it is walked as such."""
    _left: int = 0
    """The steps that have not begun."""

    def graph(self) -> Graph[Node]:
        wanted = self.definition.graph if self.definition is not None else Graph[str]()
        return steps(wanted, self.rows.values())

    async def execute(self) -> dict[Node, Exception]:
        """Does all that has to be done; what failed, by step."""
        self.open()
        self._failures = self._failed_already()
        graph = self.graph()
        self._left = len(graph)
        with self.run.watch.walking(self.stack):
            failed = await walk(
                graph,
                self._start,
                stop=self._stopped,
                rest=self.journal.send,
                follow=self.run.followed,
            )
        if self.run.aborted or ((failed or self.cut_short) and not self.run.stop.is_set()):
            self._give_up_interrupted()
        if not failed and not self._stopped():
            await self._look_again()
        return failed

    @property
    def is_cancelled(self) -> bool:
        """Whether nothing more is to be started in this stack, while what is under way is done."""
        return self.run.is_cancelled(self.stack.id) or (self.above is not None and self.above.is_cancelled)

    @property
    def cut_short(self) -> bool:
        """Whether something was not begun for that reason."""
        return self._left > 0 and self.is_cancelled

    def _stopped(self) -> bool:
        return self.run.stopped() or self.is_cancelled

    async def _look_again(self) -> None:
        """Reads anew what others of the stack may have changed since a resource was complete, such as a server's
        addresses, where the template reads them."""
        if self.definition is None:
            return
        volatile = [
            (state, resource)
            for name, resource in self.definition.resources.items()
            if getattr(resource.found, "volatile", False)
            and self._read.get(name)
            and (state := self.current.get(name)) is not None
        ]
        await asyncio.gather(*(self._observe(state, resource) for state, resource in volatile))

    def failure(self, failed: Mapping[Node, Exception]) -> StepFailed:
        """What failed first, with the path to it, for the stack above."""
        step, error = next(iter(failed.items()))
        name = step.name if isinstance(step, Apply) else self.rows[step.id].name
        return StepFailed.of(error).at(name)

    def _failed_already(self) -> dict[Node, StepFailed]:
        """What failed in this action before another engine took it up: it is not tried a second time."""
        found: dict[Node, StepFailed] = {}
        for row in self.rows.values():
            failure = row.data.get(FAILURE, {})
            if failure.get("of") != self.occasion:
                continue
            error = StepFailed(**failure["error"])
            # What was not allowed has left the resource as it was.
            if row.status == "FAILED" or error.kind == RESTRICTED:
                found[Delete(row.id) if row.action == "DELETE" else Apply(row.name)] = error
        return found

    def _give_up_interrupted(self) -> None:
        """What another engine was working on, and was not reached again, does not stay IN_PROGRESS."""
        for state in [*self.rows.values(), *self.current.values()]:
            if state.status == "IN_PROGRESS":
                message = f"Engine went down during resource {state.action}"
                self._fail(state, state.action, StepFailed("ResourceFailure", message))

    def _start(self, step: Node) -> Following:
        self._left -= 1
        if step in self._failures:
            raise self._failures[step]
        name = step.name if isinstance(step, Apply) else self.rows[step.id].name
        at_resource(name)
        if self.registry.hooks(name):
            return self._with_hooks(step, name)
        return self._do(step)

    def _do(self, step: Node) -> Following:
        return self._apply(step.name) if isinstance(step, Apply) else self._delete(self.rows[step.id])

    async def _with_hooks(self, step: Node, name: str) -> None:
        """Waits, where the environment says so, before and after a step. What is made in the place of something
        else waits for nothing."""
        hooks = self.registry.hooks(name)
        action = self.stack.action.lower()
        if isinstance(step, Delete):
            if action == "delete" and "pre-delete" in hooks:
                await wait_at(self, self.rows[step.id], "pre-delete")
            await awaited(self._do(step))
            return
        assert self.definition is not None
        present = self.current.get(name)
        there = present is not None and present.action != "INIT"
        if (action, there) in (("create", False), ("update", True)) and f"pre-{action}" in hooks:
            await wait_at(self, present or self._new(self.definition.resources[name]), f"pre-{action}")
        changed_at = present.updated_at if present is not None else None
        await awaited(self._do(step))
        state = self.current[name]
        done = state.state == f"{action.upper()}_COMPLETE" and state.updated_at != changed_at
        # Whoever took over finds it done, and still waiting.
        waits = done or state.data.get(HOOK) == f"post-{action}"
        if waits and f"post-{action}" in hooks:
            await wait_at(self, state, f"post-{action}")

    # What becomes of a resource.

    def _apply(self, name: str) -> Following:
        assert self.definition is not None
        resource = self.definition.resources[name]
        present = self.current.get(name)
        try:
            evaluated = self.evaluated(resource)
            wanted = self._wanted(resource, evaluated)
        except FunctionError as error:
            raise self._failed_before(resource, present, StepFailed.of(error)) from None
        if present is not None and present.state == "ADOPT_IN_PROGRESS":
            return self._adopt(present, resource, evaluated)
        if present is not None and present.state == "CHECK_IN_PROGRESS" and present.data.get(EXTERNAL):
            return self._external(present, resource, evaluated)
        if present is not None and present.state == "CREATE_IN_PROGRESS":
            return self._resume(resource, present, evaluated)
        decision = decide(present_of(present, self.run.world.declaration, self.occasion), wanted)
        if (
            present is not None
            and present.replaced_by is not None
            and decision.may_be(Kind.KEEP, Kind.UPDATE)
        ):
            come_back = getattr(resource.found, "come_back", None)
            if come_back is not None:
                return self._take_back(present, come_back)
        if decision.kind is Kind.KEEP and present is not None:
            if wanted.keeps_stack:
                return self._keep_nested(present, resource, evaluated, wanted)
            if not self.knows_what_is_read(present, resource):
                return self._keep_observed(present, resource)
            self._keep(present, resource)
            return None
        if decision.kind is Kind.FORBIDDEN:
            raise self._forbidden(resource, present, decision)
        # What is undecided now, the type decides while it updates.
        if decision.kind in (Kind.UPDATE, Kind.UNDECIDED) and present is not None:
            if present.status == "FAILED" and may_outlive_failure(present.action, resource.found):
                return self._mend(resource, present, evaluated, decision)
            return self._update(resource, present, evaluated, decision)
        replaces = present if decision.kind is Kind.REPLACE else None
        if replaces is not None and replaces.status != "FAILED" and replaces.action != "DELETE":
            self._announce(replaces, "UPDATE", "IN_PROGRESS", "state changed")
            self._announce(replaces, "UPDATE", "COMPLETE", f"The Resource {name} requires replacement.")
        return self._create(resource, evaluated, replaces)

    async def _take_back(self, state: ResourceState, come_back: Any) -> None:
        """What was to be replaced is wanted after all: first it gets back what it gave to its replacement."""
        try:
            await come_back(self.context(state))
        except Exception as error:
            raise self._broke_off(state, "UPDATE", error) from None
        state.replaced_by = None
        await awaited(self._apply(state.name))

    async def _mend(
        self, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated, decision: Decision
    ) -> None:
        """Keeps a failed resource if what it stands for is well. If it was being made, what was left is done first."""
        found: Any = resource.found
        being_made = state.action == "CREATE"
        try:
            well = state.physical_id is not None and await found.is_well(self.context(state))
            if well and being_made:
                well = await found.find(self.context(state))
        except Exception as error:
            raise self._broke_off(state, state.action, error) from None
        if not well and not decision.may_be(Kind.REPLACE):
            raise self._not_allowed(state, StepFailed(RESTRICTED, restriction("replace")))
        if not well:
            following = self._create(resource, evaluated, state)
        elif being_made:
            self._created(state, resource)
            following = self._apply(state.name)
        else:
            following = self._update(resource, state, evaluated, decision)
        await awaited(following)

    def _wanted(self, resource: ResourceDefinition, evaluated: Evaluated) -> Wanted:
        assert self.definition is not None
        known = Evaluated(evaluated.given, bare(evaluated.values), bare(evaluated.metadata))
        return wanted_of(self.definition, resource, known, self.states, self.registry)

    def _resume(self, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated) -> Following:
        """Goes on with a creation that another engine began."""
        if state.type_name != resource.type_name:
            return self._create(resource, evaluated, state)
        if self._is_nested(resource) or not hasattr(resource.found, "find"):
            return self._begin_again(resource, state, evaluated)
        return self._find_or_make(resource, state, evaluated)

    async def _find_or_make(
        self, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
    ) -> None:
        """What was made is looked for first: nothing is made twice. It is as it was begun, which may not be what
        is wanted by now."""
        found: Any = resource.found
        there = False

        async def find() -> bool:
            nonlocal there
            there = bool(await found.find(self.context(state)))
            return there

        async def make_again() -> None:
            nonlocal there
            await self._intended(state, found.create, state.properties)
            there = True

        try:
            await persevere(self, resource, state, evaluated, find, make_again)
        except Exception as error:
            raise self._broke_off(state, "CREATE", error) from None
        if there:
            self._created(state, resource)
            following = self._apply(resource.name)
        else:
            following = self._begin_again(resource, state, evaluated)
        if following is not None:
            await following
