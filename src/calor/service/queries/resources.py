"""Lists and shows the resources of stacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, Engine, Row, or_, select

from calor.service.caller import Caller
from calor.service.errors import NotFound, ServiceError
from calor.service.queries.choosing import current
from calor.service.queries.meanings import Meaning, Meanings
from calor.service.queries.trees import Place, Tree, tree
from calor.store import records, tables

table = tables.resource

_PLAIN = (
    "id",
    "stack",
    "name",
    "type",
    "physical_id",
    "action",
    "status",
    "reason",
    "created_at",
    "updated_at",
    "requires",
    "replaced_by",
)
_CREATING = frozenset({"CREATE", "UPDATE", "ADOPT", "RESTORE", "ROLLBACK"})


@dataclass(frozen=True, slots=True)
class ResourceFilter:
    """Which resources are wanted; what is empty does not matter. A type is wanted by any part of its name."""

    types: tuple[str, ...] = ()
    equal: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def admits(self, shown: ShownResource) -> bool:
        if self.types and not any(part in shown.type for part in self.types):
            return False
        return all(getattr(shown, name) in values for name, values in self.equal.items())


EVERYTHING = ResourceFilter()


@dataclass(frozen=True, slots=True)
class ShownResource:
    """A resource with what surrounds it."""

    id: str | None
    """None before the resource was begun."""
    place: Place
    """Its stack."""
    name: str
    type: str
    physical_id: str | None
    action: str
    status: str
    reason: str
    created_at: float
    updated_at: float | None
    required_by: tuple[str, ...] = ()
    nested: Place | None = None
    parent_resource: str | None = None
    description: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)


class Resources:
    def __init__(self, source: Engine, meanings: Meanings, max_depth: int) -> None:
        self._source = source
        self._meanings = meanings
        self._max_depth = max_depth

    def of(
        self,
        stack: records.Stack,
        *,
        depth: int = 0,
        wanted: ResourceFilter = EVERYTHING,
        with_detail: bool = False,
    ) -> list[ShownResource]:
        """The resources of a stack and of those below it, down to a depth."""
        names = (*_PLAIN, "attributes") if with_detail else _PLAIN
        with self._source.connect() as connection:
            below = tree(connection, stack, min(depth, self._max_depth))
            query = select(*(table.c[name] for name in names)).where(table.c.stack.in_(below.places))
            rows = connection.execute(query.order_by(table.c.created_at)).all()
            stacks = self._stacks(connection, stack, below) if with_detail or _is_partial(stack) else {}
        by_stack: dict[str, list[Row[Any]]] = {id: [] for id in below.places}
        for row in rows:
            by_stack[row.stack].append(row)
        shown = [
            resource
            for id, own in by_stack.items()
            for resource in self._in_stack(below, below.places[id], own, stacks.get(id), with_detail)
        ]
        return [resource for resource in shown if wanted.admits(resource)]

    def get(self, stack: records.Stack, name: str, *, or_physical_id: bool = False) -> records.Resource:
        """The row of a resource, by its name or, if that may be, by its physical id. Raises NotFound, and says so
        if the template has the resource but nobody has begun to make it."""
        matching = table.c.name == name
        query = select(table).where(table.c.stack == stack.id)
        query = query.where(or_(matching, table.c.physical_id == name) if or_physical_id else matching)
        with self._source.connect() as connection:
            rows = [records.record(records.Resource, row) for row in connection.execute(query)]
        found = sorted(current(rows), key=lambda row: row.name != name)
        if found:
            return found[0]
        if name in self._meanings.of(stack).resources:
            raise ServiceError("ResourceNotAvailable", f"The Resource ({name}) is not available.")
        raise NotFound("Resource", name)

    def show(self, stack: records.Stack, name: str, attributes: Iterable[str] = ()) -> ShownResource:
        """A resource with its attributes: those that are known, and besides them the ones that are asked for.
        Raises NotFound."""
        found = next((one for one in self.of(stack, with_detail=True) if one.name == name), None)
        if found is None:
            raise NotFound("Resource", name)
        extra = {name: found.attributes.get(name) for name in attributes}
        return replace(found, attributes={**found.attributes, **extra})

    def metadata(self, caller: Caller, stack: records.Stack, name: str) -> dict[str, Any]:
        """A resource's metadata. A user of the stack itself may read only what is its own. Raises NotFound."""
        row = self.get(stack, name)
        if caller.project != stack.project and not caller.is_admin:
            owner = (row.data or {}).get("user_id")
            if owner != caller.user_id:
                raise ServiceError("Forbidden", "You are not authorized to read this metadata.")
        return row.metadata or {}

    def _in_stack(
        self,
        below: Tree,
        place: Place,
        rows: Sequence[Row[Any]],
        stack: records.Stack | None,
        with_detail: bool,
    ) -> list[ShownResource]:
        chosen = current(rows)
        names = {row.id: row.name for row in chosen}
        needs = {row.name: [names[id] for id in row.requires if id in names] for row in chosen}
        meaning = self._meanings.of(stack) if stack is not None else None
        waiting = _waiting(stack, meaning, needs) if stack is not None and meaning is not None else []
        if meaning is not None:
            needs.update({name: list(meaning.resources[name].needs) for name in waiting})
        required_by = _reversed(needs)
        found = [
            ShownResource(
                id=row.id,
                place=place,
                name=row.name,
                type=row.type,
                physical_id=row.physical_id,
                action=row.action,
                status=row.status,
                reason=row.reason,
                created_at=row.created_at,
                updated_at=row.updated_at,
                required_by=tuple(required_by.get(row.name, ())),
                nested=below.children.get((place.id, row.name)),
                parent_resource=place.parent_resource,
                attributes=(row.attributes or {}) if with_detail else {},
            )
            for row in chosen
        ]
        if stack is None or meaning is None:
            return found
        found += [
            ShownResource(
                id=None,
                place=place,
                name=name,
                type=meaning.resources[name].type,
                physical_id=None,
                action="INIT",
                status="COMPLETE",
                reason="",
                created_at=stack.created_at,
                updated_at=stack.created_at,
                required_by=tuple(required_by.get(name, ())),
                parent_resource=place.parent_resource,
            )
            for name in waiting
        ]
        return [_described(one, meaning) for one in found] if with_detail else found

    def _stacks(self, connection: Connection, stack: records.Stack, below: Tree) -> dict[str, records.Stack]:
        others = [id for id in below.places if id != stack.id]
        if not others:
            return {stack.id: stack}
        rows = connection.execute(select(tables.stack).where(tables.stack.c.id.in_(others)))
        return {stack.id: stack, **{row.id: records.record(records.Stack, row) for row in rows}}


def _is_partial(stack: records.Stack) -> bool:
    """Whether a stack may lack resources that its definition has."""
    return stack.status != "COMPLETE" and stack.action in _CREATING and not stack.run.get("empty")


def _waiting(stack: records.Stack, meaning: Meaning, begun: Mapping[str, Any]) -> list[str]:
    """Resources that the definition has and nobody has begun to make."""
    return [name for name in meaning.resources if name not in begun] if _is_partial(stack) else []


def _reversed(needs: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, needed in needs.items():
        for one in needed:
            found.setdefault(one, []).append(name)
    return found


def _described(resource: ShownResource, meaning: Meaning) -> ShownResource:
    declared = meaning.resources.get(resource.name)
    return resource if declared is None else replace(resource, description=declared.description)
