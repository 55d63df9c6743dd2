"""In which order a stack becomes what its definition says."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from calor.graph import Graph


@dataclass(frozen=True, slots=True)
class Apply:
    """Make the resource of a name what the definition says."""

    name: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete one resource row, unless it still stands for a resource."""

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
    """Applying follows the definition's dependencies. A row that is not wanted any more is deleted after its
    dependants are gone or changed, after what takes its place is there, and after what it needs is changed: a
    change may have to part what the row joins, and to join it again."""
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
