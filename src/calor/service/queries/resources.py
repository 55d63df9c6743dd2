"""Lists and shows the resources of stacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, or_, select

from calor.language.library import World
from calor.language.values import MASK
from calor.plan.choosing import visible
from calor.service.caller import Caller
from calor.service.errors import NotFound, ServiceError
from calor.service.masking import Masking, declared_secret, repeated_secrets, without_credentials
from calor.service.queries.access import may_read
from calor.service.queries.attributes import StoredStack
from calor.service.queries.meanings import Declared, Meanings
from calor.service.queries.trees import Place, Tree, tree
from calor.store import records, tables

table = tables.resource

_CREATING = frozenset({"CREATE", "UPDATE", "ADOPT", "RESTORE", "ROLLBACK"})


class Line(NamedTuple):
    """What of a resource's row is shown in lists. A tuple, as lists are long."""

    id: str | None
    """None before the resource was begun."""
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
    attributes: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ShownResource:
    """A resource with what surrounds it."""

    line: Line
    place: Place
    """Its stack."""
    required_by: Sequence[str] = ()
    nested: Place | None = None
    description: str = ""
    secrets: Sequence[str] = ()
    """The attributes that are secret, or hold secrets."""
    secrets_below: frozenset[str] = frozenset()

    def hides(self, attribute: str) -> bool:
        """Whether an attribute that somebody asks for is one of the secrets, or that of a member below."""
        named = attribute.split(".")
        if attribute in self.secrets or not self.secrets_below.isdisjoint(named):
            return True
        return bool(self.secrets_below) and attribute == "attributes"


@dataclass(frozen=True, slots=True)
class ResourceFilter:
    """Which resources are wanted; what is empty does not matter. A type is wanted by any part of its name."""

    types: tuple[str, ...] = ()
    equal: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def admits(self, line: Line) -> bool:
        if self.types and not any(part in line.type for part in self.types):
            return False
        return all(getattr(line, name) in values for name, values in self.equal.items())


EVERYTHING = ResourceFilter()


