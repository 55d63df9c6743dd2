"""Signals resources and marks them unhealthy."""

from __future__ import annotations

from dataclasses import dataclass

from calor.language.library import World
from calor.lifecycle import Action, Status
from calor.plan.present import EXTERNAL, UNHEALTHY, implementing_type
from calor.resources.contract import contract_of
from calor.service.caller import Caller
from calor.service.errors import ActionInProgress, Forbidden, NotSupported, ServiceError
from calor.service.intents import Intents
from calor.service.progress_commands import ProgressCommands
from calor.service.queries.access import is_at_home, may_signal
from calor.service.quotas import Quotas
from calor.stacks.deployment_progress import is_progress
from calor.stacks.events import event_row
from calor.stacks.keys import HOOK
from calor.store import events, records, resources, signals, stacks
from calor.store.database import Database, reading
from calor.store.records import Document
from calor.store.writer import Changes
from calor.types.heat.software.software_deployment import SoftwareDeployment


@dataclass(frozen=True, slots=True)
class ResourceCommands:
    database: Database
    world: World
    quotas: Quotas
    intents: Intents
    progress: ProgressCommands

    def signal(
        self, caller: Caller, stack: records.Stack, resource: records.Resource, details: Document | None
    ) -> str:
        """Adds a signal for the engine. Returns its id, which is valid until it is handled. The progress of a
        deployment is recorded at once, without the engine. Raises ServiceError."""
        hook = (details or {}).get("unset_hook")
        self._check_signaller(caller, stack, resource, hook)
        if details is not None and is_progress(details) and self._is_deployment(resource):
            self.progress.report(stack, resource, details)
            return ""
        if hook is None:
            self._check_signal(stack, resource, details)
        elif (resource.data or {}).get(HOOK) != hook:
            raise ServiceError("InvalidBreakPointHook", f"The {hook} hook is not defined on {resource.name}")
        return self.intents.signal(stack, resource.name, details)

    def mark_unhealthy(
        self,
        caller: Caller,
        stack: records.Stack,
        resource: records.Resource,
        unhealthy: bool,
        reason: str | None,
    ) -> None:
        """Marks a resource for replacement by the next update, or removes the mark. Raises ActionInProgress while an
        engine runs an action on the stack: it would overwrite the mark."""
        with reading(self.database).connect() as connection:
            if stacks.is_in_progress(connection, stack.root):
                raise ActionInProgress(stack.name)
        if not unhealthy and resource.state != f"{Action.CHECK}_{Status.FAILED}":
            return
        status = Status.FAILED if unhealthy else Status.COMPLETE
        given = reason or ("state changed by resource_mark_unhealthy api" if unhealthy else "")
        data = {name: value for name, value in (resource.data or {}).items() if name != UNHEALTHY}
        changes = Changes(sealed=stack.sealed)
        resources.set_state(
            changes,
            resource.id,
            action=Action.CHECK,
            status=status,
            reason=given,
            data={**data, UNHEALTHY: True} if unhealthy else data,
            at=self.intents.clock(),
        )
        self._add_event(changes, stack, resource, (Action.CHECK, status), given)
        self.intents.writer.write(changes)

    def _check_signaller(
        self, caller: Caller, stack: records.Stack, resource: records.Resource, hook: object
    ) -> None:
        """Raises Forbidden unless the caller may signal the resource. Stack users may not clear hooks."""
        if is_at_home(caller, stack):
            return
        if hook is not None:
            raise Forbidden("Users created by stacks cannot clear hooks.")
        with reading(self.database).connect() as connection:
            if not may_signal(connection, caller, stack, resource):
                raise Forbidden(f"You are not authorized to signal {resource.name}.")

    def _is_deployment(self, resource: records.Resource) -> bool:
        declared = implementing_type(resource.type, resource.data, self.world.declaration)
        return declared is not None and issubclass(declared, SoftwareDeployment)

    def _check_signal(self, stack: records.Stack, resource: records.Resource, details: object) -> None:
        """Raises ServiceError unless the resource accepts the signal now. A signal at the wrong time is also reported
        by an event."""
        declared = implementing_type(resource.type, resource.data, self.world.declaration)
        if (resource.data or {}).get(EXTERNAL):
            message = f"{resource.name} is an external resource and does not accept signals."
            raise ServiceError("ResourceActionNotSupported", message)
        if declared is not None and resource.action in declared.no_signal_actions:
            self._report_untimely(stack, resource)
            raise NotSupported(f"Signal resource during {resource.action} is not supported.")
        if declared is None or contract_of(declared).signal is None:
            raise ServiceError("ResourceActionNotSupported", f"{resource.type} does not accept signals.")
        with reading(self.database).connect() as connection:
            waiting = signals.waiting_for(connection, stack, resource.name)
        self.quotas.signals(self.world.sizes.value).check(resource, declared, details, waiting)

    def _report_untimely(self, stack: records.Stack, resource: records.Resource) -> None:
        """Adds one event for all signals in a row: a server may send any number."""
        reason = f"Cannot signal resource during {resource.action}"
        with reading(self.database).connect() as connection:
            if events.last_reason(connection, stack.id, resource.name) == reason:
                return
        changes = Changes(sealed=stack.sealed)
        self._add_event(changes, stack, resource, (resource.action, resource.status), reason)
        self.intents.writer.write(changes)

    def _add_event(
        self,
        changes: Changes,
        stack: records.Stack,
        resource: records.Resource,
        state: tuple[str, str],
        reason: str,
    ) -> None:
        row = event_row(
            stack, resource.name, resource.type, resource.physical_id, state, reason, self.intents.clock()
        )
        events.add(changes, row)
