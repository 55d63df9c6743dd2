"""Deletes resources that are not wanted any more, or not any more as they are."""

from __future__ import annotations

from typing import Any

from calor.clouds.errors import Conflict, NotFound
from calor.engine.children import delete_child
from calor.engine.context import Context
from calor.engine.hooks import HOOK, wait_at
from calor.engine.states import ResourceState, StepFailed
from calor.engine.stepping import Following, Stepping, is_void, reaches_out
from calor.engine.tree import has_stack
from calor.engine.walking import awaited
from calor.plan.present import DELETION_POLICY, EXTERNAL, declared_type


class Removing(Stepping):
    def _delete(self, state: ResourceState) -> Following:
        keep = self.current.get(state.name) is state and (
            self.definition is not None and state.name in self.definition.resources
        )
        if keep:
            return None
        if state.state == "DELETE_COMPLETE" and state.data.get(HOOK) == "post-delete":
            return self._remove_after_hook(state)
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
        found = declared_type(state, self.run.world.declaration)
        policy = state.data.get(DELETION_POLICY)
        if policy == "Retain" or state.data.get(EXTERNAL):
            return None
        if has_stack(state):
            return delete_child(self._walk, state)
        if self.run.stack.run.get("retain") or is_void(state, found) or self._has_heir(state, found):
            return None
        if found is None and state.physical_id is not None:
            message = f"{state.physical_id} cannot be deleted: there is no resource type {state.type_name}."
            raise self._fail(state, "DELETE", StepFailed("ResourceTypeUnavailable", message))
        if state.physical_id is None and reaches_out(found):
            return _find_and_delete(found, self.context(state))
        # What could not be made is not worth keeping.
        keeps = policy == "Snapshot" and before not in ("CREATE_FAILED", "CREATE_IN_PROGRESS")
        handler = getattr(found, "snapshot_delete", None) if keeps else None
        return self._call(state, "DELETE", handler or getattr(found, "delete", None))

    def _has_heir(self, state: ResourceState, found: Any) -> bool:
        """Whether what a resource joins is joined by the one in its place, and has to stay so."""
        heir = self.current.get(state.name)
        if heir is None or heir is state or heir.type_name != state.type_name:
            return False
        ends = getattr(found, "ends", ())
        return bool(ends) and all(heir.properties.get(end) == state.properties.get(end) for end in ends)

    async def _finish_delete(self, outcome: Any, state: ResourceState) -> None:
        await self._finish(outcome, state, "DELETE", lambda: None)
        await awaited(self._deleted(state))

    def _deleted(self, state: ResourceState) -> Following:
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
        self.run.forget_maker(state)
        if self.current.get(state.name) is state:
            del self.current[state.name]


async def _find_and_delete(found: Any, ctx: Context) -> None:
    """Its creation may have been interrupted: it may be there, and nobody knows its id. What names something that is
    not there, or is there twice, cannot have been asked for."""
    try:
        there = await found.find(ctx)
    except (NotFound, Conflict):
        return
    if there:
        await awaited(found.delete(ctx))
