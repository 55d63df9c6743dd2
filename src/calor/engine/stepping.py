"""How a step on a resource begins and ends, whatever it does."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any, cast

from calor.engine.children import Child
from calor.engine.hooks import HOOK
from calor.engine.ids import new_id
from calor.engine.opened import OpenedStack
from calor.engine.states import ResourceState, StepFailed, Stopped
from calor.engine.walking import awaited
from calor.language.definition import ResourceDefinition
from calor.plan.decision import RESTRICTED, Decision, has_stack_below, may_renew
from calor.plan.present import EXTERNAL, MADE_FOR, policy_of, remembered, shown_properties
from calor.types.behaviour import NeedsReplacement

if TYPE_CHECKING:
    from calor.engine.applying import StackWalk

FAILURE = "_failure"
"""Where a resource notes what failed, and in which action."""

Following = Coroutine[Any, Any, None] | None
"""What is still to be waited for, if anything is."""


def reaches_out(found: Any) -> bool:
    """Whether resources of a type stand for something outside, which can be looked for."""
    return hasattr(found, "find")


def is_void(state: ResourceState, found: Any) -> bool:
    """Whether nothing can stand behind a row: it failed before its properties were known, so nothing was asked for."""
    return state.physical_id is None and not state.properties and bool(getattr(found, "properties", None))


class Stepping(OpenedStack):
    """A stack whose resources are worked on."""

    _occasion: str | None = None

    @property
    def occasion(self) -> str:
        """Tells what the stack is walked for from what it was walked for before."""
        return self._occasion or self.run.mark

    @occasion.setter
    def occasion(self, occasion: str) -> None:
        self._occasion = occasion

    # What a resource follows.

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
        if may_renew(resource.found):
            state.data = {MADE_FOR: self.occasion}
        self.run.introduce(state)
        self.current[resource.name] = state
        return state

    def _follow(self, state: ResourceState, resource: ResourceDefinition) -> None:
        """Notes the definition that a resource follows from now on."""
        assert self.definition is not None
        # The same type may have got another name: an alias, or its successor's.
        state.type_name = resource.type_name
        state.requires = self._requires(resource)
        state.definition = self.stack.definition
        state.replaced_by = None
        if not state.data.get(EXTERNAL):
            policy = policy_of(self.definition, resource, self.states)
            state.data = remembered(resource, policy, state.data)

    def _requires(self, resource: ResourceDefinition) -> list[str]:
        assert self.definition is not None
        return [
            self.current[name].id
            for name in self.definition.graph.needs(resource.name)
            if name in self.current
        ]

    @staticmethod
    def _is_nested(resource: ResourceDefinition) -> bool:
        return resource.text.external_id is None and has_stack_below(resource.found)

    def _child(self, resource: ResourceDefinition, state: ResourceState) -> Child:
        return Child(self._walk, resource, state)

    @property
    def _walk(self) -> StackWalk:
        """The whole of which this is a part."""
        return cast("StackWalk", self)

    # Its states.

    def _enter(self, state: ResourceState, action: str, values: Mapping[str, Any] | None) -> None:
        """Begins an action on a resource; the event shows the properties that it gets, secrets masked."""
        if HOOK in state.data:
            state.data = {name: value for name, value in state.data.items() if name != HOOK}
        state.action, state.status, state.reason = action, "IN_PROGRESS", "state changed"
        state.attributes = {}
        if action != "CREATE":
            state.updated_at = self.run.now()
        self._note(state, shown_properties(values) if values is not None else None)

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

    def _failed_before(
        self, resource: ResourceDefinition, present: ResourceState | None, error: StepFailed
    ) -> StepFailed:
        """Notes a failure that came before anything was done."""
        state = present or self._new(resource)
        action = "UPDATE" if present is not None and present.action != "INIT" else "CREATE"
        self._fail(state, action, error)
        return error

    def _not_allowed(self, state: ResourceState, error: StepFailed) -> StepFailed:
        """Notes that the environment does not allow what would have to be done. The resource stays as it is: were it
        FAILED, the next update would replace what was to be protected."""
        state.data = {**state.data, FAILURE: {"of": self.occasion, "error": error.stored()}}
        self.journal.resource(state)
        self.journal.event(self.stack, state, ("UPDATE", "FAILED"), error.message)
        return error

    def _forbidden(
        self, resource: ResourceDefinition, present: ResourceState | None, decision: Decision
    ) -> StepFailed:
        error = StepFailed(decision.error, decision.reason)
        if present is not None and decision.error == RESTRICTED:
            return self._not_allowed(present, error)
        return self._failed_before(resource, present, error)

    # The work itself.

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

    async def _intended(self, state: ResourceState, handler: Any, *args: Any) -> None:
        """Makes what can be looked for only when it is written down that it is about to be made."""
        self.journal.resource(state)
        await self.journal.flush()
        if self.run.stopped():
            raise Stopped
        await awaited(handler(self.context(state), *args))

    async def _finish(self, outcome: Any, state: ResourceState, action: str, done: Any) -> None:
        try:
            await self._intent_noted(action)
            await outcome
        except (NeedsReplacement, asyncio.CancelledError):
            raise
        except Exception as error:
            raise self._broke_off(state, action, error) from None
        finally:
            if inspect.iscoroutine(outcome):
                # It has not begun if the intent could not be stored.
                outcome.close()
        done()

    async def _intent_noted(self, action: str) -> None:
        """What is changed or deleted is stored as such before: should this engine be killed, the next one may have to
        lead the stack elsewhere, and must not take it for what it was. A stack that is deleted goes nowhere else."""
        if action in ("UPDATE", "DELETE") and self.run.stack.action != "DELETE":
            await self.journal.flush()
            if self.run.stopped():
                raise Stopped
        else:
            self.journal.send()

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
