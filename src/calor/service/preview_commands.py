"""Previews: what an action would do, by the same decisions as in the engine."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from calor.language.definition import Definition, ResourceDefinition
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.plan.forecasting import forecast
from calor.plan.present import PresentStack
from calor.plan.steps import Plan
from calor.resources.values import JsonMapping, JsonObject
from calor.service.admission import Admission
from calor.service.caller import Caller
from calor.service.errors import ServiceError
from calor.service.masking import Masking, hidden_values
from calor.service.previews.present import means_of
from calor.service.previews.reality import actual_stack
from calor.service.previews.showing import PreviewedChanges, identity, new, raw, steps
from calor.service.queries.definitions import shown_parameters
from calor.service.quotas import Quotas
from calor.service.refusals import check_possible
from calor.service.requests import NewStack, StackChange, check_name
from calor.service.update_planning import UpdatePlanner, check_updatable
from calor.stacks import definitions
from calor.store import records
from calor.store.database import reading


@dataclass(frozen=True, slots=True)
class PreviewCommands:
    """All methods raise ServiceError."""

    world: World
    quotas: Quotas
    admission: Admission
    planner: UpdatePlanner

    def create(self, caller: Caller, new_stack: NewStack, *, show_secrets: bool = False) -> JsonObject:
        """The stack that a request would create."""
        name, project = new_stack.name, caller.project
        check_name(name)
        definition, plan = self.plan_create(caller, name, new_stack.request)
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

    def plan_create(self, caller: Caller, name: str, request: JsonMapping) -> tuple[Definition, Plan]:
        """The plan for creating a stack."""
        check_deadline = self.quotas.preview_deadline()
        definition = self.admission.define(caller, request, StackIdentity(name, None, caller.project))
        nothing = PresentStack("None", name, caller.project, exists=False)
        plan = forecast(definition, nothing, None, means_of(self.world, request, check=check_deadline))
        return definition, plan

    def update(
        self,
        caller: Caller,
        stack: records.Stack,
        change: StackChange,
        show_nested: bool,
        *,
        show_secrets: bool = False,
    ) -> JsonObject:
        """What an update would do to each resource, and in which order. Raises the same ServiceErrors as the update."""
        check_updatable(stack)
        request = self.admission.updated_request(stack, change)
        definition, present, plan = self.plan_update(caller, stack, request, converge=change.converge)
        self.planner.check_immutable(stack, definition)
        check_possible(plan)
        hidden = hidden_values(definition) | self._hidden_before(stack)
        masking = Masking(self.world.declaration, hidden, show_secrets)
        return {
            "resource_changes": PreviewedChanges(present, masking, show_nested).of(plan),
            "plan": steps(plan, masking),
        }

    def _hidden_before(self, stack: records.Stack) -> set[str]:
        """The hidden values of the stack's current definition and of the last one that was reached."""
        digests = {digest for digest in (stack.definition, stack.previous) if digest is not None}
        with reading(self.planner.database).connect() as connection:
            loaded = [definitions.load(connection, digest) for digest in digests]
        requests = [request for request in loaded if definitions.may_hide(request)]
        place = StackIdentity(stack.name, stack.id, stack.project)
        found = (definitions.define(request, self.world, place)[0] for request in requests)
        return {value for one in found if one is not None for value in hidden_values(one)}

    def plan_update(
        self, caller: Caller, stack: records.Stack, request: JsonMapping, *, converge: bool = False
    ) -> tuple[Definition, PresentStack, Plan]:
        """The plan for updating a stack to a request; with `converge`, based on the actual state in the cloud."""
        check_deadline = self.quotas.preview_deadline()
        definition = self.admission.define(
            caller, request, StackIdentity(stack.name, stack.id, stack.project)
        )
        request = self.admission.completed(caller, request, definition)
        present = self.planner.present(stack)
        if converge:
            present = self._from_cloud(caller, stack, present)
        return definition, present, self.planner.plan(stack, present, request, definition, check_deadline)

    def _from_cloud(self, caller: Caller, stack: records.Stack, present: PresentStack) -> PresentStack:
        services = self.admission.services.of(caller)
        if services is not None and services.project_id != stack.project:
            # The objects would seem to be missing in another project.
            message = "Only users of the stack's own project can compare it with the cloud."
            raise ServiceError("Forbidden", message)
        vault = self.admission.services.vault
        shared = vault.shared if vault is not None else None
        return actual_stack(present, self.world.declaration, services, shared)

    def plan_delete(self, stack: records.Stack) -> Plan:
        """The plan for deleting a stack."""
        return forecast(None, self.planner.present(stack), None, means_of(self.world, {}))


@dataclass(frozen=True, slots=True)
class _Previewed:
    """The resources of a new stack in the format of previews."""

    project: str
    masking: Masking

    def planned(self, plan: Plan, stack: str, parent: str | None = None) -> list[object]:
        """From the plan, which has all members of groups. The resources of a nested stack are a list in the list."""
        plain: list[object] = []
        nested: list[object] = []
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

    def _defined(self, definition: Definition, stack: str, parent: str) -> list[object]:
        """From the definition, for stacks that cannot be planned; of a group, that is a sample."""
        dependants = definition.graph.dependants()
        plain: list[object] = []
        nested: list[object] = []
        for one in definition.resources.values():
            if one.child is not None:
                nested.append(self._defined(one.child, f"{stack}-{one.name}", one.name))
            else:
                plain.append(self._shown(one, stack, parent, dependants[one.name]))
        return [*plain, *nested]

    def _shown(
        self, resource: ResourceDefinition, stack: str, parent: str | None, required_by: Collection[str]
    ) -> JsonObject:
        return {
            **raw(resource.name, resource.type_name, self.project, stack, "None", required_by),
            **new(resource, self.masking),
            "description": resource.text.description,
            "properties": self.masking.shown(resource.values),
            **({"parent_resource": parent} if parent else {}),
        }
