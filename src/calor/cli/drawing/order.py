"""Orders nodes by their dependencies, which may have cycles."""

from __future__ import annotations

from dataclasses import dataclass

from calor.cli.drawing.model import Drawing, Edge


@dataclass(frozen=True, slots=True)
class Order:
    """The edges without those that close a cycle, which are in `back`; and the rank of each node: the length of the
    longest chain of nodes before it."""

    needs: dict[str, list[str]]
    dependants: dict[str, list[str]]
    ranks: dict[str, int]
    back: tuple[Edge, ...]


def order(drawing: Drawing) -> Order:
    closing = _closing(drawing)
    needs: dict[str, list[str]] = {node.id: [] for node in drawing.nodes}
    dependants: dict[str, list[str]] = {node.id: [] for node in drawing.nodes}
    for edge in dict.fromkeys(drawing.edges):
        if edge not in closing:
            node, needed = edge
            needs[node].append(needed)
            dependants[needed].append(node)
    ranks = {node: 0 for node, needed in needs.items() if not needed}
    waiting = {node: len(needed) for node, needed in needs.items()}
    ready = list(ranks)
    for node in ready:
        for dependant in dependants[node]:
            ranks[dependant] = max(ranks.get(dependant, 0), ranks[node] + 1)
            waiting[dependant] -= 1
            if waiting[dependant] == 0:
                ready.append(dependant)
    return Order(
        needs, dependants, ranks, tuple(dict.fromkeys(edge for edge in drawing.edges if edge in closing))
    )


def essential(ordered: Order) -> dict[str, list[str]]:
    """What each node needs, without what its other needs imply (the transitive reduction)."""
    bits = {node: 1 << index for index, node in enumerate(ordered.needs)}
    behind: dict[str, int] = {}
    kept: dict[str, list[str]] = {}
    for node in sorted(ordered.needs, key=ordered.ranks.__getitem__):
        needs = ordered.needs[node]
        implied = reached = 0
        for needed in needs:
            implied |= behind[needed]
            reached |= bits[needed]
        behind[node] = implied | reached
        kept[node] = [needed for needed in needs if not bits[needed] & implied]
    return kept


def _closing(drawing: Drawing) -> set[Edge]:
    """The edges that close a cycle."""
    needs: dict[str, list[str]] = {node.id: [] for node in drawing.nodes}
    for node, needed in drawing.edges:
        needs[node].append(needed)
    closing: set[Edge] = set()
    done: set[str] = set()
    for start in needs:
        if start in done:
            continue
        on_the_way = {start}
        stack = [(start, iter(needs[start]))]
        while stack:
            node, following = stack[-1]
            for needed in following:
                if needed in on_the_way:
                    closing.add((node, needed))
                elif needed not in done:
                    on_the_way.add(needed)
                    stack.append((needed, iter(needs[needed])))
                    break
            else:
                stack.pop()
                on_the_way.discard(node)
                done.add(node)
    return closing
