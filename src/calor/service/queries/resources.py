"""Lists and shows the resources of stacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sqlalchemy import Connection, Engine, or_, select

from calor.language.hiding import without
from calor.language.library import World
from calor.language.values import MASK, bare, has_secret
from calor.plan.row_selection import visible
from calor.resources.values import JsonMapping, JsonObject
from calor.service.caller import Caller
from calor.service.errors import NotFound, ServiceError
from calor.service.masking import Masking, without_credentials
from calor.service.queries.access import may_read
from calor.service.queries.attributes import StoredStack
from calor.service.queries.definitions import Declared, Definitions
from calor.service.queries.trees import StackPlace, Tree, tree
from calor.stacks.run_notes import RunNotes
from calor.stacks.states import ResourceState
from calor.store import records, tables

table = tables.resource

_CREATING = frozenset({"CREATE", "UPDATE", "ADOPT", "RESTORE", "ROLLBACK"})


class ResourceLine(NamedTuple):
    """The columns of a resource that lists show. A tuple, since lists are long."""

    id: str | None
    """None before the resource is started."""
    stack: str
    name: str
    type: str
    physical_id: str | None
    action: str
    status: str
    reason: str
    created_at: float
    updated_at: float | None
    requires: Sequence[str] = ()
    replaced_by: str | None = None
    attributes: JsonMapping | None = None


@dataclass(frozen=True, slots=True)
class ShownResource:
    """A resource with its context."""

    line: ResourceLine
    place: StackPlace
    """Its stack."""
    required_by: Sequence[str] = ()
    nested: StackPlace | None = None
    description: str = ""
    secrets: Sequence[str] = ()
    """The attributes that are or contain secrets."""


@dataclass(frozen=True, slots=True)
class ResourceFilter:
    """Which resources to list. Empty fields match everything; a type matches by any part of its name."""

    types: tuple[str, ...] = ()
    equal: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def matches(self, line: ResourceLine) -> bool:
        if self.types and not any(part in line.type for part in self.types):
            return False
        return all(getattr(line, name) in values for name, values in self.equal.items())


EVERYTHING = ResourceFilter()


class Resources:
    def __init__(self, source: Engine, definitions: Definitions, world: World) -> None:
        self._source = source
        self._definitions = definitions
        self._world = world

    def of(
        self,
        stack: records.Stack,
        *,
        depth: int = 0,
        wanted: ResourceFilter = EVERYTHING,
        with_detail: bool = False,
        reveals: bool = True,
    ) -> list[ShownResource]:
        """The resources of a stack and its nested stacks down to a depth; with detail, also their attributes. Secret
        ones are masked unless `reveals` is set."""
        with self._source.connect() as connection:
            found = self._shown(connection, stack, depth, described=with_detail)
            chosen = [shown for shown in found if wanted.matches(shown.line)]
            if not with_detail:
                return chosen
            stacks = self._stacks(connection, {shown.place.id for shown in chosen})
            stored = {id: StoredStack(connection, self._world, one) for id, one in stacks.items()}
            masking = {
                id: self._masking(one, stored[id].current.values(), reveals=reveals)
                for id, one in stacks.items()
            }
            return [
                _with_attributes(shown, stored[shown.place.id], masking[shown.place.id], reveals=reveals)
                if shown.line.id is not None
                else shown
                for shown in chosen
            ]

    def _shown(
        self, connection: Connection, stack: records.Stack, depth: int, *, described: bool
    ) -> list[ShownResource]:
        below = tree(connection, stack, min(depth, self._world.max_depth))
        columns = (table.c[name] for name in ResourceLine._fields[:-1])
        query = select(*columns).where(table.c.stack.in_(below.places)).order_by(table.c.created_at)
        by_stack: dict[str, list[ResourceLine]] = {id: [] for id in below.places}
        for row in connection.execute(query).all():
            line = ResourceLine(*row)
            by_stack[line.stack].append(line)
        defined = described or _is_partial(stack)
        stacks = self._stacks(connection, below.places) if defined else {}
        return [
            shown
            for id, own in by_stack.items()
            for shown in self._in_stack(below, below.places[id], own, stacks.get(id))
        ]

    def get(self, stack: records.Stack, name: str, *, or_physical_id: bool = False) -> records.Resource:
        """The row of a resource, by its name or, if allowed, by its physical id. Raises NotFound, with a different
        message if the template has the resource but it has not been started."""
        matching = table.c.name == name
        query = select(table).where(table.c.stack == stack.id)
        query = query.where(or_(matching, table.c.physical_id == name) if or_physical_id else matching)
        with self._source.connect() as connection:
            rows = [records.record(records.Resource, row) for row in connection.execute(query)]
        found = sorted(visible(rows), key=lambda row: row.name != name)
        if found:
            return found[0]
        if name in self._definitions.of(stack).resources:
            raise ServiceError("ResourceNotAvailable", f"The Resource ({name}) is not available.")
        raise NotFound("Resource", name)

    def show(
        self, stack: records.Stack, name: str, attributes: Iterable[str] = (), *, reveals: bool = True
    ) -> ShownResource:
        """A resource with its known attributes and the requested ones. Secret ones are masked unless `reveals` is set.
        Raises NotFound."""
        with self._source.connect() as connection:
            shown = self._shown(connection, stack, 0, described=True)
            found = next((one for one in shown if one.line.name == name), None)
            if found is None:
                raise NotFound("Resource", name)
            if found.line.id is None:
                return replace(found, line=found.line._replace(attributes=dict.fromkeys(attributes)))
            stored = StoredStack(connection, self._world, stack, only=name)
            masking = self._masking(stack, stored.current.values(), reveals=reveals)
            return _with_attributes(found, stored, masking, attributes, reveals=reveals)

    def _masking(self, stack: records.Stack, states: Iterable[ResourceState], *, reveals: bool) -> Masking:
        """Masks values of the stack's hidden parameters and, unless `reveals` is set, secrets of parent stacks; but not
        credentials in attributes, which are meant to be read."""
        hidden = self._definitions.hidden(stack, (state.definition for state in states))
        above = () if reveals else self._definitions.secrets_from_above(stack)
        return Masking(self._world.declaration, hidden.union(above))

    def metadata(
        self, caller: Caller, stack: records.Stack, name: str, *, reveals: bool = True
    ) -> JsonObject:
        """A resource's metadata. A user of the stack itself may read only its own. Credentials of agents, values of
        hidden parameters and secrets of other resources are masked unless `reveals` is set. Raises ServiceError."""
        if caller.is_stack_user or (caller.project != stack.project and not caller.is_admin):
            query = select(table).where(table.c.stack == stack.id)
            with self._source.connect() as connection:
                rows = [records.record(records.Resource, row) for row in connection.execute(query)]
            if not may_read(caller.user_id, name, visible(rows)):
                raise ServiceError("Forbidden", "You are not authorized to read this metadata.")
        found = self.get(stack, name).metadata or {}
        if reveals:
            return found
        with self._source.connect() as connection:
            stored = StoredStack(connection, self._world, stack)
            secrets = stored.secret_texts()
        masking = self._masking(stack, stored.current.values(), reveals=False)
        shown: JsonObject = without(masking.shown(without_credentials(found)), secrets)
        return shown

    def _in_stack(
        self, below: Tree, place: StackPlace, lines: Sequence[ResourceLine], stack: records.Stack | None
    ) -> list[ShownResource]:
        """The resources of one stack. The stack itself is given if its definition is needed."""
        chosen = visible(lines)
        names = {line.id: line.name for line in chosen}
        needs = {line.name: [names[id] for id in line.requires if id in names] for line in chosen}
        described: Mapping[str, Declared] = {}
        if stack is not None:
            described = self._definitions.of(stack).resources
            waiting = _waiting(stack, described, needs)
            chosen += waiting
            needs |= {line.name: list(described[line.name].needs) for line in waiting}
        required_by = _reversed(needs)
        return [
            ShownResource(
                line,
                place,
                required_by.get(line.name, ()),
                below.children.get((place.id, line.name)),
                described[line.name].description if line.name in described else "",
                described[line.name].secrets if line.name in described else (),
            )
            for line in chosen
        ]

    @staticmethod
    def _stacks(connection: Connection, ids: Iterable[str]) -> dict[str, records.Stack]:
        rows = connection.execute(select(tables.stack).where(tables.stack.c.id.in_(list(ids))))
        return {row.id: records.record(records.Stack, row) for row in rows}


def _with_attributes(
    shown: ShownResource,
    stored: StoredStack,
    masking: Masking,
    wanted: Iterable[str] = (),
    *,
    reveals: bool = True,
) -> ShownResource:
    name = shown.line.name
    attributes = stored.attributes(name, wanted)
    found = [one for one, value in attributes.items() if has_secret(value)]
    secrets = list(dict.fromkeys((*shown.secrets, *found)))
    values = masking.shown(bare(attributes))
    if not reveals:
        values |= {one: MASK for one in secrets if values.get(one) is not None}
    return replace(shown, line=shown.line._replace(attributes=values), secrets=secrets)


def _is_partial(stack: records.Stack) -> bool:
    """Whether a stack may lack resources of its definition, because the action that creates them is in progress or did
    not complete."""
    if stack.action == "DELETE" or RunNotes.of(stack).empty:
        return False
    if stack.action in _CREATING:
        return stack.status != "COMPLETE"
    return stack.previous != stack.definition


def _waiting(
    stack: records.Stack, described: Mapping[str, Declared], begun: JsonMapping
) -> list[ResourceLine]:
    """Resources of the definition that have not been started."""
    if not _is_partial(stack) or _was_emptied(stack, begun):
        return []
    at = stack.created_at
    return [
        ResourceLine(None, stack.id, name, declared.type, None, "INIT", "COMPLETE", "", at, at)
        for name, declared in described.items()
        if name not in begun
    ]


def _was_emptied(stack: records.Stack, begun: JsonMapping) -> bool:
    """Whether a failed creation was rolled back before the current action."""
    return not begun and stack.previous is None and stack.action not in _CREATING


def _reversed(needs: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, needed in needs.items():
        for one in needed:
            found.setdefault(one, []).append(name)
    return found
