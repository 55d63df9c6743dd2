"""The order of an action's steps."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from calor.graph import Graph


@dataclass(frozen=True, slots=True)
class Apply:
    """Create or update the resource with a name."""

    name: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete a resource row, unless it is still the current row of a resource."""

    id: str


Node = Apply | Delete


class Row(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def requires(self) -> Collection[str]: ...


def steps(wanted: Graph[str], rows: Collection[Row]) -> Graph[Node]:
    """The graph of steps. Apply follows the definition's dependencies. An obsolete row is deleted after its dependants
    are deleted or changed, after its replacement is created, and after what it needs is changed: such a change may have
    to detach and reattach what the row connects."""
    graph: Graph[Node] = Graph()
    for name in wanted:
        graph.add(Apply(name))
    for name, needed in wanted.edges():
        graph.depend(Apply(name), Apply(needed))
    known = {row.id: row.name for row in rows}
    for row in rows:
        graph.add(Delete(row.id))
        if row.name in wanted:
            graph.depend(Delete(row.id), Apply(row.name))
    for row in rows:
        for id in row.requires:
            if id not in known:
                continue
            graph.depend(Delete(id), Delete(row.id))
            if known[id] in wanted:
                graph.depend(Delete(row.id), Apply(known[id]))
            if row.name in wanted:
                graph.depend(Delete(id), Apply(row.name))
    return graph
