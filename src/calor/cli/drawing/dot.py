"""Draws in Graphviz's DOT language. Nested stacks are clusters; arrows point to what a resource needs."""

from __future__ import annotations

from collections.abc import Iterator

from calor.cli.drawing.model import Drawing, Node
from calor.cli.drawing.order import order
from calor.cli.render.states import progress_of

_HEADER = """\
digraph stack {
  rankdir=RL
  compound=true
  fontname="Helvetica"
  node [shape=box, style="rounded,filled", fillcolor="#f8fafc", color="#94a3b8", fontname="Helvetica"]
  edge [color="#64748b"]"""
_FILLS = {"COMPLETE": "#dcfce7", "IN_PROGRESS": "#fef9c3", "FAILED": "#fee2e2"}


def render(drawing: Drawing) -> str:
    return "\n".join([_HEADER, *_level(drawing, "  "), "}"])


def _level(drawing: Drawing, indent: str) -> Iterator[str]:
    clusters = {node.id for node in drawing.nodes if node.inside}
    back = set(order(drawing).back)
    for node in drawing.nodes:
        if node.inside:
            yield from _cluster(node, node.inside, indent)
        else:
            filled = _FILLS.get(progress_of(node.state))
            style = f", fillcolor={_quoted(filled)}" if filled else ""
            yield f"{indent}{_quoted(node.id)} [label={_label(node)}{style}]"
    for start, end in dict.fromkeys(drawing.edges):
        styles = [f"ltail={_quoted(_cluster_name(start))}"] if start in clusters else []
        styles += [f"lhead={_quoted(_cluster_name(end))}"] if end in clusters else []
        styles += ['color="#dc2626"', "style=dashed", "constraint=false"] if (start, end) in back else []
        yield f"{indent}{_quoted(start)} -> {_quoted(end)}" + (f" [{', '.join(styles)}]" if styles else "")


def _cluster(node: Node, inside: Drawing, indent: str) -> Iterator[str]:
    yield f"{indent}subgraph {_quoted(_cluster_name(node.id))} {{"
    yield f'{indent}  label={_label(node)}; style="rounded,dashed"; color="#94a3b8"'
    # Graphviz attaches edges to nodes only, so a cluster needs one for its own edges.
    yield f"{indent}  {_quoted(node.id)} [shape=point, style=invis]"
    yield from _level(inside, indent + "  ")
    yield f"{indent}}}"


def _cluster_name(node_id: str) -> str:
    return f"cluster_{node_id}"


def _label(node: Node) -> str:
    return _quoted("\n".join(part for part in (node.label, node.sublabel, node.state) if part))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "").replace("\n", "\\n")
    return f'"{escaped}"'
