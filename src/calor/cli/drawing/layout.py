"""The layout of a drawing, from left to right.

Nodes are in columns by rank. An edge that crosses columns gets a lane in each of them, shared by all edges to
the same node, so that these run together as one trunk. Sweeps over the columns sort each by the mean height of
its neighbours and move everything as near to them as the order allows. Nodes without edges are in a block
below the others.

A nested stack is laid out separately and is a large box in its parent stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from calor.cli.drawing.model import Drawing, Node
from calor.cli.drawing.order import Order, essential, order

PADDING = 18.0
HEADER = 46.0
_COLUMN_GAP = 56.0
_MOST_WIDENING = 140
_ROW_GAP = 14.0
_LANE_GAP = 9.0
_BLOCK_GAP = 32.0
_CYCLE_ROOM = 40.0
_PORT_GAP = 9.0
_SORTING_SWEEPS = 8
_SETTLING_SWEEPS = 8
_LONGEST = 30
"""An edge across more columns is a straight line: lanes in thousands of columns would cost more than they show."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Size:
    width: float
    height: float


Measure = Callable[[Node], Size]
"""The size of a box that fits the text of a node."""


@dataclass(frozen=True, slots=True)
class Box:
    """A node with its position, relative to the upper left corner of the enclosing box or of the drawing."""

    node: Node
    x: float
    y: float
    width: float
    height: float
    inside: Layout | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of an edge: a horizontal line from its start to `bend`, then a curve to its end."""

    start: Point
    bend: float
    end: Point


@dataclass(frozen=True, slots=True)
class Trunk:
    """All edges to a node, ending at its `tip`."""

    needed: Node
    tip: Point
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    size: Size
    boxes: tuple[Box, ...]
    trunks: tuple[Trunk, ...]
    back: tuple[tuple[Box, Box], ...]
    """The edges that close a cycle: from a box to the one it needs."""


@dataclass(slots=True)
class _Cell:
    """An item of a column: the box of a node, or a lane for the edges to the node."""

    node: Node
    width: float = 0.0
    height: float = 0.0
    inside: Layout | None = None
    is_lane: bool = False
    left: list[_Cell] = field(default_factory=list)
    right: list[_Cell] = field(default_factory=list)
    x: float = 0.0
    middle: float = 0.0
    column_end: float = 0.0

    def below(self, other: _Cell) -> float:
        """The distance between the middle of a cell and that of the one above it."""
        gap = _LANE_GAP if self.is_lane or other.is_lane else _ROW_GAP
        return (self.height + other.height) / 2 + gap

    @property
    def out(self) -> Point:
        """Where edges to the right start. A lane has no width: its line crosses the whole column."""
        return self.x + self.width, self.middle

    def box(self) -> Box:
        return Box(self.node, self.x, self.middle - self.height / 2, self.width, self.height, self.inside)


def layout(drawing: Drawing, measure: Measure) -> Layout:
    ordered = order(drawing)
    cells = {node.id: _cell(node, measure) for node in drawing.nodes}
    joined = {node for edge in drawing.edges for node in edge}
    apart = [cell for name, cell in cells.items() if name not in joined]
    level = _Level({name: cell for name, cell in cells.items() if name in joined}, ordered)
    top = _CYCLE_ROOM if ordered.back else 0.0
    size = level.place(top)
    block = _place_block(apart, size.width, size.height + _BLOCK_GAP if joined else 0.0)
    boxes = {name: cell.box() for name, cell in cells.items()}
    return Layout(
        Size(max(size.width, block.width), max(size.height, block.height)),
        tuple(boxes.values()),
        tuple(level.trunks()),
        tuple((boxes[node], boxes[needed]) for node, needed in ordered.back),
    )


def _cell(node: Node, measure: Measure) -> _Cell:
    own = measure(node)
    if node.inside is None:
        return _Cell(node, own.width, own.height)
    inside = layout(node.inside, measure)
    width = max(own.width, inside.size.width + 2 * PADDING)
    return _Cell(node, width, HEADER + inside.size.height + PADDING, inside)


class _Level:
    """The nodes of one stack that have edges."""

    def __init__(self, cells: dict[str, _Cell], ordered: Order) -> None:
        self.cells = cells
        self.ranks = ordered.ranks
        self.needs = {name: needs for name, needs in essential(ordered).items() if name in cells}
        self.columns: list[list[_Cell]] = [
            [] for _ in range(1 + max(map(self.ranks.__getitem__, cells), default=-1))
        ]
        self.lanes: dict[tuple[str, int], _Cell] = {}
        self.straight: dict[str, list[_Cell]] = {}
        for name, cell in cells.items():
            self.columns[self.ranks[name]].append(cell)
        for name, needs in self.needs.items():
            for needed in needs:
                self._join(name, needed)

    def _join(self, name: str, needed: str) -> None:
        rank = self.ranks[name]
        if rank - self.ranks[needed] > _LONGEST:
            self.straight.setdefault(needed, []).append(self.cells[name])
            return
        start, end = self._lane(needed, rank - 1), self.cells[name]
        start.right.append(end)
        end.left.append(start)

    def _lane(self, needed: str, rank: int) -> _Cell:
        """The cell in the column after `rank` that leads to the needed node: its own, or a lane, created if missing."""
        if rank == self.ranks[needed]:
            return self.cells[needed]
        lane = self.lanes.get((needed, rank))
        if lane is None:
            lane = self.lanes[needed, rank] = _Cell(self.cells[needed].node, is_lane=True)
            before = self._lane(needed, rank - 1)
            before.right.append(lane)
            lane.left.append(before)
            self.columns[rank].append(lane)
        return lane

    def place(self, top: float) -> Size:
        if not self.columns:
            return Size(0.0, 0.0)
        for column in self.columns:
            _stack(column)
        for _ in range(_SORTING_SWEEPS // 2):
            for column in self.columns[1:]:
                _settle(column, lambda cell: cell.left, sort=True)
            for column in self.columns[-2::-1]:
                _settle(column, lambda cell: cell.right, sort=True)
        for _ in range(_SETTLING_SWEEPS // 2):
            for column in (*self.columns, *self.columns[-2::-1]):
                _settle(column, lambda cell: [*cell.left, *cell.right], sort=False)
        highest = min(cell.middle - cell.height / 2 for column in self.columns for cell in column)
        lowest = max(cell.middle + cell.height / 2 for column in self.columns for cell in column)
        for column in self.columns:
            for cell in column:
                cell.middle += top - highest
        return Size(self._place_columns(), top + lowest - highest)

    def _place_columns(self) -> float:
        x = right = 0.0
        for column in self.columns:
            width = _widen(column)
            right = x + width
            for cell in column:
                cell.x, cell.column_end = x, right
            # More edges need more room to be distinguishable.
            x = right + _COLUMN_GAP + min(_MOST_WIDENING, sum(len(cell.right) for cell in column))
        return right

    def trunks(self) -> Iterable[Trunk]:
        ports = {id(cell): _ports(cell) for column in self.columns for cell in column}
        lanes: dict[str, list[_Cell]] = {}
        for (needed, _), lane in self.lanes.items():
            lanes.setdefault(needed, []).append(lane)
        for name, cell in self.cells.items():
            segments = []
            for start in (cell, *lanes.get(name, ())):
                for end in start.right:
                    port = (end.x, ports[id(end)][id(start)])
                    segments.append(Segment(start.out, start.column_end, port))
            segments.extend(
                Segment(cell.out, cell.column_end, (end.x, end.middle)) for end in self.straight.get(name, ())
            )
            if segments:
                yield Trunk(cell.node, cell.out, tuple(segments))


def _ports(cell: _Cell) -> dict[int, float]:
    """The height at which each edge from the left meets the cell, so that they do not overlap."""
    count = len(cell.left)
    gap = min(_PORT_GAP, (cell.height - 12) / count) if count and not cell.is_lane else 0.0
    first = cell.middle - gap * (count - 1) / 2
    sources = sorted(cell.left, key=lambda source: source.middle)
    return {id(source): first + gap * index for index, source in enumerate(sources)}


def _stack(column: Sequence[_Cell]) -> None:
    for above, cell in pairwise(column):
        cell.middle = above.middle + cell.below(above)


def _settle(column: list[_Cell], neighbours: Callable[[_Cell], list[_Cell]], *, sort: bool) -> None:
    """Moves each cell as near to the mean of its neighbours as the cells above and below it allow.

    This is an isotonic regression: cells that would overlap are pooled and move together.
    """
    wanted = {id(cell): _mean(neighbours(cell), cell) for cell in column}
    if sort:
        column.sort(key=lambda cell: wanted[id(cell)])
    offsets = [0.0]
    for above, cell in pairwise(column):
        offsets.append(offsets[-1] + cell.below(above))
    pools: list[tuple[float, float, int]] = []
    for cell, offset in zip(column, offsets, strict=True):
        weight = 4.0 if cell.is_lane else 1.0
        pool = ((wanted[id(cell)] - offset) * weight, weight, 1)
        while pools and pools[-1][0] / pools[-1][1] > pool[0] / pool[1]:
            total, weight, count = pools.pop()
            pool = (pool[0] + total, pool[1] + weight, pool[2] + count)
        pools.append(pool)
    places = (total / weight for total, weight, count in pools for _ in range(count))
    for cell, offset, place in zip(column, offsets, places, strict=True):
        cell.middle = place + offset


def _mean(neighbours: list[_Cell], cell: _Cell) -> float:
    return sum(other.middle for other in neighbours) / len(neighbours) if neighbours else cell.middle


def _widen(column: Iterable[_Cell]) -> float:
    """Makes plain boxes equally wide, and returns the width of the column."""
    boxes = [cell for cell in column if not cell.is_lane]
    plain = [cell for cell in boxes if cell.inside is None]
    widest = max((cell.width for cell in plain), default=0.0)
    for cell in plain:
        cell.width = widest
    return max((cell.width for cell in boxes), default=0.0)


def _place_block(cells: list[_Cell], room: float, top: float) -> Size:
    """Places cells row by row, plain ones first, since nested stacks are much higher."""
    if not cells:
        return Size(0.0, 0.0)
    _widen(cells)
    area = sum((cell.width + _ROW_GAP) * (cell.height + _ROW_GAP) for cell in cells)
    room = max(room, (area * 1.8) ** 0.5)
    x, y, height, right = 0.0, top, 0.0, 0.0
    for cell in sorted(cells, key=lambda cell: cell.inside is not None):
        if x and x + cell.width > room:
            x, y, height = 0.0, y + height + _ROW_GAP, 0.0
        cell.x, cell.middle = x, y + cell.height / 2
        x += cell.width + _ROW_GAP
        height = max(height, cell.height)
        right = max(right, x - _ROW_GAP)
    return Size(right, y + height)
