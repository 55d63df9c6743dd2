"""Snapshots of stacks and their objects in the cloud."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from calor.language.library import Declarations, World
from calor.lifecycle import Status
from calor.plan.present import implementing_type
from calor.resources.contract import contract_of
from calor.resources.values import JsonMapping, JsonObject
from calor.stacks.exporting import exported
from calor.store import records
from calor.store import snapshots as snapshot_rows
from calor.store.database import Connection


class SnapshotResults(Protocol):
    """The snapshot data of the resources of a stack and its nested stacks."""

    @property
    def snapshots(self) -> Mapping[str, JsonMapping]:
        """The snapshot data by resource name."""

    @property
    def children(self) -> Mapping[str, SnapshotResults]: ...


@dataclass(frozen=True, slots=True)
class Part:
    """An object in the cloud that belongs to a snapshot."""

    service: str
    collection: str
    id: str


@dataclass(frozen=True, slots=True)
class Kept:
    """The resource data of a snapshot, for all stacks of a tree."""

    by_stack: Mapping[str, JsonMapping] = field(default_factory=dict)
    """By stack id, the data of resources by name."""
    stacks: frozenset[str] = frozenset()
    """The stacks with resources that restore from their own data, and the stacks above them."""


def finish(
    connection: Connection,
    stack: records.Stack,
    walk: SnapshotResults | None,
    world: World,
    id: str,
    status: str,
    reason: str,
) -> None:
    """Stores the result of a snapshot, with the exported stack if it is complete."""
    data = None
    if status == Status.COMPLETE and walk is not None:
        data = exported(connection, stack, world)
        _add(data["resources"], walk)
        data |= {"status": status, "_definition": stack.definition}
    snapshot_rows.finish(connection, id, status, reason, data, sealed=stack.sealed)


def _add(resources: JsonObject, walk: SnapshotResults) -> None:
    """Adds the resources' snapshot data to the exported data, nested stacks included."""
    for name, made in walk.snapshots.items():
        if name in resources:
            resources[name]["resource_data"] |= made
    for name, child in walk.children.items():
        _add(resources.get(name, {}).get("resources", {}), child)


def parts(data: JsonMapping | None, declaration: Declarations) -> Iterator[Part]:
    """The objects of a snapshot in the cloud, according to the types of its resources."""
    for resource in ((data or {}).get("resources") or {}).values():
        declared = implementing_type(resource["type"], resource["resource_data"], declaration)
        for name, (service, collection) in contract_of(declared).snapshot_parts.items():
            if resource["resource_data"].get(name):
                yield Part(service, collection, str(resource["resource_data"][name]))
        if "resources" in resource:
            yield from parts(resource, declaration)


def kept(data: JsonMapping | None, declaration: Declarations) -> Kept:
    """The resource data that is needed to restore a snapshot."""
    by_stack: dict[str, JsonMapping] = {}
    stacks: set[str] = set()

    def read(level: JsonMapping) -> bool:
        resources = level.get("resources") or {}
        own = {
            name: resource["resource_data"]
            for name, resource in resources.items()
            if any(
                resource["resource_data"].get(part)
                for part in contract_of(
                    implementing_type(resource["type"], resource["resource_data"], declaration)
                ).snapshot_parts
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
