"""What is drawn, whatever it is drawn with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calor.cli.render.types import short_type
from calor.language.definition import Definition

Edge = tuple[str, str]
"""The ids of a node and of one that it needs."""


@dataclass(frozen=True, slots=True)
class Node:
    """A resource. `inside` are those of the stack nested in it. No other node of the drawing has its id."""

    id: str
    label: str
    sublabel: str = ""
    inside: Drawing | None = None
    state: str = ""
    """Of what exists, the state that it is in."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """Nodes and who needs whom. Edges join nodes of the same level only."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()

    def walk(self) -> Iterator[Node]:
        """All nodes, those of nested stacks after the node they are in."""
        for node in self.nodes:
            yield node
            if node.inside:
                yield from node.inside.walk()


def from_definition(definition: Definition, nested: bool) -> Drawing:
    """A stack's resources; with `nested`, also those of the stacks below it."""
    return _level(definition, nested, "")


def _level(definition: Definition, nested: bool, prefix: str) -> Drawing:
    # A resource's name has no slash in it, so these ids cannot meet.
    nodes = tuple(
        Node(
            prefix + resource.name,
            resource.name,
            short_type(resource.type_name),
            _level(resource.child, nested, f"{prefix}{resource.name}/")
            if nested and resource.child
            else None,
        )
        for resource in definition.resources.values()
    )
    edges = tuple((prefix + node, prefix + needed) for node, needed in definition.graph.edges())
    return Drawing(nodes, edges)
