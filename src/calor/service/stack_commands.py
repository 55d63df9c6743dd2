"""Creates, updates, deletes and stops stacks. A change is answered when it is written down: the engine then does
the work."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, select

from calor.engine import definitions
from calor.engine.events import event_row
from calor.engine.hooks import HOOK
from calor.engine.ids import new_id
from calor.engine.keeper import CANCELLED
from calor.engine.reality import CONVERGE
from calor.engine.signals import WHOLE_STACK
from calor.engine.states import StepFailed
from calor.language.parameters import StackIdentity
from calor.plan.present import EXTERNAL, UNHEALTHY, implementing_type
from calor.service.base import NewStack, StackChange, locked
from calor.service.caller import Caller
from calor.service.errors import ActionInProgress, Forbidden, NotFound, NotSupported, ServiceError
from calor.service.queries.access import is_at_home, may_signal
from calor.service.refusals import check_possible, may_be_refused
from calor.service.update_checks import UpdateChecks
from calor.store import records, sealing, tables
from calor.store.database import reading
from calor.store.writer import Changes

_ACTIONS = {"suspend": "SUSPEND", "resume": "RESUME", "check": "CHECK"}


class StackCommands(UpdateChecks):
    """The life of a stack."""

    def create_stack(self, caller: Caller, new: NewStack) -> records.Stack:
        """Makes a stack row, IN_PROGRESS, for the engine to walk. Raises ServiceError."""
        return self.create_row(caller, new, "CREATE", {})

    def delete_stack(self, caller: Caller, stack: records.Stack) -> None:
        """Marks a stack for deletion. Raises ServiceError."""
        if stack.deleted_at is not None:
            raise NotFound("Stack", stack.name)
        self.start(caller, stack, "DELETE", run={})

    def update_stack(self, caller: Caller, stack: records.Stack, change: StackChange) -> records.Stack:
        """Gives a stack a new definition to become. Raises ServiceError."""
        self.check_updatable(stack)
        request = self.updated(stack, change)
        definition = self.define(caller, request, StackIdentity(stack.name, stack.id, stack.project))
        self.check_updated(stack, definition)
        request = self.accepted(caller, request, definition)
        if may_be_refused(definition):
            check_possible(self.planned(stack, self.present(stack), request, definition))
        digest, bodies = definitions.encode(request, self.seal_for(request, definition, stack))
        values: dict[str, Any] = {
            "definition": digest,
            "description": definition.template.description,
            "run": {CONVERGE: True} if change.converge else {},
        }
        if change.disable_rollback is not None:
            values["disable_rollback"] = change.disable_rollback
        if change.timeout_mins is not None:
            values["timeout_mins"] = change.timeout_mins
        tags = change.tags if change.tags is not None else () if not change.existing else None
        if tags is not None:
            values["tags"] = list(tags)
        return self.start(caller, stack, "UPDATE", bodies=bodies, **values)

    def act(self, caller: Caller, stack: records.Stack, verb: str) -> None:
        """Starts one of the actions on what is there, or stops the one under way. Raises ServiceError."""
        if stack.deleted_at is not None:
            raise NotFound("Stack", stack.name)
        if verb in _ACTIONS:
            action = _ACTIONS[verb]
            if stack.status == "IN_PROGRESS":
                raise ActionInProgress(stack.name)
            if stack.state != f"{action}_COMPLETE" or action == "CHECK":
                self.start(caller, stack, action, only_if=_is_idle, run={})
        elif verb == "retry":
            if stack.status != "FAILED":
                raise NotSupported(f"Retrying when stack is {stack.state} is not supported.")
            # What is done stays done: the same action starts again, with the same definition to reach.
            run = {name: value for name, value in stack.run.items() if name != CANCELLED}
            self.start(caller, stack, stack.action, only_if=_is_idle, run=run)
        elif verb == "cancel_update":
            _check_cancelled(stack, "UPDATE")
            definition = stack.previous or stack.definition
            self.start(
                caller,
                stack,
                "ROLLBACK",
                only_if=lambda seen, present: _check_same_run(seen, present, "UPDATE"),
                definition=definition,
                run={} if stack.previous else {"empty": True},
            )
        elif verb == "cancel_without_rollback":
            _check_cancelled(stack, "UPDATE", "CREATE")
            self._halt(stack)
        else:
            raise ServiceError("HTTPBadRequest", f"Invalid action {verb} specified")

    def _halt(self, stack: records.Stack) -> None:
        """Ends the action under way: nothing more is started, and what is under way is done. A stack that is part of
        another is ended by whoever walks the whole."""
        changes = Changes(sealed=stack.sealed)
        if stack.is_root:
            reason = StepFailed.cancelled(stack.action).reason
            values = {"status": "FAILED", "reason": reason, "run_id": new_id(), "run": {CANCELLED: True}}
            self.note(changes, records.changed(stack, **values))
        else:
            changes.insert(
                tables.inbox,
                id=new_id(),
                root=stack.root,
                stack=stack.id,
                resource=WHOLE_STACK,
                details=None,
            )

        def write(connection: Connection) -> None:
            present = locked(connection, stack)
            _check_same_run(stack, present, "UPDATE", "CREATE")
            if stack.is_root:
                [row] = sealing.protect(connection, tables.stack, [values], stack.sealed)
                connection.execute(tables.stack.update().where(tables.stack.c.id == stack.id).values(row))

        changes.then(write)
        self.writer.write(changes)
        self.ring()

    def signal(
        self, caller: Caller, stack: records.Stack, resource: records.Resource, details: dict[str, Any] | None
    ) -> str:
        """Puts a signal into the engine's inbox, where it has the id that is answered until it is handled. Raises
        ServiceError."""
        hook = (details or {}).get("unset_hook")
        self._check_signaller(caller, stack, resource, hook)
        if hook is not None:
            if (resource.data or {}).get(HOOK) != hook:
                raise ServiceError(
                    "InvalidBreakPointHook", f"The {hook} hook is not defined on {resource.name}"
                )
        else:
            self._check_signalled(stack, resource)
        id = new_id()
        changes = Changes()
        changes.insert(
            tables.inbox,
            id=id,
            root=stack.root,
            stack=stack.id,
            resource=resource.name,
            details=details,
        )
        self.writer.write(changes)
        self.ring()
        return id

    def _check_signaller(
        self, caller: Caller, stack: records.Stack, resource: records.Resource, hook: Any
    ) -> None:
        """Raises Forbidden unless the caller may signal the resource. Hooks wait for a person, not for a server."""
        if is_at_home(caller, stack):
            return
        if hook is not None:
            raise Forbidden("Users of stacks do not clear hooks.")
        with reading(self.database).connect() as connection:
            if not may_signal(connection, caller, stack, resource):
                raise Forbidden(f"You are not authorized to signal {resource.name}.")

    def _check_signalled(self, stack: records.Stack, resource: records.Resource) -> None:
        """Raises ServiceError unless the resource takes signals now. An event tells of signals that came at a wrong
        time."""
        declared = implementing_type(resource.type, resource.data, self.world.declaration)
        if (resource.data or {}).get(EXTERNAL):
            message = f"{resource.name} belongs to somebody else and takes no signals here."
            raise ServiceError("ResourceActionNotSupported", message)
        if declared is not None and resource.action in declared.deaf_during:
            changes = Changes(sealed=stack.sealed)
            reason = f"Cannot signal resource during {resource.action}"
            self._note_event(changes, stack, resource, (resource.action, resource.status), reason)
            self.writer.write(changes)
            raise NotSupported(f"Signal resource during {resource.action} is not supported.")
        if not hasattr(declared, "signal"):
            raise ServiceError("ResourceActionNotSupported", f"{resource.type} takes no signals.")

    def mark_unhealthy(
        self,
        caller: Caller,
        stack: records.Stack,
        resource: records.Resource,
        unhealthy: bool,
        reason: str | None,
    ) -> None:
        """Marks a resource for replacement by the next update, or takes the mark back. Raises ActionInProgress
        while the stack is walked: whoever walks it writes what it knows of its resources."""
        with reading(self.database).connect() as connection:
            root = select(tables.stack.c.status).where(tables.stack.c.id == stack.root)
            if connection.execute(root).scalar() == "IN_PROGRESS":
                raise ActionInProgress(stack.name)
        if not unhealthy and resource.state != "CHECK_FAILED":
            return
        status = "FAILED" if unhealthy else "COMPLETE"
        given = reason or ("state changed by resource_mark_unhealthy api" if unhealthy else "")
        changes = Changes(sealed=stack.sealed)
        data = {name: value for name, value in (resource.data or {}).items() if name != UNHEALTHY}
        changes.update(
            tables.resource,
            resource.id,
            action="CHECK",
            status=status,
            reason=given,
            updated_at=self.clock(),
            data={**data, UNHEALTHY: True} if unhealthy else data,
        )
        self._note_event(changes, stack, resource, ("CHECK", status), given)
        self.writer.write(changes)

    def _note_event(
        self,
        changes: Changes,
        stack: records.Stack,
        resource: records.Resource,
        state: tuple[str, str],
        reason: str,
    ) -> None:
        """An event of a resource."""
        told = event_row(
            stack, resource.name, resource.type, resource.physical_id, state, reason, self.clock()
        )
        changes.insert(tables.event, **told)


def _check_cancelled(stack: records.Stack | Row[Any], *actions: str) -> None:
    """Raises NotSupported unless one of the actions is under way."""
    if stack.status != "IN_PROGRESS" or stack.action not in actions:
        state = f"{stack.action}_{stack.status}"
        raise NotSupported(f"Cancelling update when stack is {state} is not supported.")


def _check_same_run(seen: records.Stack, present: Row[Any], *actions: str) -> None:
    """Raises NotSupported unless the action that is to be cancelled is still under way."""
    _check_cancelled(present, *actions)
    if present.run_id != seen.run_id:
        raise ActionInProgress(seen.name)


def _is_idle(seen: records.Stack, present: Row[Any]) -> None:
    """Raises ActionInProgress if something was begun since the stack was looked at."""
    if present.run_id != seen.run_id or present.status == "IN_PROGRESS":
        raise ActionInProgress(seen.name)
