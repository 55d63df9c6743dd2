"""Directed dependency graphs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)


class Cycle(Exception):
    """A dependency cycle; each of `members` depends on the next, the last on the first."""

    def __init__(self, members: tuple[object, ...]) -> None:
        super().__init__(" → ".join(str(member) for member in (*members, members[0])))
        self.members = members


class Graph(Generic[Node]):
    """A dependency graph. Nodes and edges keep their insertion order."""

    def __init__(self, dependencies: Mapping[Node, Iterable[Node]] | None = None) -> None:
        self._needs: dict[Node, dict[Node, None]] = {}
        for node, needs in (dependencies or {}).items():
            self.add(node)
            for needed in needs:
                self.depend(node, needed)

    def add(self, node: Node) -> None:
        self._needs.setdefault(node, {})

    def depend(self, node: Node, needed: Node) -> None:
        self.add(node)
        self.add(needed)
        self._needs[node][needed] = None

    def __iter__(self) -> Iterator[Node]:
        return iter(self._needs)

    def __len__(self) -> int:
        return len(self._needs)

    def __contains__(self, node: object) -> bool:
        return node in self._needs

    def needs(self, node: Node) -> Iterable[Node]:
        """What the node depends on."""
        return self._needs[node].keys()

    def edges(self) -> Iterator[tuple[Node, Node]]:
        """Pairs (node, what it depends on)."""
        for node, needs in self._needs.items():
            for needed in needs:
                yield node, needed

    def dependants(self) -> dict[Node, list[Node]]:
        """For each node, those that depend on it."""
        found: dict[Node, list[Node]] = {node: [] for node in self._needs}
        for node, needed in self.edges():
            found[needed].append(node)
        return found

    def order(self) -> list[Node]:
        """All nodes, each after what it depends on. Raises Cycle."""
        waiting = {node: len(needs) for node, needs in self._needs.items()}
        dependants = self.dependants()
        ready = [node for node, count in waiting.items() if count == 0]
        ordered: list[Node] = []
        while ready:
            following: list[Node] = []
            ordered.extend(ready)
            for node in ready:
                for dependant in dependants[node]:
                    waiting[dependant] -= 1
                    if waiting[dependant] == 0:
                        following.append(dependant)
            ready = following
        if len(ordered) < len(waiting):
            raise Cycle(self._cycle({node for node, count in waiting.items() if count > 0}))
        return ordered

    def _cycle(self, suspects: set[Node]) -> tuple[Node, ...]:
        """Follows dependencies among suspects, each of which has one, until a node repeats."""
        trail: dict[Node, int] = {}
        node = next(node for node in self._needs if node in suspects)
        while node not in trail:
            trail[node] = len(trail)
            node = next(needed for needed in self._needs[node] if needed in suspects)
        return tuple(trail)[trail[node] :]

    def reachable(self, node: Node) -> set[Node]:
        """All nodes that the node depends on, directly or indirectly (itself only in a cycle)."""
        found: set[Node] = set()
        stack = list(self._needs[node])
        while stack:
            needed = stack.pop()
            if needed not in found:
                found.add(needed)
                stack.extend(self._needs[needed])
        return found
