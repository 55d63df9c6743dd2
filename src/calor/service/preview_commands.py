"""Shows what would be done, by the same decisions that do it, and does nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from calor.engine import definitions
from calor.language.definition import Definition, ResourceDefinition
from calor.language.parameters import StackIdentity
from calor.plan.forecasting import forecast
from calor.plan.present import PresentStack
from calor.plan.steps import Plan
from calor.service.base import NewStack, StackChange, check_name
from calor.service.caller import Caller
from calor.service.errors import ServiceError
from calor.service.masking import Masking, hidden_values
from calor.service.previews.present import means_of
from calor.service.previews.reality import as_it_is
from calor.service.previews.showing import Changes, identity, new, raw, steps
from calor.service.queries.meanings import shown_parameters
from calor.service.refusals import check_possible
from calor.service.update_checks import UpdateChecks
from calor.store import records
from calor.store.database import reading


class PreviewCommands(UpdateChecks):
    def preview_create(
        self, caller: Caller, new_stack: NewStack, *, show_secrets: bool = False
    ) -> dict[str, Any]:
        """The stack that a request would make. Raises ServiceError."""
        name, project = new_stack.name, caller.project
        check_name(name)
        go_on = self.deadline()
        definition = self.define(caller, new_stack.request, StackIdentity(name, None, project))
        nothing = PresentStack("None", name, project, exists=False)
        plan = forecast(definition, nothing, None, means_of(self.world, new_stack.request, go_on=go_on))
        masking = Masking(self.world.declaration, hidden_values(definition), show_secrets)
        return {
            "capabilities": [],
            "creation_time": None,
            "deletion_time": None,
            "description": definition.template.description,
            "disable_rollback": new_stack.disable_rollback,
            "notification_topics": [],
            "outputs": [
                {
                    "output_key": key,
                    "output_value": masking.shown(value),
                    "description": definition.template.outputs[key].description,
                }
                for key, value in definition.outputs.items()
            ],
            "parameters": shown_parameters(definition),
            "parent": None,
            "plan": steps(plan, masking),
            "resources": _Previewed(project, masking).planned(plan, name),
            "stack_identity": identity(project, name, "None"),
            "stack_name": name,
            "stack_owner": caller.username,
            "stack_user_project_id": None,
            "tags": list(new_stack.tags),
            "template_description": definition.template.description,
            "timeout_mins": new_stack.timeout_mins,
            "updated_time": None,
        }

    def preview_update(
        self,
        caller: Caller,
        stack: records.Stack,
        change: StackChange,
        show_nested: bool,
        *,
        show_secrets: bool = False,
    ) -> dict[str, Any]:
        """What an update would do to each resource, and in which order. Raises ServiceError, as the update itself
        would."""
        self.check_updatable(stack)
        request = self.updated(stack, change)
        definition, present, plan = self.plan_update(caller, stack, request, converge=change.converge)
        self.check_updated(stack, definition)
        check_possible(plan)
        hidden = hidden_values(definition) | self._hidden_before(stack)
        masking = Masking(self.world.declaration, hidden, show_secrets)
        return {
            "resource_changes": Changes(present, masking, show_nested).of(plan),
            "plan": steps(plan, masking),
        }

    def _hidden_before(self, stack: records.Stack) -> set[str]:
        """Values that were hidden in what the stack is, or was when it last got where it was to go."""
        digests = {digest for digest in (stack.definition, stack.previous) if digest is not None}
        with reading(self.database).connect() as connection:
            loaded = [definitions.load(connection, digest) for digest in digests]
        requests = [request for request in loaded if definitions.may_hide(request)]
        place = StackIdentity(stack.name, stack.id, stack.project)
        found = (definitions.define(request, self.world, place)[0] for request in requests)
        return {value for one in found if one is not None for value in hidden_values(one)}

    def plan_update(
        self, caller: Caller, stack: records.Stack, request: Mapping[str, Any], *, converge: bool = False
    ) -> tuple[Definition, PresentStack, Plan]:
        """The plan for a stack to become what a request says; with `converge` from what there really is. Raises
        ServiceError."""
        go_on = self.deadline()
        definition = self.define(caller, request, StackIdentity(stack.name, stack.id, stack.project))
        request = self.accepted(caller, request, definition)
        present = self.present(stack)
        if converge:
            present = self._as_it_is(caller, stack, present)
        return definition, present, self.planned(stack, present, request, definition, go_on)

    def _as_it_is(self, caller: Caller, stack: records.Stack, present: PresentStack) -> PresentStack:
        services = self.services_of(caller)
        if services is not None and services.project_id != stack.project:
            # What belongs to another project would look as if it were gone.
            message = "Only users of the stack's own project can compare it with what there is."
            raise ServiceError("Forbidden", message)
        reach = self.vault.reach if self.vault is not None else None
        return as_it_is(present, self.world.declaration, services, reach)

    def plan_delete(self, stack: records.Stack) -> Plan:
        """The plan for a stack to go."""
        return forecast(None, self.present(stack), None, means_of(self.world, {}))


@dataclass(frozen=True, slots=True)
class _Previewed:
    """The resources that a new stack would have, as previews show them."""

    project: str
    masking: Masking

    def planned(self, plan: Plan, stack: str, parent: str | None = None) -> list[Any]:
        """By the plan, which has all members of groups; those of a nested stack are a list in the list."""
        plain: list[Any] = []
        nested: list[Any] = []
        for step in plan.steps:
            assert step.resource is not None
            below = f"{stack}-{step.name}"
            if step.nested is not None and step.nested.open is None:
                nested.append(self.planned(step.nested, below, step.name))
            elif step.resource.child is not None:
                nested.append(self._defined(step.resource.child, below, step.name))
            else:
                plain.append(self._shown(step.resource, stack, parent, step.required_by))
        return [*plain, *nested]

    def _defined(self, definition: Definition, stack: str, parent: str) -> list[Any]:
        """By the definition, where a plan cannot tell: of a group that is a sample."""
        dependants = definition.graph.dependants()
        plain: list[Any] = []
        nested: list[Any] = []
        for one in definition.resources.values():
            if one.child is not None:
                nested.append(self._defined(one.child, f"{stack}-{one.name}", one.name))
            else:
                plain.append(self._shown(one, stack, parent, dependants[one.name]))
        return [*plain, *nested]

    def _shown(
        self, resource: ResourceDefinition, stack: str, parent: str | None, required_by: Collection[str]
    ) -> dict[str, Any]:
        return {
            **raw(resource.name, resource.type_name, self.project, stack, "None", required_by),
            **new(resource, self.masking),
            "description": resource.text.description,
            "properties": self.masking.shown(resource.values),
            **({"parent_resource": parent} if parent else {}),
        }
