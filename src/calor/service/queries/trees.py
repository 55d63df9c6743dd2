"""Trees of nested stacks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, select

from calor.store import records, tables


@dataclass(frozen=True, slots=True)
class StackPlace:
    """The identity of a stack and its position in the tree."""

    id: str
    name: str
    project: str
    parent: str | None
    parent_resource: str | None


@dataclass(frozen=True, slots=True)
class Tree:
    """A stack with its nested stacks down to a depth, the root first, and all children of these."""

    places: dict[str, StackPlace]
    children: dict[tuple[str, str], StackPlace]
    """By the id of the parent and the name of its resource."""


def tree(connection: Connection, stack: records.Stack, depth: int, *, gone: bool = False) -> Tree:
    """The tree of a stack, with one query for any depth. Deleted stacks are included if the stack itself is deleted, or
    with `gone`."""
    table = tables.stack
    columns = [table.c[name] for name in records.columns(StackPlace)]
    query = select(*columns).where(table.c.root == stack.root)
    # Rows of deleted children remain until they are purged.
    if stack.deleted_at is None and not gone:
        query = query.where(table.c.deleted_at.is_(None))
    places = [
        records.record(StackPlace, row) for row in connection.execute(query.order_by(table.c.created_at))
    ]
    below: dict[str, list[StackPlace]] = {}
    for place in places:
        if place.parent is not None:
            below.setdefault(place.parent, []).append(place)
    chosen = {stack.id: next(place for place in places if place.id == stack.id)}
    level: Iterable[str] = [stack.id]
    for _ in range(depth):
        level = [child.id for id in level for child in _add(chosen, below.get(id, ()))]
    children = {
        (id, child.parent_resource): child
        for id in chosen
        for child in below.get(id, ())
        if child.parent_resource is not None
    }
    return Tree(chosen, children)


def _add(chosen: dict[str, StackPlace], places: Iterable[StackPlace]) -> list[StackPlace]:
    added = list(places)
    chosen.update((place.id, place) for place in added)
    return added
