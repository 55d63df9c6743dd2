"""What keeps a stack from being updated, whether it is done or only asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from calor.engine import definitions
from calor.language.definition import Definition
from calor.language.parameters import StackIdentity
from calor.language.values import bare
from calor.plan.forecasting import forecast
from calor.plan.present import PresentStack
from calor.plan.steps import Plan
from calor.service.base import Base
from calor.service.errors import NotSupported, ServiceError
from calor.service.previews.present import means_of, present_stack
from calor.store import records
from calor.store.database import reading

_PAST = {"SUSPEND": "suspended", "DELETE": "deleted"}


class UpdateChecks(Base):
    def check_updatable(self, stack: records.Stack) -> None:
        """Raises ServiceError for a stack that takes no update as it is."""
        if stack.action in _PAST:
            raise NotSupported(f"Updating a stack when it is {_PAST[stack.action]} is not supported.")
        self.check_whole(stack)

    def check_updated(self, stack: records.Stack, definition: Definition) -> None:
        """Raises ServiceError for a definition that the stack cannot become."""
        self.check_size(definition)
        self._check_immutable(stack, definition)

    def present(self, stack: records.Stack) -> PresentStack:
        """A stack and those below it, as they are known."""
        with reading(self.database).connect() as connection:
            return present_stack(connection, stack)

    def planned(
        self,
        stack: records.Stack,
        present: PresentStack,
        request: Mapping[str, Any],
        definition: Definition,
        go_on: Callable[[], None] = lambda: None,
    ) -> Plan:
        """The plan for a stack, as it is, to become what a request says. `go_on` raises to end one that takes too
        long."""
        seal = self.seal_for(request, definition, stack)
        target, _ = definitions.encode(request, seal)
        return forecast(definition, present, target, means_of(self.world, request, seal, go_on))

    def _check_immutable(self, stack: records.Stack, definition: Definition) -> None:
        """Raises ServiceError if a parameter that must stay as it is would get another value."""
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
