"""Attributes of resources from the database. Attributes that would need a request to the cloud are not known here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from calor.language.library import World
from calor.language.scope import declared_secret, refers_by_secret
from calor.language.values import bare, concealed, has_secret
from calor.plan.marking import marked, secret_texts
from calor.plan.present import declared_type
from calor.plan.row_selection import visible
from calor.resources.contract import ResourceType, contract_of
from calor.resources.values import JsonMapping, JsonObject
from calor.stacks.states import ERROR, ResourceState, RowStates, follow
from calor.stacks.tree import has_stack, nested_stack_of
from calor.stacks.views import StoredView
from calor.store import records, tables

WHOLE = "show"
"""The attribute with the whole object as the cloud shows it."""


class StoredStack:
    """The stored stack, or one of its resources, for types to read attributes from, as during an action."""

    def __init__(
        self, connection: Connection, world: World, stack: records.Stack, only: str | None = None
    ) -> None:
        self._connection = connection
        self._world = world
        self.stack = stack
        self._only = only
        table = tables.resource
        query = select(table).where(table.c.stack == stack.id)
        rows = connection.execute(query if only is None else query.where(table.c.name == only))
        chosen = visible([records.record(records.Resource, row) for row in rows])
        self.current = {row.name: ResourceState.of(row) for row in chosen}
        self.states = RowStates(self.current)

    def attributes(self, name: str, wanted: Iterable[str] = ()) -> JsonObject:
        """The object as the cloud shows it or, if that is not stored, all attributes; and those that are requested.
        Unknown values are None, secret ones are marked."""
        state = self.current[name]
        shown = self.read(name, WHOLE)
        if isinstance(shown, dict):
            return {**{one: self.read(name, one) for one in wanted}, **shown}
        declared = [one for one in self._names(state) if one != WHOLE]
        return {one: self.read(name, one) for one in dict.fromkeys((*declared, *wanted))}

    def reference(self, name: str) -> object:
        found = self.states.reference(name)
        state = self.current.get(name)
        declared = declared_type(state, self._world.declaration) if state is not None else None
        return concealed(found) if refers_by_secret(declared) else found

    def read(self, resource: str, attribute: str, path: Sequence[Any] = ()) -> Any:
        state = self.current.get(resource)
        if state is None or state.action == "INIT":
            return None
        declared = declared_type(state, self._world.declaration)
        if attribute in state.attributes:
            found = state.attributes[attribute]
            value = None if isinstance(found, dict) and ERROR in found else found
        else:
            try:
                if has_stack(state):
                    return self._read_below(state, declared, attribute, path)
                reader = contract_of(declared).attribute
                value = None if reader is None else reader(self._view(state), attribute)
            except Exception:
                # The type needs more than the database has.
                return None
        shown = concealed(value) if declared_secret(declared, attribute) else marked(state, attribute, value)
        return follow(shown, path)

    def secret_texts(self) -> set[str]:
        """The secret texts in the resources' properties, and the attributes that are secret texts themselves. Other
        secret attributes contain much that is not secret."""
        values = [value for name in self.current for value in self.attributes(name).values()]
        texts = {text for value in values if has_secret(value) and isinstance(text := bare(value), str)}
        return texts.union(*(secret_texts(state) for state in self.current.values()))

    def outputs(self) -> JsonMapping:
        return self.stack.outputs or {}

    def member_attribute(self, name: str, path: Sequence[object]) -> object:
        """`NAME`, or `NAME.attribute`, of a resource in this stack."""
        resource, _, attribute = name.partition(".")
        steps = [*([attribute] if attribute else []), *path]
        if resource not in self.current:
            return None
        return self.read(resource, str(steps[0]), steps[1:]) if steps else self.reference(resource)

    def _names(self, state: ResourceState) -> list[str]:
        declared = declared_type(state, self._world.declaration)
        if declared is not None:
            return list(declared.attributes)
        below = self._below(state)
        return list(below.outputs()) if below is not None else []

    def _read_below(
        self, state: ResourceState, declared: type[ResourceType] | None, name: str, path: Sequence[object]
    ) -> object:
        below = self._below(state)
        if below is None:
            return None
        reader = contract_of(declared).member_attribute
        if reader is not None:
            return reader(self._view(state, below), name, list(path))
        if name.startswith("resource."):
            return below.member_attribute(name.removeprefix("resource."), path)
        found = below.outputs().get(name) or {}
        value = found.get("value")
        return follow(concealed(value) if found.get("secret") else value, path)

    def _below(self, state: ResourceState) -> StoredStack | None:
        stack = nested_stack_of(self._connection, self.stack, state)
        return None if stack is None else StoredStack(self._connection, self._world, stack)

    def _view(self, state: ResourceState, below: StoredStack | None = None) -> StoredResource:
        return StoredResource(self.stack, state, declared_type(state, self._world.declaration), self, below)

    def peer(self, reference: object) -> StoredResource | None:
        """The resource with this reference or name."""
        whole = self if self._only is None else StoredStack(self._connection, self._world, self.stack)
        for name, state in whole.current.items():
            if reference in (name, bare(whole.states.reference(name))):
                return whole._view(state)
        return None


@dataclass(frozen=True, slots=True)
class StoredResource(StoredView):
    """See `calor.resources.context.AttributeContext`: what is known about a resource without an engine."""

    whole: StoredStack
    nested: StoredStack | None

    def peer(self, reference: object) -> StoredResource | None:
        return self.whole.peer(reference)

    def signal_url(self) -> str | None:
        return None
