"""Draws a stack as a self-contained SVG file, for light and dark mode."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr
from zlib import crc32

from calor.cli.drawing.layout import HEADER, PADDING, Box, Layout, Segment, Size, Trunk, layout
from calor.cli.drawing.model import Drawing, Node
from calor.cli.render.ansi import text_width, visible
from calor.cli.render.states import progress_of

_MARGIN = 28.0
_CAPTION = 26.0
_HEIGHT = 46.0
_LONGEST_TEXT = 44
_NAME_CHAR = 8.3
_TYPE_CHAR = 6.4
_SIDES = 30.0

# The hue of a service follows from a checksum of its name; with eleven hues, the common services differ.
_HUES = (
    *("#0f766e", "#ca8a04", "#db2777", "#7c3aed", "#059669", "#65a30d"),
    *("#92400e", "#2563eb", "#ea580c", "#0891b2", "#c026d3"),
)

_STATES = {"COMPLETE": "#16a34a", "IN_PROGRESS": "#eab308", "FAILED": "#dc2626"}

_STYLE = """
text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
.paper { fill: #ffffff; }
.box { fill: #ffffff; stroke: #cbd5e1; stroke-width: 1; }
.stack { fill: #f1f5f9; fill-opacity: .6; stroke: #94a3b8; stroke-width: 1; stroke-dasharray: 5 4; }
.name { font-size: 13px; font-weight: 600; fill: #0f172a; }
.type, .caption { font-size: 11px; fill: #64748b; }
.edge { fill: none; stroke: #94a3b8; stroke-width: 1.4; }
.tip { fill: #94a3b8; stroke: none; }
.cycle { fill: none; stroke: #dc2626; stroke-width: 1.6; stroke-dasharray: 5 3; }
.cycle-tip { fill: #dc2626; }
.trunk:hover .edge { stroke: #2563eb; stroke-width: 2.4; }
.trunk:hover .tip { fill: #2563eb; }
@media (prefers-color-scheme: dark) {
  .paper { fill: #0f172a; }
  .box { fill: #1e293b; stroke: #475569; }
  .stack { fill: #1e293b; fill-opacity: .45; stroke: #64748b; }
  .name { fill: #f1f5f9; }
  .type, .caption { fill: #94a3b8; }
  .edge { stroke: #64748b; }
  .tip { fill: #64748b; }
  .cycle { stroke: #f87171; }
  .cycle-tip { fill: #f87171; }
  .trunk:hover .edge { stroke: #60a5fa; }
  .trunk:hover .tip { fill: #60a5fa; }
}
"""


def render(drawing: Drawing, title: str = "Resources of a stack") -> str:
    """The SVG text. Edges that other edges imply are left out; those that close a cycle are red."""
    placed = layout(drawing, _measure)
    caption = "Created from left to right; arrows point to what a resource needs."
    width = max(placed.size.width, 400.0) + 2 * _MARGIN
    height = placed.size.height + 2 * _MARGIN + _CAPTION
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width)}" height="{_n(height)}" '
        f'viewBox="0 0 {_n(width)} {_n(height)}" role="img">',
        f"<title>{escape(visible(title))}</title>",
        f"<style>{_STYLE}</style>",
        '<rect class="paper" width="100%" height="100%"/>',
        f'<g transform="translate({_n(_MARGIN)} {_n(_MARGIN)})">',
        *_level(placed),
        "</g>",
        f'<text class="caption" x="{_n(_MARGIN)}" y="{_n(height - 18)}">{caption}</text>',
        "</svg>",
    ]
    return "\n".join(lines)


def _measure(node: Node) -> Size:
    name = text_width(_cut(node.label)) * _NAME_CHAR
    type_name = text_width(_cut(node.sublabel)) * _TYPE_CHAR
    return Size(max(96.0, name, type_name) + _SIDES, _HEIGHT)


def _level(placed: Layout) -> Iterator[str]:
    for trunk in placed.trunks:
        yield from _trunk(trunk)
    for box in placed.boxes:
        yield from _box(box)
    for box, needed in placed.back:
        yield from _cycle(box, needed)


def _trunk(trunk: Trunk) -> Iterator[str]:
    x, y = trunk.tip
    yield f'<g class="trunk"><title>needs {escape(visible(trunk.needed.label))}</title>'
    yield f'<path class="edge" d="{" ".join(map(_segment, trunk.segments))}"/>'
    yield f'<path class="tip" d="M{_n(x + 1)} {_n(y)}l8 -4v8z"/></g>'


def _segment(segment: Segment) -> str:
    (x, y), (end_x, end_y) = segment.start, segment.end
    bend, half = segment.bend, (segment.bend + segment.end[0]) / 2
    level = f"H{_n(bend)}" if bend > x else ""
    return f"M{_n(x)} {_n(y)}{level}C{_n(half)} {_n(y)} {_n(half)} {_n(end_y)} {_n(end_x)} {_n(end_y)}"


def _box(box: Box) -> Iterator[str]:
    node = box.node
    place = f'x="{_n(box.x)}" y="{_n(box.y)}"'
    title = ": ".join(part for part in (node.id, node.sublabel, node.state) if part)
    yield f"<g id={quoteattr(visible(node.id))}><title>{escape(visible(title))}</title>"
    shape = "stack" if box.inside else "box"
    yield f'<rect class="{shape}" {place} width="{_n(box.width)}" height="{_n(box.height)}" rx="7"/>'
    yield (
        f'<rect x="{_n(box.x + 7)}" y="{_n(box.y + 9)}" width="4" height="{_n(_HEIGHT - 18)}" rx="2" '
        f'fill="{_hue(node.sublabel)}"/>'
    )
    yield f'<text class="name" x="{_n(box.x + 19)}" y="{_n(box.y + 20)}">{_text(node.label)}</text>'
    yield f'<text class="type" x="{_n(box.x + 19)}" y="{_n(box.y + 36)}">{_text(node.sublabel)}</text>'
    if node.state:
        # At the right edge of the box, beyond the text.
        mark = _STATES.get(progress_of(node.state), "#94a3b8")
        if node.state.startswith("INIT"):
            mark = "#94a3b8"
        yield f'<circle cx="{_n(box.x + box.width - 11)}" cy="{_n(box.y + 11)}" r="4.5" fill="{mark}"/>'
    if box.inside:
        yield f'<g transform="translate({_n(box.x + PADDING)} {_n(box.y + HEADER)})">'
        yield from _level(box.inside)
        yield "</g>"
    yield "</g>"


def _cycle(box: Box, needed: Box) -> Iterator[str]:
    """An arc above the boxes, since its direction is opposite to that of all other edges."""
    apart = 14.0 if box == needed else 0.0
    x, end = box.x + box.width / 2 - apart, needed.x + needed.width / 2 + apart
    high = min(box.y, needed.y) - 38
    title = escape(visible(f"{box.node.label} needs {needed.node.label}: a cycle"))
    yield f"<g><title>{title}</title>"
    yield (
        f'<path class="cycle" d="M{_n(x)} {_n(box.y)}C{_n(x)} {_n(high)} {_n(end)} {_n(high)} '
        f'{_n(end)} {_n(needed.y - 6)}"/>'
    )
    yield f'<path class="cycle-tip" d="M{_n(end)} {_n(needed.y)}l-4 -8h8z"/></g>'


def _hue(type_name: str) -> str:
    """`OS::Nova::Server` has the hue of Nova."""
    parts = type_name.split("::")
    service = parts[1] if len(parts) > 2 else parts[0]
    return _HUES[crc32(service.encode()) % len(_HUES)]


def _text(text: str) -> str:
    return escape(_cut(text))


def _cut(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= _LONGEST_TEXT else f"{shown[: _LONGEST_TEXT - 1]}…"


def _n(number: float) -> str:
    """A number with one decimal at most."""
    return f"{number:.1f}".removesuffix(".0")
