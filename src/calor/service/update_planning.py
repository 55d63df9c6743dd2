"""Plans updates, and refuses those that are not possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from calor.language.definition import Definition
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.language.values import bare
from calor.lifecycle import Action
from calor.plan.forecasting import forecast
from calor.plan.present import PresentStack
from calor.plan.steps import Plan
from calor.service.errors import NotSupported, ServiceError
from calor.service.intents import check_root
from calor.service.previews.present import means_of, present_stack
from calor.service.requests import Request
from calor.service.sealing import seal_for
from calor.stacks import definitions
from calor.store import records
from calor.store.database import Database, reading

_PAST: dict[str, str] = {Action.SUSPEND: "suspended", Action.DELETE: "deleted"}


def check_updatable(stack: records.Stack) -> None:
    """Raises ServiceError for a stack that cannot be updated in its state."""
    if stack.action in _PAST:
        raise NotSupported(f"Updating a stack when it is {_PAST[stack.action]} is not supported.")
    check_root(stack)


@dataclass(frozen=True, slots=True)
class UpdatePlanner:
    database: Database
    world: World

    def present(self, stack: records.Stack) -> PresentStack:
        """A stack and its nested stacks as stored."""
        with reading(self.database).connect() as connection:
            return present_stack(connection, stack)

    def plan(
        self,
        stack: records.Stack,
        present: PresentStack,
        request: Request,
        definition: Definition,
        check_deadline: Callable[[], None] = lambda: None,
    ) -> Plan:
        """The plan for updating a stack to a request."""
        seal = seal_for(self.database, request, definition, stack)
        target, _ = definitions.encode(request, seal)
        return forecast(definition, present, target, means_of(self.world, request, seal, check_deadline))

    def check_immutable(self, stack: records.Stack, definition: Definition) -> None:
        """Raises ServiceError if the value of an immutable parameter would change."""
        fixed = [name for name, declared in definition.template.parameters.items() if declared.immutable]
        if not fixed:
            return
        with reading(self.database).connect() as connection:
            request = definitions.load(connection, stack.definition)
        identity = StackIdentity(stack.name, stack.id, stack.project)
        present = definitions.define(request, self.world, identity)[0]
        before = bare(present.parameters.values) if present is not None else {}
        after = bare(definition.parameters.values)
        changed = [name for name in fixed if name in before and before[name] != after.get(name)]
        if changed:
            message = f"The following parameters are immutable and may not be updated: {', '.join(changed)}"
            raise ServiceError("ImmutableParameterModified", message)
