"""Records the state changes of resources, each with an event."""

from __future__ import annotations

from calor.engine.view.view import StackView
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.language.values import bare
from calor.lifecycle import Action, Status
from calor.plan.kinds import Decision
from calor.plan.marking import secret_texts_of
from calor.plan.present import (
    CREATED_IN,
    EXTERNAL,
    METADATA,
    NESTED,
    policy_of,
    shown_properties,
    with_definition,
)
from calor.plan.type_facts import always_replaced_type, has_nested_stack
from calor.resources.contract import contract_of
from calor.resources.values import JsonMapping, JsonObject
from calor.stacks.ids import new_id
from calor.stacks.keys import HOOK
from calor.stacks.states import ResourceState, StepFailed, Stopped

FAILURE = "_failure"
"""The key for a resource's failure and its action."""
UNTOUCHED = "untouched"
"""Set in the failure if the resource was not changed and did not fail."""


def is_nested(resource: ResourceDefinition) -> bool:
    """Whether a resource has a nested stack."""
    return resource.text.external_id is None and has_nested_stack(resource.resource_type)


class Recorder:
    """The recorder of one walk."""

    def __init__(self, view: StackView, occasion: str) -> None:
        self._view = view
        self._run = view.run
        self._journal = view.run.journal
        self.occasion = occasion
        """Identifies the action of this walk."""
        self._given: dict[str, set[str]] = {}
        """Secrets among the properties with which this walk changes resources, and which are not stored yet."""

    # The row of a resource.

    def new(self, resource: ResourceDefinition) -> ResourceState:
        """A new row for a resource, or the existing one if it waits at a hook."""
        waiting = self._view.current.get(resource.name)
        if waiting is not None and waiting.action == Action.INIT:
            return waiting
        state = ResourceState(
            id=new_id(),
            stack=self._view.stack.id,
            name=resource.name,
            type_name=resource.type_name,
            created_at=self._run.now(),
        )
        if always_replaced_type(resource.resource_type):
            state.data = {CREATED_IN: self.occasion}
        self._view.tree.add(state)
        self._view.current[resource.name] = state
        return state

    def describe(self, state: ResourceState, resource: ResourceDefinition, evaluated: Evaluated) -> None:
        """Sets the definition of a resource that is about to be created."""
        state.metadata = bare(evaluated.metadata)
        state.data = {**state.data, METADATA: state.metadata}
        self.follow(state, resource)
        if is_nested(resource):
            state.data[NESTED] = True

    def follow(self, state: ResourceState, resource: ResourceDefinition) -> None:
        """Sets the definition that a resource now follows."""
        view = self._view
        # The type may have a new name: an alias, or the name of its successor.
        state.type_name = resource.type_name
        state.requires = [
            view.current[name].id for name in view.defined.graph.needs(resource.name) if name in view.current
        ]
        state.definition = view.stack.definition
        state.replaced_by = None
        if not state.data.get(EXTERNAL):
            policy = policy_of(view.defined, resource, view.states)
            state.data = with_definition(resource, policy, state.data)

    # Its states.

    def enter(self, state: ResourceState, action: Action, values: JsonMapping | None) -> None:
        """Starts an action on a resource; the event contains its properties, with secrets masked."""
        if HOOK in state.data:
            state.data = {name: value for name, value in state.data.items() if name != HOOK}
        state.action, state.status, state.reason = action, Status.IN_PROGRESS, "state changed"
        state.attributes = {}
        if action is not Action.CREATE:
            state.updated_at = self._run.now()
        if values is not None and (secrets := secret_texts_of(values)):
            self._given[state.id] = secrets
        self._note(state, shown_properties(values) if values is not None else None)

    def complete(self, state: ResourceState, action: Action) -> None:
        self.announce(state, action, Status.COMPLETE, "state changed")

    def announce(self, state: ResourceState, action: Action, status: Status, reason: str) -> None:
        state.action, state.status, state.reason = action, status, reason
        state.updated_at = self._run.now()
        self._note(state)

    def fail(self, state: ResourceState, action: str, error: StepFailed) -> StepFailed:
        error = error.without_secrets(state, self._given.get(state.id, ()))
        state.action, state.status = action, Status.FAILED
        state.reason = error.at(state.name).reason
        state.data = {**state.data, FAILURE: {"of": self.occasion, "error": error.stored()}}
        state.updated_at = self._run.now()
        self._note(state)
        return error

    def fail_before(
        self, resource: ResourceDefinition, present: ResourceState | None, error: StepFailed
    ) -> StepFailed:
        """Records a failure before the action started."""
        state = present or self.new(resource)
        is_update = present is not None and present.action != Action.INIT
        return self.fail(state, Action.UPDATE if is_update else Action.CREATE, error)

    def refuse(self, state: ResourceState, error: StepFailed) -> StepFailed:
        """Records a forbidden action without changing the resource's state: if it were FAILED, the next update would
        replace it."""
        failure = {"of": self.occasion, "error": error.stored(), UNTOUCHED: True}
        state.data = {**state.data, FAILURE: failure}
        self._journal.resource(state)
        self._journal.event(self._view.stack, state, (Action.UPDATE, Status.FAILED), error.message)
        return error

    def forbid(
        self, resource: ResourceDefinition, present: ResourceState | None, decision: Decision
    ) -> StepFailed:
        """Records a forbidding decision."""
        error = StepFailed(decision.error, decision.reason)
        if present is not None and decision.untouched:
            return self.refuse(present, error)
        return self.fail_before(resource, present, error)

    def interrupt(self, state: ResourceState, action: str, error: Exception) -> Exception:
        """Records an interrupted step, unless it is left to another engine; returns the error to raise."""
        control = self._run.control
        control.stopped()
        if control.left:
            return Stopped()
        if isinstance(error, Stopped):
            if control.aborted:
                self.fail(state, action, StepFailed("Aborted", f"{action} aborted"))
            return error
        return self.fail(state, action, StepFailed.of(error))

    def _note(self, state: ResourceState, properties: JsonObject | None = None) -> None:
        self._journal.transition(self._view.stack, state, properties)


def update_metadata(state: ResourceState, metadata: JsonObject, resource: ResourceDefinition) -> None:
    """Sets metadata from the template if that has changed; otherwise metadata from signals stays. Keys that the type
    has set always stay."""
    if metadata != state.data.get(METADATA):
        own = contract_of(resource.resource_type).own_metadata
        state.metadata = {
            **metadata,
            **{name: state.metadata[name] for name in own if name in state.metadata},
        }
        state.data = {**state.data, METADATA: metadata}
