"""Formats plans for the API: Heat's lists of resources, and the steps."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from calor.language.definition import ResourceDefinition
from calor.plan.kinds import Kind
from calor.plan.present import PresentStack, Row
from calor.plan.row_selection import current
from calor.plan.steps import Plan, Step
from calor.resources.values import JsonObject
from calor.service.masking import Masking

GROUPS = ("unchanged", "updated", "replaced", "added", "deleted")
_GROUP_OF = {
    Kind.CREATE: "added",
    Kind.UPDATE: "updated",
    Kind.REPLACE: "replaced",
    Kind.DELETE: "deleted",
    Kind.KEEP: "unchanged",
}


def steps(plan: Plan, masking: Masking) -> list[JsonObject]:
    """The steps in order; those of a nested stack are in the step of its resource."""
    return [_step(step, masking) for step in plan.steps]


def _step(step: Step, masking: Masking) -> JsonObject:
    shown: JsonObject = {
        "action": step.kind.value,
        "resource_name": step.name,
        "path": list(step.path),
        "resource_type": step.type_name,
        "reason": step.reason,
        "changes": [masking.change(change) for change in step.changes],
    }
    if step.possible:
        shown["possible"] = sorted(kind.value for kind in step.possible)
        shown["may_be_replaced"] = step.may_be(Kind.REPLACE)
    if step.unchanged_below:
        shown["unchanged_below"] = step.unchanged_below
    if step.nested is not None:
        shown["nested"] = steps(step.nested, masking)
        if step.nested.open is not None:
            shown["nested_unknown"] = step.nested.open
    return shown


class PreviewedChanges:
    """The lists of Heat's preview of an update."""

    def __init__(self, stack: PresentStack, masking: Masking, show_nested: bool) -> None:
        self._masking = masking
        self._show_nested = show_nested
        self._root = stack
        self._rows = dict(_rows(stack))

    def of(self, plan: Plan) -> dict[str, list[Any]]:
        found: dict[str, list[object]] = {group: [] for group in GROUPS}
        self._add(plan, self._root, None, found)
        return found

    def _add(
        self, plan: Plan, stack: PresentStack, parent: str | None, found: dict[str, list[object]]
    ) -> None:
        wanted = {step.name for step in plan.steps if step.resource is not None}
        for step in plan.steps:
            row = self._rows.get(step.row or "")
            below = stack.below.get(row.physical_id or "") if row is not None else None
            # The deletion of a replaced resource is not listed: the resource is in another list. Its nested resources
            # are.
            if step.resource is not None or step.name not in wanted:
                found[_group(step, below)].append(self._item(step, row, stack, below, parent))
            nested = step.nested
            if nested is None and below is not None and step.kind is Kind.KEEP:
                nested = _unchanged(below, step.path)
            if self._show_nested and nested is not None:
                if below is None or step.kind in (Kind.CREATE, Kind.REPLACE):
                    name = f"{stack.name}-{step.name}"
                    below = PresentStack("None", name, stack.project, stack.depth + 1)
                self._add(nested, below, step.name, found)

    def _item(
        self,
        step: Step,
        row: Row | None,
        stack: PresentStack,
        below: PresentStack | None,
        parent: str | None,
    ) -> JsonObject:
        resource = step.resource
        shown = raw(step.name, step.type_name, stack.project, stack.name, stack.id, step.required_by)
        shown |= existing(row, resource, self._masking) if row is not None else new(resource, self._masking)
        shown["description"] = resource.text.description if resource is not None else ""
        shown["reason"] = step.reason
        shown["changes"] = [self._masking.change(change) for change in step.changes]
        if step.kind in (Kind.UNDECIDED, Kind.FORBIDDEN):
            shown["decision"] = step.kind.value
        if step.possible:
            shown["may_be_replaced"] = step.may_be(Kind.REPLACE)
        if below is not None:
            shown["nested_stack_id"] = identity(below.project, below.name, below.id)
        if parent is not None:
            shown["parent_resource"] = parent
        return shown


def _unchanged(stack: PresentStack, path: tuple[str, ...]) -> Plan:
    """The steps for a stack in which nothing changes; plans have only their number."""
    rows = current(stack.rows)
    needed_by: dict[str, list[str]] = {}
    for row in rows.values():
        for id in row.requires:
            needed_by.setdefault(id, []).append(row.name)
    return Plan(
        tuple(
            Step(
                Kind.KEEP,
                (*path, row.name),
                row.type_name,
                "nothing changes",
                row=row.id,
                required_by=tuple(needed_by.get(row.id, ())),
            )
            for row in rows.values()
        )
    )


def _group(step: Step, below: PresentStack | None) -> str:
    if step.kind is Kind.KEEP and below is not None:
        # Heat updates every nested stack, and clients expect it in this list.
        return "updated"
    if step.kind is Kind.FORBIDDEN:
        return _GROUP_OF[step.forbids or Kind.UPDATE]
    if step.kind is Kind.UNDECIDED:
        # The worst case, so that a possible replacement is not missed.
        return "replaced" if Kind.REPLACE in step.possible else "updated"
    return _GROUP_OF[step.kind]


def _rows(stack: PresentStack) -> Iterator[tuple[str, Row]]:
    yield from ((row.id, row) for row in stack.rows)
    for below in stack.below.values():
        yield from _rows(below)


def identity(project: str, name: str, id: str, path: str = "") -> dict[str, str]:
    return {"tenant": project, "stack_name": name, "stack_id": id, "path": path}


def raw(
    name: str, type_name: str, project: str, stack: str, stack_id: str, required_by: Collection[str]
) -> JsonObject:
    return {
        "resource_name": name,
        "resource_type": type_name,
        "required_by": list(required_by),
        "resource_identity": identity(project, stack, stack_id, f"/resources/{name}"),
        "stack_identity": identity(project, stack, stack_id),
        "stack_name": stack,
    }


def new(resource: ResourceDefinition | None, masking: Masking) -> JsonObject:
    """A resource that does not exist yet."""
    found = resource.resource_type if resource is not None else None
    return {
        "metadata": masking.shown(resource.metadata or {}) if resource is not None else {},
        "attributes": dict.fromkeys(name for name in (found.attributes if found else ()) if name != "show"),
        "creation_time": None,
        "updated_time": None,
        "physical_resource_id": "",
        "resource_action": "INIT",
        "resource_status": "COMPLETE",
        "resource_status_reason": "",
    }


def existing(row: Row, resource: ResourceDefinition | None, masking: Masking) -> JsonObject:
    """An existing resource. `resource` is its new definition, None if it is deleted."""
    return {
        "metadata": masking.shown(row.metadata),
        "attributes": masking.attributes(row, resource),
        "creation_time": row.created_at,
        "updated_time": row.updated_at,
        "physical_resource_id": row.physical_id or "",
        "resource_action": row.action,
        "resource_status": row.status,
        "resource_status_reason": row.reason,
    }
