"""Pictures of what a template defines: for the terminal, for Graphviz, as SVG."""

from calor.cli.drawing.model import Drawing, Node, from_definition

__all__ = ["Drawing", "Node", "from_definition"]
