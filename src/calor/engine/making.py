"""Makes resources: new ones, those that others have begun, and those that are only taken over."""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from typing import Any

from calor.clouds.errors import CloudError
from calor.engine.foreign import Judge, adoptable_data, exists, is_adoptable
from calor.engine.retrying import persevere
from calor.engine.states import ResourceState, StepFailed
from calor.engine.stepping import Following, Stepping, is_void, reaches_out
from calor.engine.walking import awaited
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.language.expressions import resolve
from calor.language.values import bare
from calor.plan.present import DELETION_POLICY, EXTERNAL, METADATA, NESTED, declared_type

log = logging.getLogger(__name__)


class Making(Stepping):
    def _create(
        self, resource: ResourceDefinition, evaluated: Evaluated, replaces: ResourceState | None
    ) -> Following:
        state = self._new(resource)
        if replaces is not None:
            state.replaces = replaces.id
            replaces.replaced_by = state.id
            self.journal.resource(replaces)
        self.describe(state, resource, evaluated)
        if resource.text.external_id is not None:
            return self._external(state, resource, evaluated)
        if self.stack.action == "ADOPT":
            if not getattr(resource.found, "made_when_adopted", False):
                return self._adopt(state, resource, evaluated)
            state.metadata = self._left_behind(state).get("metadata") or state.metadata
        state.hold(evaluated.values)
        self._enter(state, "CREATE", evaluated.values)
        return self._make_in_place_of(replaces, resource, state, evaluated)

    def describe(self, state: ResourceState, resource: ResourceDefinition, evaluated: Evaluated) -> None:
        """Notes what the definition says of a resource that is about to be made."""
        state.metadata = bare(evaluated.metadata)
        state.data = {**state.data, METADATA: state.metadata}
        self._follow(state, resource)
        if self._is_nested(resource):
            state.data[NESTED] = True

    def _make(self, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated) -> Following:
        """Makes what a row, IN_PROGRESS, stands for."""
        create = getattr(resource.found, "create", None)
        if self._is_nested(resource):
            child = self.children[resource.name] = self._child(resource, state)
            outcome: Any = child.create(evaluated)
        elif create is not None and reaches_out(resource.found):

            def attempt() -> Coroutine[Any, Any, None]:
                return self._intended(state, create, state.properties)

            outcome = persevere(self, resource, state, evaluated, attempt, attempt)
        else:
            outcome = self._call(state, "CREATE", create, state.properties)
        if outcome is None:
            self._created(state, resource)
            return None
        return self._finish(outcome, state, "CREATE", lambda: self._created(state, resource))

    def _begin_again(
        self, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
    ) -> Following:
        self.describe(state, resource, evaluated)
        state.hold(evaluated.values)
        return self._make_in_place_of(self.rows.get(state.replaces or ""), resource, state, evaluated)

    def _make_in_place_of(
        self,
        replaced: ResourceState | None,
        resource: ResourceDefinition,
        state: ResourceState,
        evaluated: Evaluated,
    ) -> Following:
        declared = declared_type(replaced, self.run.world.declaration) if replaced is not None else None
        make_way = getattr(declared, "make_way", None)
        if replaced is None or make_way is None or is_void(replaced, declared):
            return self._make(resource, state, evaluated)
        return self._make_when_free(make_way(self.context(replaced)), resource, state, evaluated)

    async def _make_when_free(
        self, making_way: Any, resource: ResourceDefinition, state: ResourceState, evaluated: Evaluated
    ) -> None:
        try:
            await making_way
        except Exception as error:
            raise self._broke_off(state, "CREATE", error) from None
        await awaited(self._make(resource, state, evaluated))

    def _created(self, state: ResourceState, resource: ResourceDefinition) -> None:
        self.read_attributes(state, resource)
        self._leave(state, "CREATE")

    def _external(
        self, state: ResourceState, resource: ResourceDefinition, evaluated: Evaluated
    ) -> Following:
        """A resource that exists already, and to which nothing is ever done."""
        assert self.definition is not None
        scope = self.definition.scope.with_states(self.states)
        state.physical_id = str(bare(resolve(resource.external_expression, scope)))
        state.hold(evaluated.values)
        state.data = {**state.data, DELETION_POLICY: "Retain", EXTERNAL: True}
        self._enter(state, "CHECK", evaluated.values)
        looking = self._look_at(state, resource, exists)
        return self._finish(looking, state, "CHECK", lambda: self._leave(state, "CHECK"))

    def _adopt(self, state: ResourceState, resource: ResourceDefinition, evaluated: Evaluated) -> Following:
        """Takes over what another stack has left behind, as it is."""
        self._enter(state, "ADOPT", evaluated.values)
        left = self._left_behind(state)
        state.hold(evaluated.values)
        state.data.update(adoptable_data(resource.found, left.get("resource_data") or {}))
        state.metadata = left.get("metadata") or state.metadata
        if self._is_nested(resource):
            child = self.children[resource.name] = self._child(resource, state)
            outcome = child.adopt(evaluated, left)
            return self._finish(outcome, state, "ADOPT", lambda: self._adopted(state, resource))
        if not left.get("resource_id"):
            message = "Resource ID was not provided."
            raise self._fail(state, "ADOPT", StepFailed("Exception", message))
        state.physical_id = left["resource_id"]
        looking = self._look_at(state, resource, is_adoptable)
        return self._finish(looking, state, "ADOPT", lambda: self._adopted(state, resource))

    def _left_behind(self, state: ResourceState) -> dict[str, Any]:
        """What the adopter says of a resource."""
        return self.stack.run.get("adopt", {}).get(state.name) or {}

    async def _look_at(self, state: ResourceState, resource: ResourceDefinition, judge: Judge) -> None:
        """Reads what was made elsewhere. Raises StepFailed if the owner may not use it."""
        named, known = state.physical_id, False
        try:
            known = await judge(resource.found, self.context(state))
        finally:
            if not known:
                # Nothing may be done to what the id names as long as it is not known to be the owner's.
                state.physical_id = None
        if not known:
            raise StepFailed("NotFound", f"{resource.type_name} {named} could not be found in the project")
        if hasattr(resource.found, "observe"):
            await self._observe(state, resource)

    async def _observe(self, state: ResourceState, resource: ResourceDefinition) -> None:
        found: Any = resource.found
        try:
            await found.observe(self.context(state))
        except CloudError as error:
            log.warning("attributes of %s are as they were: %s", state.name, error)
            return
        self.read_attributes(state, resource)
        self.journal.resource(state)

    def _adopted(self, state: ResourceState, resource: ResourceDefinition) -> None:
        self.read_attributes(state, resource)
        self._leave(state, "ADOPT")
