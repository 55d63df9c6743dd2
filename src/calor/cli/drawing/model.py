"""The model of a drawing, independent of the output format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calor.cli.render.types import short_type
from calor.language.definition import Definition

Edge = tuple[str, str]
"""The id of a node, and the id of a node that it needs."""


@dataclass(frozen=True, slots=True)
class Node:
    """A resource. `inside` are the resources of its nested stack. The id is unique in the drawing."""

    id: str
    label: str
    sublabel: str = ""
    inside: Drawing | None = None
    state: str = ""
    """The state of an existing resource."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """Nodes and their dependencies. Edges connect only nodes of the same stack."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()

    def walk(self) -> Iterator[Node]:
        """All nodes; those of a nested stack follow its node."""
        for node in self.nodes:
            yield node
            if node.inside:
                yield from node.inside.walk()


def from_definition(definition: Definition, nested: bool) -> Drawing:
    """The resources of a stack; with `nested`, also those of nested stacks."""
    return _level(definition, nested, "")


def _level(definition: Definition, nested: bool, prefix: str) -> Drawing:
    # Names of resources have no slash, so these ids are unique.
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
