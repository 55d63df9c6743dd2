"""Draws the order of creation as a tree for the terminal.

Every resource is listed once, below the last one that it waits for, so that a branch is a chain of creations.
What else it waits for is listed after it, unless that is implied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from calor.cli.drawing.model import Drawing, Node
from calor.cli.drawing.order import Order, essential, order
from calor.cli.render.ansi import BOLD, CYAN, DIM, RED, Paint, painter, text_width, visible
from calor.cli.render.states import painted, sign

_DEEPEST = 24
"""Deeper branches continue at the left margin, further down."""
_WIDEST_TYPE = 44
_MOST_NAMED = 6
_STATE_WIDTH = 20


@dataclass(frozen=True, slots=True)
class _Row:
    tree: str
    node: Node
    also: tuple[str, ...] = ()
    cycle: tuple[str, ...] = ()
    continued: bool = False


def render(drawing: Drawing, *, color: bool = False) -> str:
    rows = list(_rows(drawing, ""))
    if not rows:
        return "no resources"
    paint = painter(color)
    names = max(text_width(row.tree) + text_width(visible(row.node.label)) for row in rows)
    types = max(text_width(visible(row.node.sublabel)) for row in rows)
    return "\n".join(_line(row, names, min(types, _WIDEST_TYPE), paint) for row in rows)


def _line(row: _Row, names: int, types: int, paint: Paint) -> str:
    name, type_name = visible(row.node.label), visible(row.node.sublabel)
    gap = " " * (names - text_width(row.tree) - text_width(name))
    line = f"{paint(row.tree, DIM)}{paint(name, BOLD)}{gap}  {paint(type_name, CYAN)}"
    remarks = []
    if row.node.state:
        shown = f"{sign(row.node.state)} {row.node.state}"
        remarks.append(painted(f"{shown:<{_STATE_WIDTH}}", row.node.state, paint))
    if row.also:
        remarks.append(paint(f"+ {_listed(row.also)}", DIM))
    if row.cycle:
        remarks.append(paint(f"↺ in a cycle, needs {_listed(row.cycle)}", RED))
    if row.continued:
        remarks.append(paint("… continued below", DIM))
    if not remarks:
        return line.rstrip()
    return (line + " " * (types - text_width(type_name)) + "  " + "  ".join(remarks)).rstrip()


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(map(visible, names[:_MOST_NAMED]))
    more = len(names) - _MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _rows(drawing: Drawing, margin: str) -> Iterator[_Row]:
    """The rows of one stack, each prefixed with `margin`."""
    ordered = order(drawing)
    nodes = {node.id: node for node in drawing.nodes}
    children, also = _tree(ordered)
    cycles: dict[str, list[str]] = {}
    for node, needed in ordered.back:
        cycles.setdefault(node, []).append(needed)

    def labels(ids: Sequence[str]) -> tuple[str, ...]:
        return tuple(nodes[node].label for node in ids)

    roots = [node for node in nodes if not ordered.needs[node]]
    for root in roots:
        # Each entry: a node, its depth, the prefix of its row, and the prefix of the rows below it.
        stack = [(root, 0, margin, margin)]
        while stack:
            name, depth, tree, below = stack.pop()
            branches = children[name]
            continued = depth == _DEEPEST and bool(branches)
            if continued:
                for branch in branches:
                    also[branch].insert(0, name)
                roots.extend(branches)
                branches = []
            yield _Row(tree, nodes[name], labels(also[name]), labels(cycles.get(name, ())), continued)
            inside = nodes[name].inside
            if inside:
                yield from _rows(inside, f"{below}{'│' if branches else ' '} ┊ ")
            for branch in reversed(branches):
                fork, line = ("└─ ", "   ") if branch == branches[-1] else ("├─ ", "│  ")
                stack.append((branch, depth + 1, below + fork, below + line))


def _tree(ordered: Order) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The nodes below each node, and what else each needs. A node is below the one with the highest rank it needs."""
    children: dict[str, list[str]] = {node: [] for node in ordered.needs}
    also: dict[str, list[str]] = {}
    for node, needs in essential(ordered).items():
        last = max(needs, key=ordered.ranks.__getitem__, default=None)
        if last is not None:
            children[last].append(node)
        also[node] = [needed for needed in needs if needed != last]
    return children, also
