"""Snapshots of stacks: what they hold, and what of it is kept in the cloud."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select, update

from calor.engine.acting import ActionWalk
from calor.engine.exporting import exported
from calor.language.library import Declarations, World
from calor.plan.present import implementing_type
from calor.store import records, sealing, tables

table = tables.snapshot


@dataclass(frozen=True, slots=True)
class Part:
    """An object of a cloud that a snapshot is made of."""

    service: str
    collection: str
    id: str


@dataclass(frozen=True, slots=True)
class Kept:
    """What a snapshot knows of the resources of a tree of stacks."""

    by_stack: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The data of resources by their names, by the ids of their stacks."""
    stacks: frozenset[str] = frozenset()
    """The stacks in which, or below which, something has to be led back by its own data."""


def finish(
    connection: Connection,
    stack: records.Stack,
    walk: ActionWalk | None,
    world: World,
    id: str,
    status: str,
    reason: str,
) -> None:
    """Writes how a snapshot has ended. It has the stack's data when it is complete."""
    values: dict[str, Any] = {"status": status, "reason": reason}
    if status == "COMPLETE" and walk is not None:
        data = exported(connection, stack, world)
        _add(data["resources"], walk)
        values["data"] = {**data, "status": status, "_definition": stack.definition}
    [row] = sealing.protect(connection, table, [values], stack.sealed)
    connection.execute(update(table).where(table.c.id == id).values(row))


def _add(resources: dict[str, Any], walk: ActionWalk) -> None:
    """What the resources' own snapshots are known by goes to the rest of their data, also in stacks below."""
    for name, made in walk.snapshots.items():
        if name in resources:
            resources[name]["resource_data"] |= made
    for name, child in walk.children.items():
        _add(resources.get(name, {}).get("resources", {}), child)


def of_stack(connection: Connection, stack: str) -> list[records.Snapshot]:
    rows = connection.execute(select(table).where(table.c.stack == stack))
    return [records.record(records.Snapshot, row) for row in rows]


def parts(data: Mapping[str, Any] | None, declaration: Declarations) -> Iterator[Part]:
    """What a snapshot has in the cloud, as the types of its resources tell."""
    for resource in ((data or {}).get("resources") or {}).values():
        declared: Any = implementing_type(resource["type"], resource["resource_data"], declaration)
        for name, (service, collection) in getattr(declared, "snapshot_parts", {}).items():
            if resource["resource_data"].get(name):
                yield Part(service, collection, str(resource["resource_data"][name]))
        if "resources" in resource:
            yield from parts(resource, declaration)


def kept(data: Mapping[str, Any] | None, declaration: Declarations) -> Kept:
    """What leads the resources of a snapshot back."""
    by_stack: dict[str, Mapping[str, Any]] = {}
    stacks: set[str] = set()

    def read(level: Mapping[str, Any]) -> bool:
        resources = level.get("resources") or {}
        own = {
            name: resource["resource_data"]
            for name, resource in resources.items()
            if any(
                resource["resource_data"].get(part)
                for part in getattr(
                    implementing_type(resource["type"], resource["resource_data"], declaration),
                    "snapshot_parts",
                    {},
                )
            )
        }
        below = [read(resource) for resource in resources.values() if "resources" in resource]
        stack = str(level.get("resource_id") or level["id"])
        by_stack[stack] = own
        if own or any(below):
            stacks.add(stack)
        return bool(own) or any(below)

    if data is not None:
        read(data)
    return Kept(by_stack, frozenset(stacks))
