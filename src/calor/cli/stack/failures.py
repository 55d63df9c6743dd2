"""`stack failures`: what went wrong first, however deep it is nested, in the cloud's own words."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from calor.cli.api.client import ApiError, Heat, StackRef, path_of
from calor.cli.render import ansi, records
from calor.cli.render.types import short_type
from calor.cli.stack.following import shown_stack
from calor.cli.stack.past_failures import of_last_action, type_of, was_rolled_back
from calor.cli.stack.places import Places, noted
from calor.cli.stack.tree import Node, Tree

_REQUEST_ID = re.compile(r"\breq-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_CONSEQUENCE = re.compile(r"aborted|cancelled|canceled", re.IGNORECASE)
_WAY = r"(?:resources\.(?:(?!\.properties\b)[^:])+(?:: |\.(?=properties\b)))?"
"""To a resource; what follows about a property of it is worth saying."""
_CLASS = re.compile(rf"\A(?:(?:Resource|Stack) \w+ failed: )?(\w+): {_WAY}(.*)\Z", re.DOTALL)
_SHOWN_LINES = 20


@dataclass(frozen=True, slots=True)
class Failure:
    path: tuple[str, ...]
    type_name: str
    status: str
    reason: str
    physical_id: str = ""

    @property
    def is_consequence(self) -> bool:
        """Whether it only ended because something else failed."""
        return _CONSEQUENCE.search(self.reason) is not None

    @property
    def request_id(self) -> str:
        found = _REQUEST_ID.search(self.reason)
        return found[0] if found else ""

    @property
    def words(self) -> str:
        """The reason without what is said elsewhere: classes, and the ways through nested stacks."""
        text = self.reason
        while (found := _CLASS.match(text)) and found[2]:
            text = found[2]
        return text


def show(heat: Heat, arguments: argparse.Namespace) -> int:
    stack = heat.find(arguments.stack)
    raw = heat.get(f"{stack.path}/resources", {"nested_depth": 50})["resources"]
    found = failures(raw, stack) or _before_rollback(heat, stack, raw)
    places = noted(heat, stack, arguments.template)
    if arguments.format or arguments.columns:
        rows = [
            {
                "resource": "/".join(one.path),
                "resource_type": one.type_name,
                "resource_status": one.status,
                "reason": one.words,
                "request_id": one.request_id,
                "place": places.of(one.path),
            }
            for one in found
        ]
        names = ("resource", "resource_type", "resource_status", "reason", "request_id", "place")
        records.print_list(arguments, records.columns(*names), rows)
        return 0
    if not found:
        shown = shown_stack(heat, stack)
        state = shown.get("stack_status") or "DELETE_COMPLETE"
        print(f"{stack.name} is {state}; no resource has failed.")
        if state.endswith("FAILED"):
            print(f"  {shown.get('stack_status_reason')}")
        return 0
    paint = ansi.painter(records.colourful())
    for one in found:
        print("\n".join(_block(one, places, paint)))
        for line in _deployment(heat, one, arguments.long):
            print(line)
    return 0


def _before_rollback(heat: Heat, stack: StackRef, raw: Iterable[Mapping[str, Any]]) -> list[Failure]:
    """Why a stack was rolled back, if it was: its resources do not show that any more."""
    if not was_rolled_back(shown_stack(heat, stack)):
        return []
    tree = Tree(stack.name, stack.id)
    tree.expect(raw)
    found = [
        Failure(path, type_of(heat, event), event.status, event.reason, event.physical_id)
        for path, event in of_last_action(heat, stack, tree)
    ]
    return sorted(found, key=lambda one: one.is_consequence)


def failures(resources: Iterable[Mapping[str, Any]], stack: StackRef) -> list[Failure]:
    """Those resources that failed by themselves; a nested stack's resource has only if nothing below it has. What
    others brought down comes last."""
    listed = list(resources)
    tree = Tree(stack.name, stack.id)
    tree.expect(listed)
    by_node = {id(tree.find(raw)): raw for raw in listed}
    found = list(_failed(tree.root, (), by_node))
    return sorted(found, key=lambda one: one.is_consequence)


def _failed(node: Node, path: tuple[str, ...], by_node: Mapping[int, Mapping[str, Any]]) -> Iterable[Failure]:
    for child in node.below.values():
        way = (*path, child.name)
        below = list(_failed(child, way, by_node))
        if below:
            yield from below
        elif child.status.endswith("FAILED"):
            raw = by_node.get(id(child), {})
            yield Failure(
                way,
                raw.get("resource_type") or "",
                child.status,
                raw.get("resource_status_reason") or "",
                raw.get("physical_resource_id") or "",
            )


def _block(one: Failure, places: Places, paint: ansi.Paint) -> Sequence[str]:
    name = ansi.visible("/".join(one.path))
    lines = [f"{paint(name, ansi.BOLD)}  {short_type(one.type_name)}  {paint(one.status, ansi.RED)}"]
    place = places.of(one.path)
    if place:
        lines.append(f"  at       {paint(place, ansi.BLUE)}")
    words = [ansi.visible(line) for line in one.words.splitlines()] or ["no reason is given"]
    lines.append(f"  reason   {words[0]}")
    lines += [f"           {line}" for line in words[1:]]
    if one.request_id:
        lines.append(f"  request  {one.request_id}")
    return lines


def _deployment(heat: Heat, one: Failure, whole: bool) -> Iterable[str]:
    """What a program that was run on a server wrote."""
    if not one.physical_id or "SoftwareDeployment" not in one.type_name:
        return
    try:
        shown = heat.get(path_of("software_deployments", one.physical_id))["software_deployment"]
    except ApiError:
        return
    values = shown.get("output_values") or {}
    for key in ("deploy_stdout", "deploy_stderr"):
        lines = str(values.get(key) or "").splitlines()
        kept = lines if whole else lines[-_SHOWN_LINES:]
        if kept:
            yield f"  {key}" + (f" (the last {len(kept)} of {len(lines)} lines)" if kept != lines else "")
            for line in kept:
                yield f"    {ansi.visible(line)}"
