"""Creates, updates, deletes and cancels stacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from calor.language.definition import Definition
from calor.language.parameters import StackIdentity
from calor.lifecycle import Action, Status
from calor.service.admission import Admission
from calor.service.caller import Caller
from calor.service.errors import ActionInProgress, NotFound, NotSupported, ServiceError
from calor.service.intents import Intents, NewValues, check_still_idle
from calor.service.refusals import check_possible, may_be_refused
from calor.service.remote_checks import check_remote_stacks
from calor.service.requests import NewStack, StackChange, check_name
from calor.service.sealing import seal_for
from calor.service.update_planning import UpdatePlanner, check_updatable
from calor.stacks import definitions
from calor.stacks.ids import new_id
from calor.stacks.run_notes import RunNotes
from calor.store import records
from calor.store.errors import DuplicateRow
from calor.store.stacks import StackState

Accepted = Callable[[records.Stack, Definition], None]
"""Called for each stack with a new definition."""

_ACTIONS = {"suspend": Action.SUSPEND, "resume": Action.RESUME, "check": Action.CHECK}


@dataclass(frozen=True, slots=True)
class StackCommands:
    """All methods raise ServiceError."""

    admission: Admission
    intents: Intents
    planner: UpdatePlanner
    accepted: Accepted

    def create(
        self,
        caller: Caller,
        new: NewStack,
        action: Action = Action.CREATE,
        notes: RunNotes | None = None,
    ) -> records.Stack:
        # The cloud creates objects in the project of the token, even if an admin names another one in the path.
        caller = caller.at_home()
        check_name(new.name)
        self.admission.check_new(caller, new.name)
        id = new_id()
        definition = self.admission.define(caller, new.request, StackIdentity(new.name, id, caller.project))
        vault = self.admission.services.vault
        if vault is not None and caller.token:
            check_remote_stacks(vault, caller, definition)
        request = self.admission.completed(caller, new.request, definition)
        try:
            stack = self.intents.create(
                caller, new, id, request, definition, action=action, notes=notes or RunNotes()
            )
        except DuplicateRow:
            # Of two concurrent requests with the same name, the database accepts one.
            self.admission.check_new(caller, new.name)
            raise
        self.accepted(stack, definition)
        return stack

    def delete(self, caller: Caller, stack: records.Stack) -> None:
        if stack.deleted_at is not None:
            raise NotFound("Stack", stack.name)
        self.intents.start(caller, stack, Action.DELETE)

    def update(self, caller: Caller, stack: records.Stack, change: StackChange) -> records.Stack:
        check_updatable(stack)
        request = self.admission.updated_request(stack, change)
        identity = StackIdentity(stack.name, stack.id, stack.project)
        definition = self.admission.define(caller, request, identity)
        self.planner.check_immutable(stack, definition)
        request = self.admission.completed(caller, request, definition)
        if may_be_refused(definition):
            check_possible(self.planner.plan(stack, self.planner.present(stack), request, definition))
        seal = seal_for(self.intents.database, request, definition, stack)
        digest, bodies = definitions.encode(request, seal)
        values: NewValues = {
            "definition": digest,
            "description": definition.template.description,
        }
        if change.disable_rollback is not None:
            values["disable_rollback"] = change.disable_rollback
        if change.timeout_mins is not None:
            values["timeout_mins"] = change.timeout_mins
        tags = change.tags if change.tags is not None else () if not change.existing else None
        if tags is not None:
            values["tags"] = list(tags)
        stack = self.intents.start(
            caller, stack, Action.UPDATE, bodies, notes=RunNotes(converge=change.converge), **values
        )
        self.accepted(stack, definition)
        return stack

    def act(self, caller: Caller, stack: records.Stack, verb: str) -> None:
        """Starts an action of Heat's API that has no arguments, or cancels the action in progress."""
        if stack.deleted_at is not None:
            raise NotFound("Stack", stack.name)
        if verb in _ACTIONS:
            action = _ACTIONS[verb]
            if stack.status == Status.IN_PROGRESS:
                raise ActionInProgress(stack.name)
            if stack.state != f"{action}_{Status.COMPLETE}" or action == Action.CHECK:
                self.intents.start(caller, stack, action, only_if=check_still_idle)
        elif verb == "retry":
            if stack.status != Status.FAILED:
                raise NotSupported(f"Retrying when stack is {stack.state} is not supported.")
            # The same action starts again with the same target definition; completed resources are not repeated.
            notes = replace(RunNotes.of(stack), cancelled=False)
            self.intents.start(caller, stack, Action(stack.action), only_if=check_still_idle, notes=notes)
        elif verb == "cancel_update":
            _check_cancellable(stack, Action.UPDATE)
            self.intents.start(
                caller,
                stack,
                Action.ROLLBACK,
                only_if=lambda seen, present: _check_same_run(seen, present, Action.UPDATE),
                definition=stack.previous or stack.definition,
                notes=RunNotes(empty=not stack.previous),
            )
        elif verb == "cancel_without_rollback":
            _check_cancellable(stack, Action.UPDATE, Action.CREATE)
            self.intents.cancel(
                stack, lambda seen, present: _check_same_run(seen, present, Action.UPDATE, Action.CREATE)
            )
        else:
            raise ServiceError("HTTPBadRequest", f"Invalid action {verb} specified")


def _check_cancellable(stack: records.Stack | StackState, *actions: Action) -> None:
    """Raises NotSupported unless one of the actions is in progress."""
    if stack.status != Status.IN_PROGRESS or stack.action not in actions:
        state = f"{stack.action}_{stack.status}"
        raise NotSupported(f"Cancelling update when stack is {state} is not supported.")


def _check_same_run(seen: records.Stack, present: StackState, *actions: Action) -> None:
    """Raises ServiceError unless the action to cancel is still in progress."""
    _check_cancellable(present, *actions)
    if present.run_id != seen.run_id:
        raise ActionInProgress(seen.name)
