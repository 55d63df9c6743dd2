"""Attributes of resources, from what is stored. No cloud is asked: what a type needs one for is not known here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select

from calor.engine.ids import physical_name
from calor.engine.states import ERROR, LiveStates, ResourceState, follow
from calor.engine.tree import has_stack, stack_below
from calor.language.library import World
from calor.language.values import bare
from calor.plan.choosing import visible
from calor.plan.present import declared_type
from calor.store import records, tables

WHOLE = "show"
"""The attribute with all that a cloud says of a resource."""


class StoredStack:
    """A stack that types read attributes of, as they do of one that is being walked; or one resource of it, where
    no more is asked for."""

    def __init__(
        self, connection: Connection, world: World, stack: records.Stack, only: str | None = None
    ) -> None:
        self._connection = connection
        self._world = world
        self.stack = stack
        table = tables.resource
        query = select(table).where(table.c.stack == stack.id)
        rows = connection.execute(query if only is None else query.where(table.c.name == only))
        chosen = visible([records.record(records.Resource, row) for row in rows])
        self.current = {row.name: ResourceState.of(row) for row in chosen}
        self.states = LiveStates(self.current)

    def attributes(self, name: str, wanted: Iterable[str] = ()) -> dict[str, Any]:
        """What the cloud says of a resource or, where that is not stored, all of its attributes; and those that
        are asked for. What cannot be known is None."""
        state = self.current[name]
        shown = bare(self.read(name, WHOLE))
        if isinstance(shown, dict):
            return {**{one: bare(self.read(name, one)) for one in wanted}, **shown}
        declared = [one for one in self._names(state) if one != WHOLE]
        return {one: bare(self.read(name, one)) for one in dict.fromkeys((*declared, *wanted))}

    def read(self, resource: str, attribute: str, path: Sequence[Any] = ()) -> Any:
        state = self.current.get(resource)
        if state is None or state.action == "INIT":
            return None
        if attribute in state.attributes:
            found = state.attributes[attribute]
            return None if isinstance(found, dict) and ERROR in found else follow(found, path)
        declared = declared_type(state, self._world.declaration)
        try:
            if has_stack(state):
                return self._read_below(state, declared, attribute, path)
            reader = getattr(declared, "attribute", None)
            return None if reader is None else follow(reader(self._glimpse(state), attribute), path)
        except Exception:
            # Whatever a type needs besides what is stored: it is not to be had here.
            return None

    def outputs(self) -> Mapping[str, Any]:
        return self.stack.outputs or {}

    def member_attribute(self, name: str, path: Sequence[Any]) -> Any:
        """`NAME`, or `NAME.attribute`, of a resource in this stack."""
        resource, _, attribute = name.partition(".")
        steps = [*([attribute] if attribute else []), *path]
        if resource not in self.current:
            return None
        return self.read(resource, str(steps[0]), steps[1:]) if steps else self.states.reference(resource)

    def _names(self, state: ResourceState) -> list[str]:
        declared = declared_type(state, self._world.declaration)
        if declared is not None:
            return list(declared.attributes)
        below = self._below(state)
        return list(below.outputs()) if below is not None else []

    def _read_below(self, state: ResourceState, declared: Any, name: str, path: Sequence[Any]) -> Any:
        below = self._below(state)
        if below is None:
            return None
        reader = getattr(declared, "member_attribute", None)
        if reader is not None:
            return reader(self._glimpse(state, below), name, list(path))
        if name.startswith("resource."):
            return below.member_attribute(name.removeprefix("resource."), path)
        return follow((below.outputs().get(name) or {}).get("value"), path)

    def _below(self, state: ResourceState) -> StoredStack | None:
        stack = stack_below(self._connection, self.stack, state)
        return None if stack is None else StoredStack(self._connection, self._world, stack)

    def _glimpse(self, state: ResourceState, below: StoredStack | None = None) -> Glimpse:
        return Glimpse(
            stack=self.stack,
            type=declared_type(state, self._world.declaration),
            name=state.name,
            id=state.id,
            action=state.action,
            status=state.status,
            physical_id=state.physical_id,
            properties=state.properties,
            metadata=state.metadata,
            data=state.data,
            child=below,
        )


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A resource as a type sees it when it is only looked at: the part of a context that needs nothing else."""

    stack: records.Stack
    type: Any
    name: str
    id: str
    action: str
    status: str
    physical_id: str | None
    properties: Mapping[str, Any]
    metadata: Mapping[str, Any]
    data: Mapping[str, Any]
    child: StoredStack | None
    members: Sequence[Any] = ()
    below: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stack_name(self) -> str:
        return self.stack.name

    @property
    def stack_id(self) -> str:
        return self.stack.id

    @property
    def project(self) -> str:
        return self.stack.project

    @property
    def arn(self) -> str:
        return f"{self.stack.arn}/resources/{self.name}"

    def physical_name(self, limit: int = 255) -> str:
        return physical_name(self.stack_name, self.name, self.id, limit)
