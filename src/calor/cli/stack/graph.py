"""`calor stack graph`: draws the dependencies of a stack's resources, with their states."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from calor.cli.api.client import Heat, StackRef
from calor.cli.drawing import Drawing, Node, dot, svg, text
from calor.cli.errors import CommandError
from calor.cli.json_values import JsonMapping
from calor.cli.render import records
from calor.cli.render.types import short_type
from calor.cli.stack.tree import stack_id


def show(heat: Heat, arguments: argparse.Namespace) -> int:
    stack = heat.find(arguments.stack)
    depth = 50 if arguments.nested else None
    raw = heat.get(f"{stack.path}/resources", {"nested_depth": depth})["resources"]
    picture = drawing(raw, stack)
    if arguments.graph_format == "svg":
        made = svg.render(picture, f"The stack {stack.name}")
    elif arguments.graph_format == "dot":
        made = dot.render(picture)
    else:
        made = text.render(picture, color=records.colourful() and not arguments.output)
    if arguments.output:
        try:
            Path(arguments.output).write_text(made, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{arguments.output} cannot be written: {error.strerror}") from None
    else:
        sys.stdout.write(made + "\n")
    return 0


def drawing(resources: Iterable[JsonMapping], stack: StackRef) -> Drawing:
    levels: dict[str, list[JsonMapping]] = {}
    for raw in resources:
        levels.setdefault(stack_id(_link(raw, "stack")), []).append(raw)
    return _level(levels, stack.id, "")


def _level(levels: Mapping[str, list[JsonMapping]], id: str, prefix: str) -> Drawing:
    members = levels.get(id, [])
    names = {raw["resource_name"] for raw in members}
    nodes = []
    edges = []
    for raw in members:
        name = raw["resource_name"]
        nested = stack_id(_link(raw, "nested"))
        inside = _level(levels, nested, f"{prefix}{name}/") if nested in levels else None
        kind = short_type(raw.get("resource_type") or "")
        nodes.append(Node(prefix + name, name, kind, inside, raw.get("resource_status") or ""))
        edges += [
            (prefix + dependant, prefix + name)
            for dependant in raw.get("required_by") or ()
            if dependant in names
        ]
    return Drawing(tuple(nodes), tuple(edges))


def _link(raw: JsonMapping, rel: str) -> str:
    return next((link["href"] for link in raw.get("links") or () if link.get("rel") == rel), "")