class Resources:
    def __init__(self, source: Engine, meanings: Meanings, world: World) -> None:
        self._source = source
        self._meanings = meanings
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
        """The resources of a stack and of those below it, down to a depth; with detail, also with their
        attributes. Unless it `reveals` them, secret ones are masked."""
        with self._source.connect() as connection:
            found = self._shown(connection, stack, depth, described=with_detail)
            chosen = [shown for shown in found if wanted.admits(shown.line)]
            if not with_detail:
                return chosen
            stacks = self._stacks(connection, {shown.place.id for shown in chosen})
            stored = {id: StoredStack(connection, self._world, one) for id, one in stacks.items()}
            masking = {id: self._masking(one) for id, one in stacks.items()}
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
        columns = (table.c[name] for name in Line._fields[:-1])
        query = select(*columns).where(table.c.stack.in_(below.places)).order_by(table.c.created_at)
        by_stack: dict[str, list[Line]] = {id: [] for id in below.places}
        for row in connection.execute(query).all():
            line = Line(*row)
            by_stack[line.stack].append(line)
        defined = described or _is_partial(stack)
        stacks = self._stacks(connection, below.places) if defined else {}
        return [
            shown
            for id, own in by_stack.items()
            for shown in self._in_stack(below, below.places[id], own, stacks.get(id))
        ]

    def get(self, stack: records.Stack, name: str, *, or_physical_id: bool = False) -> records.Resource:
        """The row of a resource, by its name or, if that may be, by its physical id. Raises NotFound, and says so
        if the template has the resource but nobody has begun to make it."""
        matching = table.c.name == name
        query = select(table).where(table.c.stack == stack.id)
        query = query.where(or_(matching, table.c.physical_id == name) if or_physical_id else matching)
        with self._source.connect() as connection:
            rows = [records.record(records.Resource, row) for row in connection.execute(query)]
        found = sorted(visible(rows), key=lambda row: row.name != name)
        if found:
            return found[0]
        if name in self._meanings.of(stack).resources:
            raise ServiceError("ResourceNotAvailable", f"The Resource ({name}) is not available.")
        raise NotFound("Resource", name)

    def show(
        self, stack: records.Stack, name: str, attributes: Iterable[str] = (), *, reveals: bool = True
    ) -> ShownResource:
        """A resource with its attributes: those that are known, and besides them the ones that are asked for. Unless
        it `reveals` them, secret ones are masked. Raises NotFound."""
        with self._source.connect() as connection:
            shown = self._shown(connection, stack, 0, described=True)
            found = next((one for one in shown if one.line.name == name), None)
            if found is None:
                raise NotFound("Resource", name)
            if found.line.id is None:
                return replace(found, line=found.line._replace(attributes=dict.fromkeys(attributes)))
            stored = StoredStack(connection, self._world, stack, only=name)
            return _with_attributes(found, stored, self._masking(stack), attributes, reveals=reveals)

    def _masking(self, stack: records.Stack) -> Masking:
        """Masks values of the stack's hidden parameters. Credentials that resources give are there to be read."""
        return Masking(self._world.declaration, self._meanings.of(stack).hidden)

    def metadata(
        self, caller: Caller, stack: records.Stack, name: str, *, reveals: bool = True
    ) -> dict[str, Any]:
        """A resource's metadata. A user of the stack itself may read only what it has to do with. Unless it `reveals`
        them, credentials of agents are masked. Raises ServiceError."""
        if caller.is_stack_user or (caller.project != stack.project and not caller.is_admin):
            query = select(table).where(table.c.stack == stack.id)
            with self._source.connect() as connection:
                rows = [records.record(records.Resource, row) for row in connection.execute(query)]
            if not may_read(caller.user_id, name, visible(rows)):
                raise ServiceError("Forbidden", "You are not authorized to read this metadata.")
        found = self.get(stack, name).metadata or {}
        return found if reveals else without_credentials(found)

    def _in_stack(
        self, below: Tree, place: Place, lines: Sequence[Line], stack: records.Stack | None
    ) -> list[ShownResource]:
        """The resources of one stack. The stack itself is given where its definition has to be looked at."""
        chosen = visible(lines)
        names = {line.id: line.name for line in chosen}
        needs = {line.name: [names[id] for id in line.requires if id in names] for line in chosen}
        described: Mapping[str, Declared] = {}
        if stack is not None:
            described = self._meanings.of(stack).resources
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
                described[line.name].secrets_below if line.name in described else frozenset(),
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
    secrets = [*shown.secrets, *repeated_secrets(stored.current[name], attributes)]
    marked = replace(shown, secrets=list(dict.fromkeys(secrets)))
    values = masking.shown(attributes)
    if not reveals:
        declared = masking.declaration(shown.line.type)
        values = {
            one: MASK
            if value is not None and (marked.hides(one) or declared_secret(declared, one))
            else value
            for one, value in values.items()
        }
    return replace(marked, line=shown.line._replace(attributes=values))


def _is_partial(stack: records.Stack) -> bool:
    """Whether a stack may lack resources that its definition has: it is being made to follow it, or it is acted on
    before it got there."""
    if stack.action == "DELETE" or stack.run.get("empty"):
        return False
    if stack.action in _CREATING:
        return stack.status != "COMPLETE"
    return stack.previous != stack.definition


def _waiting(stack: records.Stack, described: Mapping[str, Declared], begun: Mapping[str, Any]) -> list[Line]:
    """Resources that the definition has and nobody has begun to make."""
    if not _is_partial(stack) or _was_emptied(stack, begun):
        return []
    at = stack.created_at
    return [
        Line(None, stack.id, name, declared.type, None, "INIT", "COMPLETE", "", at, at)
        for name, declared in described.items()
        if name not in begun
    ]


def _was_emptied(stack: records.Stack, begun: Mapping[str, Any]) -> bool:
    """Whether a failed creation was rolled back before the stack was acted on."""
    return not begun and stack.previous is None and stack.action not in _CREATING


def _reversed(needs: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, needed in needs.items():
        for one in needed:
            found.setdefault(one, []).append(name)
    return found
