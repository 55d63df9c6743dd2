"""Shows what would be done, by the same decisions that do it, and does nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from calor.engine.applying import present_of, wanted_of
from calor.engine.states import LiveStates, ResourceState
from calor.language.definition import Definition, ResourceDefinition
from calor.language.evaluation import Evaluated, evaluate
from calor.language.expressions import FunctionError
from calor.language.parameters import StackIdentity
from calor.language.values import masked
from calor.plan.decision import Kind, decide
from calor.service.base import Base, NewStack, StackChange
from calor.service.caller import Caller
from calor.service.errors import ServiceError
from calor.service.queries.meanings import shown_parameters
from calor.store import records, tables
from calor.store.database import reading

_GROUPS = {
    Kind.CREATE: "added",
    Kind.UPDATE: "updated",
    Kind.UNDECIDED: "updated",
    Kind.REPLACE: "replaced",
    Kind.FORBIDDEN: "replaced",
    Kind.KEEP: "unchanged",
}


class PreviewCommands(Base):
    def preview_create(self, caller: Caller, new: NewStack) -> dict[str, Any]:
        """The stack that a request would make. Raises ServiceError."""
        identity = StackIdentity(new.name, None, caller.project)
        definition = self.define(new.request, identity)
        self.check_usable(caller, definition)
        self.check_size(definition)
        return {
            "capabilities": [],
            "creation_time": None,
            "deletion_time": None,
            "description": definition.template.description,
            "disable_rollback": new.disable_rollback,
            "notification_topics": [],
            "outputs": [
                {
                    "output_key": name,
                    "output_value": masked(value),
                    "description": definition.template.outputs[name].description,
                }
                for name, value in definition.outputs.items()
            ],
            "parameters": shown_parameters(definition),
            "parent": None,
            "resources": _raw_resources(definition, new.name, caller.project, None),
            "stack_identity": _identity(caller.project, new.name, "None"),
            "stack_name": new.name,
            "stack_owner": caller.username,
            "stack_user_project_id": None,
            "tags": list(new.tags),
            "template_description": definition.template.description,
            "timeout_mins": new.timeout_mins,
            "updated_time": None,
        }

    def preview_update(
        self, caller: Caller, stack: records.Stack, change: StackChange, show_nested: bool
    ) -> dict[str, list[Any]]:
        """What an update would do to each resource. Raises ServiceError."""
        request = self.updated(stack, change)
        definition = self.define(request, StackIdentity(stack.name, stack.id, stack.project))
        with reading(self.database).connect() as connection:
            table = tables.resource
            rows = connection.execute(select(table).where(table.c.stack == stack.id))
            states = {row.name: ResourceState.of(records.record(records.Resource, row)) for row in rows}
        found: dict[str, list[Any]] = {
            name: [] for name in ("unchanged", "updated", "replaced", "added", "deleted")
        }
        live = LiveStates(states)
        for name, resource in definition.resources.items():
            state = states.get(name)
            try:
                evaluated = evaluate(definition, resource, live, self.world.custom)
            except FunctionError as error:
                raise ServiceError("StackValidationFailed", error.message) from None
            decision = decide(present_of(state), wanted_of(resource, evaluated))
            found[_GROUPS[decision.kind]].append(_raw_change(stack, resource, state, evaluated))
        for name, state in states.items():
            if name not in definition.resources:
                found["deleted"].append(_raw_row(stack, state))
        return found


def _identity(project: str, name: str, id: str, path: str = "") -> dict[str, str]:
    return {"tenant": project, "stack_name": name, "stack_id": id, "path": path}


def _raw_resources(definition: Definition, name: str, project: str, parent: str | None) -> list[Any]:
    """Resources as previews show them; those of a nested stack as a list in the list."""
    dependants = definition.graph.dependants()
    plain: list[Any] = []
    nested: list[Any] = []
    for resource in definition.resources.values():
        if resource.child is not None:
            below = f"{name}-{resource.name}"
            nested.append(_raw_resources(resource.child, below, project, resource.name))
            continue
        plain.append(
            {
                **_raw(resource.name, resource.type_name, project, name, "None", dependants[resource.name]),
                "description": resource.text.description,
                "metadata": masked(resource.metadata or {}),
                "properties": masked(resource.values),
                "attributes": dict.fromkeys(_attribute_names(resource)),
                "creation_time": None,
                "updated_time": None,
                "physical_resource_id": "",
                "resource_action": "INIT",
                "resource_status": "COMPLETE",
                "resource_status_reason": "",
                **({"parent_resource": parent} if parent else {}),
            }
        )
    return [*plain, *nested]


def _attribute_names(resource: ResourceDefinition) -> list[str]:
    return [name for name in (resource.found.attributes if resource.found else ()) if name != "show"]


def _raw(
    name: str, type_name: str, project: str, stack: str, stack_id: str, required_by: list[str]
) -> dict[str, Any]:
    return {
        "resource_name": name,
        "resource_type": type_name,
        "required_by": required_by,
        "resource_identity": _identity(project, stack, stack_id, f"/resources/{name}"),
        "stack_identity": _identity(project, stack, stack_id),
        "stack_name": stack,
    }


def _raw_change(
    stack: records.Stack, resource: ResourceDefinition, state: ResourceState | None, evaluated: Evaluated
) -> dict[str, Any]:
    if state is not None:
        return _raw_row(stack, state)
    return {
        **_raw(resource.name, resource.type_name, stack.project, stack.name, stack.id, []),
        "metadata": masked(evaluated.metadata),
        "attributes": dict.fromkeys(_attribute_names(resource)),
        "creation_time": None,
        "updated_time": None,
        "physical_resource_id": "",
        "resource_action": "INIT",
        "resource_status": "COMPLETE",
        "resource_status_reason": "",
        "description": resource.text.description,
    }


def _raw_row(stack: records.Stack, state: ResourceState) -> dict[str, Any]:
    attributes: Mapping[str, Any] = state.attributes
    return {
        **_raw(state.name, state.type_name, stack.project, stack.name, stack.id, []),
        "metadata": state.metadata,
        "attributes": dict(attributes),
        "creation_time": state.created_at,
        "updated_time": state.updated_at,
        "physical_resource_id": state.physical_id or "",
        "resource_action": state.action,
        "resource_status": state.status,
        "resource_status_reason": state.reason,
        "description": "",
    }
