"""Where everything goes in a picture that is read from left to right.

Nodes stand in columns by rank. An edge that passes columns gets a lane in each of them, shared by all who need
the same node, so that many edges to one node run together as one trunk. The order within a column is found by
sweeping over the columns and sorting by the mean place of the neighbours, the height by moving everything as
near to its neighbours as the order allows. Nodes without any edge stand in a block below the others.

A nested stack is laid out by itself and is a big box in the stack around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from calor.cli.drawing.model import Drawing, Edge, Node
from calor.cli.drawing.order import essential, order

COLUMN_GAP = 72.0
ROW_GAP = 16.0
LANE_HEIGHT = 4.0
BLOCK_GAP = 24.0
PADDING = 20.0
HEADER = 44.0
BACK_EDGE_ROOM = 46.0
_LONGEST = 30
"""An edge across more columns is drawn straight: lanes for thousands of columns would cost more than they show."""
_ORDER_SWEEPS = 6
_HEIGHT_SWEEPS = 8


@dataclass(frozen=True, slots=True)
class Size:
    width: float
    height: float


Measure = Callable[[Node], Size]
"""The size of a box that fits a node's texts."""


@dataclass(frozen=True, slots=True)
class Box:
    """A node in its place; x and y are those of its upper left corner in the whole picture."""

    node: Node
    x: float
    y: float
    width: float
    height: float
    inside: Layout | None = None

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


Point = tuple[float, float]
Segment = tuple[Point, Point, Point, Point]
"""A lane's start and end in one column and the next: a line, a curve across the gap, a line."""


@dataclass(frozen=True, slots=True)
class Trunk:
    """All edges to one node: the segments, first those that start at the node itself."""

    needed: Node
    tip: Point
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    size: Size
    boxes: tuple[Box, ...] = ()
    trunks: tuple[Trunk, ...] = ()
    back: tuple[tuple[Box, Box], ...] = ()
    """Edges that close a cycle: from a box to the one it needs."""


@dataclass(slots=True)
class _Cell:
    """What takes up room in a column: a node, or a lane of those who need one."""

    width: float
    height: float
    weight: float = 1.0
    left: list[_Cell] = field(default_factory=list)
    right: list[_Cell] = field(default_factory=list)
    x: float = 0.0
    middle: float = 0.0
    place: int = 0


def layout(drawing: Drawing, measure: Measure) -> Layout:
    """The layout of a drawing, with its upper left corner at 0, 0."""
    return _placed(drawing, measure, 0.0, 0.0)


def _placed(drawing: Drawing, measure: Measure, x: float, y: float) -> Layout:
    sized = {node.id: _size(node, measure) for node in drawing.nodes}
    return _Level(drawing, sized, measure).place(x, y)


def _size(node: Node, measure: Measure) -> Size:
    """A box's size; around a nested stack there is room for it, below a header."""
    own = measure(node)
    if node.inside is None:
        return own
    inner = layout(node.inside, measure).size
    return Size(max(own.width, inner.width + 2 * PADDING), HEADER + inner.height + PADDING)
