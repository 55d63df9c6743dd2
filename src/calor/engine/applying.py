"""Makes a stack what its definition says: creates, updates, replaces and deletes its resources."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from typing import Any

from calor.engine.children import Child, delete_child
from calor.engine.hooks import HOOK, wait_at
from calor.engine.ids import new_id
from calor.engine.opened import OpenedStack
from calor.engine.states import ResourceState, StepFailed, Stopped
from calor.engine.walking import walk
from calor.graph import Graph
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import (
    Evaluated,
    evaluate,
)
from calor.language.expressions import FunctionError, resolve
from calor.language.values import bare
from calor.observe.fields import at_resource
from calor.plan.decision import (
    RESTRICTED,
    Change,
    Decision,
    Kind,
    Wanted,
    decide,
    decide_with_stack_below,
    has_stack_below,
    restriction,
)
from calor.plan.ordering import Apply, Delete, Node, steps
from calor.plan.present import EXTERNAL, METADATA, policy_of, present_of, remembered, wanted_of
from calor.types.behaviour import NeedsReplacement

FAILURE = "_failure"
"""Where a resource notes what failed, and in which action."""

CHANGING = "_changing"
"""Where a resource notes which properties an update is changing."""


class StackWalk(OpenedStack):
    """One stack on its way to a definition."""

    _failures: Mapping[Node, StepFailed] = {}
    _occasion: str | None = None

    # The graph of steps.

    def graph(self) -> Graph[Node]:
        wanted = self.definition.graph if self.definition is not None else Graph[str]()
        return steps(wanted, self.rows.values())

    async def execute(self) -> dict[Node, Exception]:
        """Does all that has to be done; what failed, by step."""
        self.open()
        self._failures = self._failed_already()
        with self.run.watch.walking(self.stack):
            failed = await walk(self.graph(), self._start, stop=self.run.stopped, rest=self.journal.send)
        if self.run.aborted or (failed and not self.run.stop.is_set()):
            self._give_up_interrupted()
        return failed

    @property
    def occasion(self) -> str:
        """Tells what the stack is walked for from what it was walked for before."""
        return self._occasion or self.run.mark

    @occasion.setter
    def occasion(self, occasion: str) -> None:
        self._occasion = occasion

    def _failed_already(self) -> dict[Node, StepFailed]:
        """What failed in this action before another engine took it up: it is not tried a second time."""
        found: dict[Node, StepFailed] = {}
        for row in self.rows.values():
            if row.status == "FAILED" and row.data.get(FAILURE, {}).get("of") == self.occasion:
                step = Delete(row.id) if row.action == "DELETE" else Apply(row.name)
                found[step] = StepFailed(**row.data[FAILURE]["error"])
        return found

    def _give_up_interrupted(self) -> None:
        """What another engine was working on, and was not reached again, does not stay IN_PROGRESS."""
        for state in [*self.rows.values(), *self.current.values()]:
            if state.status == "IN_PROGRESS":
                message = f"Engine went down during resource {state.action}"
                self._fail(state, state.action, StepFailed("ResourceFailure", message))

    def _start(self, step: Node) -> Coroutine[Any, Any, None] | None:
        if step in self._failures:
            raise self._failures[step]
        name = step.name if isinstance(step, Apply) else self.rows[step.id].name
        at_resource(name)
        if self.registry.hooks(name):
            return self._with_hooks(step, name)
        return self._do(step)

    def _do(self, step: Node) -> Coroutine[Any, Any, None] | None:
        return self._apply(step.name) if isinstance(step, Apply) else self._delete(self.rows[step.id])

    async def _with_hooks(self, step: Node, name: str) -> None:
        """Waits, where the environment says so, before and after a step. What is made in the place of something
        else waits for nothing."""
        hooks = self.registry.hooks(name)
        action = self.stack.action.lower()
        if isinstance(step, Delete):
            if action == "delete" and "pre-delete" in hooks:
                await wait_at(self, self.rows[step.id], "pre-delete")
            await _finished(self._do(step))
            return
        assert self.definition is not None
        present = self.current.get(name)
        there = present is not None and present.action != "INIT"
        if (action, there) in (("create", False), ("update", True)) and f"pre-{action}" in hooks:
            await wait_at(self, present or self._new(self.definition.resources[name]), f"pre-{action}")
        changed_at = present.updated_at if present is not None else None
        await _finished(self._do(step))
        state = self.current[name]
        done = state.state == f"{action.upper()}_COMPLETE" and state.updated_at != changed_at
        if done and f"post-{action}" in hooks:
            await wait_at(self, state, f"post-{action}")

    # Applying.

    def _apply(self, name: str) -> Coroutine[Any, Any, None] | None:
        assert self.definition is not None
        resource = self.definition.resources[name]
        present = self.current.get(name)
        try:
            evaluated = evaluate(self.definition, resource, self.states, self.run.world.custom)
            wanted = self._wanted(resource, evaluated)
        except FunctionError as error:
            raise self._failed_before(resource, present, StepFailed.of(error)) from None
        if present is not None and present.state == "ADOPT_IN_PROGRESS":
            return self._adopt(present, resource, evaluated)
        if present is not None and present.state == "CREATE_IN_PROGRESS":
            return self._resume(resource, present, evaluated)
        decision = decide(present_of(present, self.run.world.declaration), wanted)
        if decision.kind is Kind.KEEP and present is not None:
            if wanted.keeps_stack:
                return self._keep_nested(present, resource, evaluated, wanted)
            self._keep(present, resource)
            return None
        if decision.kind is Kind.FORBIDDEN:
            raise self._failed_before(resource, present, StepFailed(decision.error, decision.reason))
        # What is undecided now, the type decides while it updates.
        if decision.kind in (Kind.UPDATE, Kind.UNDECIDED) and present is not None:
            return self._update(resource, present, evaluated, decision)
        replaces = present if decision.kind is Kind.REPLACE else None
        if replaces is not None and replaces.status != "FAILED" and replaces.action != "DELETE":
            self._announce(replaces, "UPDATE", "IN_PROGRESS", "state changed")
            self._announce(replaces, "UPDATE", "COMPLETE", f"The Resource {name} requires replacement.")
        return self._create(resource, evaluated, replaces)

    def _resume(
        self, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
    ) -> Coroutine[Any, Any, None] | None:
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
        try:
            there = await found.find(self.context(state))
        except Exception as error:
            raise self._broke_off(state, "CREATE", error) from None
        if there:
            self._created(state, resource)
            following = self._apply(resource.name)
        else:
            following = self._begin_again(resource, state, evaluated)
        if following is not None:
            await following

    def _begin_again(
        self, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
    ) -> Coroutine[Any, Any, None] | None:
        self._describe(state, resource, evaluated)
        state.properties = bare(evaluated.values)
        return self._make(resource, state, evaluated)

    def _failed_before(
        self, resource: ResourceDefinition, present: ResourceState | None, error: StepFailed
    ) -> StepFailed:
        """Notes a failure that came before anything was done."""
        state = present or self._new(resource)
        action = "UPDATE" if present is not None and present.action != "INIT" else "CREATE"
        self._fail(state, action, error)
        return error

    def _new(self, resource: ResourceDefinition) -> ResourceState:
        waiting = self.current.get(resource.name)
        if waiting is not None and waiting.action == "INIT":
            return waiting
        state = ResourceState(
            id=new_id(),
            stack=self.stack.id,
            name=resource.name,
            type_name=resource.type_name,
            created_at=self.run.now(),
        )
        self.current[resource.name] = state
        return state

    def _create(
        self, resource: ResourceDefinition, evaluated: Evaluated, replaces: ResourceState | None
    ) -> Coroutine[Any, Any, None] | None:
        state = self._new(resource)
        if replaces is not None:
            state.replaces = replaces.id
            replaces.replaced_by = state.id
            self.journal.resource(replaces)
        properties = bare(evaluated.values)
        self._describe(state, resource, evaluated)
        if resource.text.external_id is not None:
            self._external(state, resource, properties)
            return None
        if self.stack.action == "ADOPT":
            return self._adopt(state, resource, evaluated)
        state.properties = properties
        self._enter(state, "CREATE", properties)
        return self._make(resource, state, evaluated)

    def _describe(self, state: ResourceState, resource: ResourceDefinition, evaluated: Evaluated) -> None:
        """Notes what the definition says of a resource that is about to be made."""
        state.metadata = bare(evaluated.metadata)
        state.data = {**state.data, METADATA: state.metadata}
        self._follow(state, resource)
        if self._is_nested(resource):
            state.data["_nested"] = True

    def _make(
        self, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
    ) -> Coroutine[Any, Any, None] | None:
        """Makes what a row, IN_PROGRESS, stands for."""
        create = getattr(resource.found, "create", None)
        if self._is_nested(resource):
            child = self.children[resource.name] = Child(self, resource, state)
            outcome: Any = child.create(evaluated)
        elif create is not None and hasattr(resource.found, "find"):
            outcome = self._create_intended(state, create)
        else:
            outcome = self._call(state, "CREATE", create, state.properties)
        if outcome is None:
            self._created(state, resource)
            return None
        return self._finish(outcome, state, "CREATE", lambda: self._created(state, resource))

    async def _create_intended(self, state: ResourceState, create: Any) -> None:
        """What can be looked for is made only when it is written down that it is about to be."""
        self.journal.resource(state)
        await self.journal.flush()
        if self.run.stopped():
            raise Stopped
        await self._waited(create(self.context(state), state.properties))

    def _external(
        self, state: ResourceState, resource: ResourceDefinition, properties: dict[str, Any]
    ) -> None:
        """A resource that exists already, and that is never changed or deleted."""
        self._enter(state, "CHECK", properties)
        state.physical_id = str(bare(resolve(resource.external_expression, self._scope())))
        state.properties = properties
        state.data.update(_deletion_policy="Retain", _external=True)
        self._leave(state, "CHECK")

    def _scope(self) -> Any:
        assert self.definition is not None
        return self.definition.scope.with_states(self.states)

    def _adopt(
        self, state: ResourceState, resource: ResourceDefinition, evaluated: Evaluated
    ) -> Coroutine[Any, Any, None] | None:
        """Takes over what another stack has left behind, as it is."""
        properties = bare(evaluated.values)
        self._enter(state, "ADOPT", properties)
        left = self.stack.run.get("adopt", {}).get(state.name) or {}
        state.properties = properties
        state.data.update(left.get("resource_data") or {})
        state.metadata = left.get("metadata") or state.metadata
        if self._is_nested(resource):
            child = self.children[resource.name] = Child(self, resource, state)
            outcome = child.adopt(evaluated, left)
            return self._finish(outcome, state, "ADOPT", lambda: self._adopted(state, resource))
        if not left.get("resource_id"):
            message = "Resource ID was not provided."
            raise self._fail(state, "ADOPT", StepFailed("Exception", message))
        state.physical_id = left["resource_id"]
        self._adopted(state, resource)
        return None

    def _adopted(self, state: ResourceState, resource: ResourceDefinition) -> None:
        self.read_attributes(state, resource)
        self._leave(state, "ADOPT")

    def _created(self, state: ResourceState, resource: ResourceDefinition) -> None:
        self.read_attributes(state, resource)
        self._leave(state, "CREATE")

    def _update(
        self,
        resource: ResourceDefinition,
        state: ResourceState,
        evaluated: Evaluated,
        decision: Decision,
    ) -> Coroutine[Any, Any, None] | None:
        properties = bare(evaluated.values)
        # What an interrupted update may have changed is given a value again, even if it is the old one.
        changed = decision.changed | frozenset(state.data.get(CHANGING, ()))
        state.data = {**state.data, CHANGING: sorted(changed)}
        self._enter(state, "UPDATE", properties)
        if self._is_nested(resource):
            child = self.children[resource.name] = Child(self, resource, state)
            outcome: Any = child.update(evaluated)
        else:
            handler = getattr(resource.found, "update", None)
            try:
                outcome = self._call(state, "UPDATE", handler, properties, changed)
            except NeedsReplacement:
                return self._replaced(resource, state, evaluated)

        def done() -> None:
            state.properties = properties
            state.data = {name: value for name, value in state.data.items() if name != CHANGING}
            self._renew_metadata(state, bare(evaluated.metadata))
            state.type_name = resource.type_name
            self._follow(state, resource)
            self.read_attributes(state, resource)
            self._leave(state, "UPDATE")

        if outcome is None:
            done()
            return None
        return self._finish_update(outcome, state, resource, evaluated, done)

    async def _finish_update(
        self,
        outcome: Any,
        state: ResourceState,
        resource: ResourceDefinition,
        evaluated: Evaluated,
        done: Any,
    ) -> None:
        try:
            await self._finish(outcome, state, "UPDATE", done)
        except NeedsReplacement:
            await _finished(self._replaced(resource, state, evaluated))

    def _replaced(
        self, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
    ) -> Coroutine[Any, Any, None] | None:
        if "replace" in self.registry.restricted_actions(state.name):
            raise self._fail(state, "UPDATE", StepFailed(RESTRICTED, restriction("replace")))
        self._announce(state, "UPDATE", "COMPLETE", f"The Resource {state.name} requires replacement.")
        return self._create(resource, evaluated, state)

    async def update_peer(self, reference: str, values: Mapping[str, Any]) -> None:
        """Gives a resource other values of some properties. Its row keeps those of the template, which hold again
        when the stack is updated."""
        assert self.definition is not None
        state = self.by_reference(reference)
        if state is None or state.name not in self.definition.resources:
            raise StepFailed("NotFound", f"there is no resource {reference} in the stack")
        resource = self.definition.resources[state.name]
        evaluated = evaluate(self.definition, resource, self.states, self.run.world.custom)
        given = replace(evaluated, values={**evaluated.values, **values})
        changes = tuple(Change(name, state.properties.get(name), value) for name, value in values.items())
        await _finished(self._update(resource, state, given, Decision(Kind.UPDATE, "asked for", changes)))
        state.properties = bare(evaluated.values)
        self.journal.resource(state)

    @staticmethod
    def _renew_metadata(state: ResourceState, metadata: dict[str, Any]) -> None:
        """What signals have put into the metadata stays, unless the template itself says something new."""
        if metadata != state.data.get("_metadata"):
            state.metadata = metadata
            state.data = {**state.data, "_metadata": metadata}

    async def _keep_nested(
        self, state: ResourceState, resource: ResourceDefinition, evaluated: Evaluated, wanted: Wanted
    ) -> None:
        """The stack below decides for itself whether it changes."""
        child = Child(self, resource, state)
        differs = await child.differs(evaluated)
        decision = decide_with_stack_below(Decision(Kind.KEEP, ""), wanted, differs)
        if decision.kind is Kind.FORBIDDEN:
            raise self._failed_before(resource, state, StepFailed(decision.error, decision.reason))
        if decision.kind is Kind.UPDATE:
            await _finished(self._update(resource, state, evaluated, decision))
            return
        if self.reads_more(state):
            stack = await self.run.stack_row(state.physical_id)
            assert stack is not None
            await child.reopen(evaluated, stack)
            self.children[resource.name] = child
        self._keep(state, resource)

    def _keep(self, state: ResourceState, resource: ResourceDefinition) -> None:
        before = (state.requires, state.definition, state.data, state.replaced_by, state.attributes)
        self._follow(state, resource)
        if self.reads_more(state):
            self.read_attributes(state, resource)
        if before != (state.requires, state.definition, state.data, state.replaced_by, state.attributes):
            self.journal.resource(state)

    def _follow(self, state: ResourceState, resource: ResourceDefinition) -> None:
        """Notes the definition that a resource follows from now on."""
        assert self.definition is not None
        state.requires = self._requires(resource)
        state.definition = self.stack.definition
        state.replaced_by = None
        if not state.data.get(EXTERNAL):
            policy = policy_of(self.definition, resource, self.states)
            state.data = remembered(resource, policy, state.data)

    def _wanted(self, resource: ResourceDefinition, evaluated: Evaluated) -> Wanted:
        assert self.definition is not None
        known = Evaluated(evaluated.given, bare(evaluated.values), bare(evaluated.metadata))
        return wanted_of(self.definition, resource, known, self.states, self.registry)

    def _requires(self, resource: ResourceDefinition) -> list[str]:
        assert self.definition is not None
        return [
            self.current[name].id
            for name in self.definition.graph.needs(resource.name)
            if name in self.current
        ]

    # Deleting.

    def _delete(self, state: ResourceState) -> Coroutine[Any, Any, None] | None:
        keep = self.current.get(state.name) is state and (
            self.definition is not None and state.name in self.definition.resources
        )
        if keep:
            return None
        if state.action == "INIT" or (state.action == "DELETE" and state.status == "COMPLETE"):
            self.journal.removed(state)
            return None
        before = state.state
        self._enter(state, "DELETE", None)
        outcome = self._removal(state, before)
        if outcome is None:
            return self._deleted(state)
        return self._finish_delete(outcome, state)

    def _removal(self, state: ResourceState, before: str) -> Any:
        """What removes all that stands behind a row; None if nothing has to be waited for."""
        found = self.run.world.declaration(state.type_name)
        policy = state.data.get("_deletion_policy")
        if policy == "Retain":
            return None
        if state.data.get("_nested"):
            return delete_child(self, state)
        if self.run.stack.run.get("retain"):
            return None
        if state.physical_id is None and hasattr(found, "find"):
            return self._find_and_delete(state, found)
        # What could not be made is not worth keeping.
        keeps = policy == "Snapshot" and before not in ("CREATE_FAILED", "CREATE_IN_PROGRESS")
        handler = getattr(found, "snapshot_delete", None) if keeps else None
        return self._call(state, "DELETE", handler or getattr(found, "delete", None))

    async def _find_and_delete(self, state: ResourceState, found: Any) -> None:
        """Its creation may have been interrupted: it may be there, and nobody knows its id."""
        if await found.find(self.context(state)):
            await self._waited(found.delete(self.context(state)))

    async def _finish_delete(self, outcome: Any, state: ResourceState) -> None:
        await self._finish(outcome, state, "DELETE", lambda: None)
        await _finished(self._deleted(state))

    def _deleted(self, state: ResourceState) -> Coroutine[Any, Any, None] | None:
        self._leave(state, "DELETE")
        if self.stack.action == "DELETE" and "post-delete" in self.registry.hooks(state.name):
            return self._remove_after_hook(state)
        self._remove(state)
        return None

    async def _remove_after_hook(self, state: ResourceState) -> None:
        await wait_at(self, state, "post-delete")
        self._remove(state)

    def _remove(self, state: ResourceState) -> None:
        self.journal.removed(state)
        if self.current.get(state.name) is state:
            del self.current[state.name]

    # Steps in general.

    def _call(self, state: ResourceState, action: str, handler: Any, *args: Any) -> Any:
        """Calls a type's handler; what it awaits, if it is not done at once."""
        if handler is None:
            return None
        try:
            outcome = handler(self.context(state), *args)
        except NeedsReplacement:
            raise
        except Exception as error:
            raise self._fail(state, action, StepFailed.of(error)) from None
        return outcome if inspect.isawaitable(outcome) else None

    async def _finish(self, outcome: Any, state: ResourceState, action: str, done: Any) -> None:
        self.journal.send()
        try:
            await outcome
        except (NeedsReplacement, asyncio.CancelledError):
            raise
        except Exception as error:
            raise self._broke_off(state, action, error) from None
        done()

    @staticmethod
    async def _waited(outcome: Any) -> None:
        if inspect.isawaitable(outcome):
            await outcome

    def _broke_off(self, state: ResourceState, action: str, error: Exception) -> Exception:
        """What becomes of an error while something was waited for. What is left to others has not failed."""
        self.run.stopped()
        if self.run.left:
            return Stopped()
        if isinstance(error, Stopped):
            if self.run.aborted:
                self._fail(state, action, StepFailed("Aborted", f"{action} was given up"))
            return error
        return self._fail(state, action, StepFailed.of(error))

    def _enter(self, state: ResourceState, action: str, properties: dict[str, Any] | None) -> None:
        if HOOK in state.data:
            state.data = {name: value for name, value in state.data.items() if name != HOOK}
        state.action, state.status, state.reason = action, "IN_PROGRESS", "state changed"
        state.attributes = {}
        if action != "CREATE":
            state.updated_at = self.run.now()
        self._note(state, properties)

    def _leave(self, state: ResourceState, action: str) -> None:
        state.action, state.status, state.reason = action, "COMPLETE", "state changed"
        state.updated_at = self.run.now()
        self._note(state)

    def _fail(self, state: ResourceState, action: str, error: StepFailed) -> StepFailed:
        state.action, state.status = action, "FAILED"
        state.reason = error.at(state.name).reason
        state.data = {**state.data, FAILURE: {"of": self.occasion, "error": error.stored()}}
        state.updated_at = self.run.now()
        self._note(state)
        return error

    def _announce(self, state: ResourceState, action: str, status: str, reason: str) -> None:
        state.action, state.status, state.reason = action, status, reason
        state.updated_at = self.run.now()
        self._note(state)

    def _note(self, state: ResourceState, properties: dict[str, Any] | None = None) -> None:
        self.journal.transition(self.stack, state, properties)

    @staticmethod
    def _is_nested(resource: ResourceDefinition) -> bool:
        return has_stack_below(resource.found)

    def failure(self, failed: Mapping[Node, Exception]) -> StepFailed:
        """What failed first, with the path to it, for the stack above."""
        step, error = next(iter(failed.items()))
        name = step.name if isinstance(step, Apply) else self.rows[step.id].name
        return StepFailed.of(error).at(name)


async def _finished(step: Coroutine[Any, Any, None] | None) -> None:
    if step is not None:
        await step
