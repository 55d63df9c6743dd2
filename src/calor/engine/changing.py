"""Changes resources in place, replaces those that cannot be, and leaves alone what is as it shall be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from calor.engine.making import Making
from calor.engine.states import ResourceState, StepFailed
from calor.engine.stepping import Following
from calor.engine.walking import awaited
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.language.values import bare
from calor.plan.decision import (
    RESTRICTED,
    Change,
    Decision,
    Kind,
    Wanted,
    decide_with_stack_below,
    restriction,
)
from calor.plan.present import EXTERNAL, METADATA
from calor.types.behaviour import NeedsReplacement

CHANGING = "_changing"
"""Where a resource notes which properties an update is changing."""


class Changing(Making):
    def _update(
        self,
        resource: ResourceDefinition,
        state: ResourceState,
        evaluated: Evaluated,
        decision: Decision,
    ) -> Following:
        if state.data.get(EXTERNAL):
            message = f"{state.name} belongs to somebody else and cannot be changed"
            raise self._failed_before(resource, state, StepFailed("NotSupported", message))
        properties = bare(evaluated.values)
        # What an interrupted update may have changed is given a value again, even if it is the old one.
        changed = decision.changed | frozenset(state.data.get(CHANGING, ()))
        state.data = {**state.data, CHANGING: sorted(changed)}
        self._enter(state, "UPDATE", evaluated.values)
        if self._is_nested(resource):
            child = self.children[resource.name] = self._child(resource, state)
            outcome: Any = child.update(evaluated)
        else:
            handler = getattr(resource.found, "update", None)
            try:
                outcome = self._call(state, "UPDATE", handler, properties, changed)
            except NeedsReplacement:
                return self._replaced(resource, state, evaluated)

        def done() -> None:
            state.hold(evaluated.values)
            state.data = {name: value for name, value in state.data.items() if name != CHANGING}
            self.renew_metadata(state, bare(evaluated.metadata), resource)
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
            await awaited(self._replaced(resource, state, evaluated))

    def _replaced(
        self, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
    ) -> Following:
        self._announce(state, "UPDATE", "COMPLETE", f"The Resource {state.name} requires replacement.")
        if "replace" in self.registry.restricted_actions(state.name):
            raise self._not_allowed(state, StepFailed(RESTRICTED, restriction("replace")))
        return self._create(resource, evaluated, state)

    @staticmethod
    def renew_metadata(state: ResourceState, metadata: dict[str, Any], resource: ResourceDefinition) -> None:
        """What signals have put into the metadata stays, unless the template itself says something new. What the
        type has put there stays in any case."""
        if metadata != state.data.get(METADATA):
            own = getattr(resource.found, "own_metadata", ())
            state.metadata = {
                **metadata,
                **{name: state.metadata[name] for name in own if name in state.metadata},
            }
            state.data = {**state.data, METADATA: metadata}

    def _keep(self, state: ResourceState, resource: ResourceDefinition) -> None:
        before = _followed(state)
        self._follow(state, resource)
        if self.reads_more(state):
            self.read_attributes(state, resource)
        if before != _followed(state):
            self.journal.resource(state)

    async def _keep_observed(self, state: ResourceState, resource: ResourceDefinition) -> None:
        """Where the template comes to read more of a resource, what was not asked for before is asked for now."""
        await self._observe(state, resource)
        self._keep(state, resource)

    async def _keep_nested(
        self, state: ResourceState, resource: ResourceDefinition, evaluated: Evaluated, wanted: Wanted
    ) -> None:
        """The stack below decides for itself whether it changes."""
        child = self._child(resource, state)
        differs = await child.differs(evaluated)
        decision = decide_with_stack_below(Decision(Kind.KEEP, ""), wanted, differs)
        if decision.kind is Kind.FORBIDDEN:
            raise self._forbidden(resource, state, decision)
        if decision.kind is Kind.UPDATE:
            await awaited(self._update(resource, state, evaluated, decision))
            return
        if self.members_are_read or self.reads_more(state):
            stack = await self.run.stack_below(self.stack, state)
            assert stack is not None
            await child.reopen(evaluated, stack)
            self.children[resource.name] = child
        self._keep(state, resource)

    async def update_peer(self, reference: str, values: Mapping[str, Any]) -> None:
        """Gives a resource other values of some properties. Its row keeps those of the template, which hold again
        when the stack is updated."""
        assert self.definition is not None
        state = self.by_reference(reference)
        if state is None or state.name not in self.definition.resources:
            raise StepFailed("NotFound", f"there is no resource {reference} in the stack")
        resource = self.definition.resources[state.name]
        evaluated = self.evaluated(resource)
        given = replace(evaluated, values={**evaluated.values, **values})
        changes = tuple(Change(name, state.properties.get(name), value) for name, value in values.items())
        await awaited(self._update(resource, state, given, Decision(Kind.UPDATE, "asked for", changes)))
        state.hold(evaluated.values)
        self.journal.resource(state)


def _followed(state: ResourceState) -> tuple[Any, ...]:
    """What of a resource may change although it is kept."""
    return (
        state.type_name,
        state.requires,
        state.definition,
        state.data,
        state.replaced_by,
        state.attributes,
    )
