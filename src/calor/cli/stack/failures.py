"""`calor stack failures`: shows the root causes of a failure, at any depth, with the messages of the cloud."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from calor.cli.api.client import ApiError, Heat, StackRef, path_of
from calor.cli.json_values import JsonMapping
from calor.cli.render import ansi, records
from calor.cli.render.types import short_type
from calor.cli.stack.following import shown_stack
from calor.cli.stack.past_failures import of_last_action, type_of, was_rolled_back
from calor.cli.stack.places import Places, recall_places
from calor.cli.stack.tree import Node, Tree

_CONSEQUENCES = ("aborted", "cancelled", "canceled")
_REQUEST_ID = "req-"
_UUID_LENGTH = 36
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
        """Whether it was only aborted because something else failed."""
        reason = self.reason.lower()
        return any(word in reason for word in _CONSEQUENCES)

    @property
    def request_id(self) -> str:
        """The id of the failed request to the cloud, if the reason has one."""
        for part in self.reason.split(_REQUEST_ID)[1:]:
            with suppress(ValueError):
                return f"{_REQUEST_ID}{UUID(part[:_UUID_LENGTH])}"
        return ""

    @property
    def message(self) -> str:
        """The reason without the classes of errors and the paths of resources that Heat puts before a message."""
        text = self.reason
        while shorter := _without_class(text):
            text = shorter
        return text


def _without_class(text: str) -> str:
    """`Resource CREATE failed: NotFound: resources.a: text` without all before the text; empty if the text has no such
    prefix."""
    subject, failed, rest = text.partition(" failed: ")
    words = subject.split(" ")
    if failed and len(words) == 2 and words[0] in ("Resource", "Stack"):
        text = rest
    kind, colon, rest = text.partition(": ")
    return _without_path(rest) if colon and kind.replace("_", "").isalnum() else ""


def _without_path(text: str) -> str:
    """A message without the path of a resource, but with that of a property."""
    if not text.startswith(("resources.", "resources[")):
        return text
    path, colon, message = text.partition(": ")
    _, found, inside = path.partition(".properties")
    if found and not inside[:1].isalnum():
        return f"properties{inside}{colon}{message}"
    return message if colon else text


def show(heat: Heat, arguments: argparse.Namespace) -> int:
    stack = heat.find(arguments.stack)
    raw = heat.get(f"{stack.path}/resources", {"nested_depth": 50})["resources"]
    shown = shown_stack(heat, stack)
    found = _found(heat, stack, raw, shown)
    places = recall_places(heat, stack, arguments.template)
    if arguments.format or arguments.columns:
        rows = [
            {
                "resource": "/".join(one.path),
                "resource_type": one.type_name,
                "resource_status": one.status,
                "reason": one.message,
                "request_id": one.request_id,
                "place": places.of(one.path),
            }
            for one in found
        ]
        names = ("resource", "resource_type", "resource_status", "reason", "request_id", "place")
        records.print_list(arguments, records.columns(*names), rows)
        return 0
    if not found:
        state = shown.get("stack_status") or "DELETE_COMPLETE"
        print(f"{stack.name} is {state}; no resource has failed.")
        if state.endswith("FAILED"):
            ansi.print_text(f"  {shown.get('stack_status_reason')}")
        return 0
    paint = ansi.painter(records.colourful())
    for one in found:
        print("\n".join(_block(one, places, paint)))
        for line in _deployment(heat, one, arguments.long):
            print(line)
    return 0


def _found(heat: Heat, stack: StackRef, raw: Sequence[JsonMapping], shown: JsonMapping) -> list[Failure]:
    """The failures of the last action. Events have what resources do not show: failures before a rollback, and actions
    that were refused and left a resource unchanged."""
    listed = failures(raw, stack)
    if was_rolled_back(shown):
        return listed or _in_events(heat, stack, raw)
    status, reason = shown.get("stack_status") or "", shown.get("stack_status_reason") or ""
    if not status.endswith("_FAILED") or any(one.message and one.message in reason for one in listed):
        return listed
    others = _in_events(heat, stack, raw) or _in_reason(stack, raw, status, reason)
    known = {(one.path, one.status) for one in listed}
    return [*(one for one in others if (one.path, one.status) not in known), *listed]


def _in_events(heat: Heat, stack: StackRef, raw: Iterable[JsonMapping]) -> list[Failure]:
    tree = Tree(stack.name, stack.id)
    tree.expect(raw)
    found = [
        Failure(path, type_of(heat, event), event.status, event.reason, event.physical_id)
        for path, event in of_last_action(heat, stack, tree)
    ]
    return sorted(found, key=lambda one: one.is_consequence)


def _in_reason(stack: StackRef, raw: Iterable[JsonMapping], status: str, reason: str) -> list[Failure]:
    """The resource that the status reason of the stack names."""
    tree, by_node = _tree_of(raw, stack)
    nodes = _nodes_at(tree.root, reason.partition("resources")[2])
    if not nodes:
        return []
    type_name = by_node.get(id(nodes[-1]), {}).get("resource_type") or ""
    return [Failure(tuple(node.name for node in nodes), type_name, status, reason)]


def _nodes_at(node: Node, path: str) -> list[Node]:
    """The nodes along the path that a message begins with: `.group.resources[1]: …`."""
    for child in node.below.values():
        for written in (f".{child.name}", f"[{child.name}]"):
            if path.startswith((f"{written}:", f"{written}.")):
                return [child, *_nodes_at(child, path.removeprefix(written).removeprefix(".resources"))]
    return []


def _tree_of(resources: Iterable[JsonMapping], stack: StackRef) -> tuple[Tree, dict[int, JsonMapping]]:
    """The tree of a stack's resources, and for each node the resource as listed."""
    listed = list(resources)
    tree = Tree(stack.name, stack.id)
    tree.expect(listed)
    return tree, {id(tree.find(raw)): raw for raw in listed}


def failures(resources: Iterable[JsonMapping], stack: StackRef) -> list[Failure]:
    """The root causes: a nested stack counts only if nothing in it has failed. What was merely aborted is last."""
    tree, by_node = _tree_of(resources, stack)
    found = list(_failed(tree.root, (), by_node))
    return sorted(found, key=lambda one: one.is_consequence)


def _failed(node: Node, path: tuple[str, ...], by_node: Mapping[int, JsonMapping]) -> Iterable[Failure]:
    for child in node.below.values():
        child_path = (*path, child.name)
        below = list(_failed(child, child_path, by_node))
        if below:
            yield from below
        elif child.status.endswith("FAILED"):
            raw = by_node.get(id(child), {})
            yield Failure(
                child_path,
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
    reason = [ansi.visible(line) for line in one.message.splitlines()] or ["no reason was given"]
    lines.append(f"  reason   {reason[0]}")
    lines += [f"           {line}" for line in reason[1:]]
    if one.request_id:
        lines.append(f"  request  {one.request_id}")
    return lines


def _deployment(heat: Heat, one: Failure, whole: bool) -> Iterable[str]:
    """The output of a software deployment."""
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
