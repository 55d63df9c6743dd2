"""Draws the resources of a template or stack: as text, for Graphviz, or as SVG."""

from calor.cli.drawing.model import Drawing, Node, from_definition

__all__ = ["Drawing", "Node", "from_definition"]
