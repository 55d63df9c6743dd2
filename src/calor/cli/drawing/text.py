"""The order of creation as a tree for the terminal.

Every resource stands once, below the last one that it has to wait for, so that a branch read downwards is a
chain of creations. What else it waits for is said after it, unless that stands above it in its branch anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calor.cli.drawing.model import Drawing, Node
from calor.cli.drawing.order import Order, order
from calor.cli.render.ansi import BOLD, CYAN, DIM, RED, Paint, painter, text_width, visible

_DEEPEST = 24
"""A branch that is deeper goes on at the left margin, further down."""


@dataclass(frozen=True, slots=True)
class _Row:
    tree: str
    node: Node | None
    also: tuple[str, ...] = ()
    cycle: tuple[str, ...] = ()
    remark: str = ""


def to_text(drawing: Drawing, *, color: bool = False) -> str:
    rows = list(_rows(drawing, ""))
    if not rows:
        return "no resources"
    paint = painter(color)
    column = max(text_width(row.tree) + text_width(visible(row.node.label)) for row in rows if row.node) + 2
    types = max((text_width(visible(row.node.sublabel)) for row in rows if row.node), default=0) + 2
    return "\n".join(_line(row, column, types, paint).rstrip() for row in rows)


def _line(row: _Row, column: int, types: int, paint: Paint) -> str:
    if row.node is None:
        return paint(row.tree, DIM) + paint(row.remark, DIM)
    name, type_name = visible(row.node.label), visible(row.node.sublabel)
    remarks = []
    if row.also:
        remarks.append(paint(f"after {_listed(row.also)} too", DIM))
    if row.cycle:
        remarks.append(paint(f"in a cycle: needs {_listed(row.cycle)}", RED))
    if row.remark:
        remarks.append(paint(row.remark, DIM))
    gap = " " * (column - text_width(row.tree) - text_width(name))
    line = f"{paint(row.tree, DIM)}{paint(name, BOLD)}{gap}{paint(type_name, CYAN)}"
    return line + " " * (types - text_width(type_name)) + "; ".join(remarks) if remarks else line


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(visible, names))


def _rows(drawing: Drawing, margin: str) -> Iterator[_Row]:
    """The rows of one stack, each with `margin` before it."""
    ordered = order(drawing)
    nodes = {node.id: node for node in drawing.nodes}
    children = _children(ordered)
    cycles: dict[str, list[str]] = {}
    for node, needed in ordered.back:
        cycles.setdefault(node, []).append(nodes[needed].label)
    roots = [node for node in nodes if ordered.ranks[node] == 0]
    above: list[str] = []
    for root in roots:
        # Each entry: a node, its depth, what stands before its name, and before the names below it.
        stack = [(root, 0, margin, margin)]
        while stack:
            name, depth, tree, below = stack.pop()
            del above[depth:]
            branches = children[name]
            cut = depth == _DEEPEST and bool(branches)
            also = tuple(nodes[needed].label for needed in ordered.needs[name] if needed not in above)
            remark = "…continued below" if cut else ""
            yield _Row(tree, nodes[name], also if depth else (), tuple(cycles.get(name, ())), remark)
            inside = nodes[name].inside
            if inside and inside.nodes:
                yield from _rows(inside, f"{below}{'│' if branches and not cut else ' '} ┊ ")
            if cut:
                roots.extend(branches)
                continue
            above.append(name)
            for branch in reversed(branches):
                last = branch == branches[-1]
                fork, line = ("└─ ", "   ") if last else ("├─ ", "│  ")
                stack.append((branch, depth + 1, below + fork, below + line))


def _children(ordered: Order) -> dict[str, list[str]]:
    """Each node below the one of the highest rank among those it needs."""
    children: dict[str, list[str]] = {node: [] for node in ordered.needs}
    for node, needs in ordered.needs.items():
        if needs:
            children[max(needs, key=ordered.ranks.__getitem__)].append(node)
    return children
