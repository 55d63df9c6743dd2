"""`calor stack event …`: lists, shows and follows events."""

from __future__ import annotations

import argparse

from calor.cli.api.client import Heat, StackRef, path_of
from calor.cli.errors import UsageError
from calor.cli.json_values import JsonMapping, JsonObject
from calor.cli.render import ansi, records
from calor.cli.stack.following import Event, event_of, follow
from calor.cli.stack.request import key_values
from calor.cli.stack.resources import stack_name
from calor.cli.stack.tree import Tree

_LISTED = (
    "resource_name",
    "id",
    "resource_status",
    "resource_status_reason",
    "event_time",
    "physical_resource_id",
)


def list_(heat: Heat, arguments: argparse.Namespace) -> int:
    stack = heat.find(arguments.stack)
    if arguments.follow:
        if arguments.format not in (None, "log"):
            raise UsageError("--follow supports only the format log", "leave out --format")
        return _follow(heat, stack, arguments)
    query: JsonObject = {"marker": arguments.marker, "nested_depth": arguments.nested_depth}
    for name, value in key_values(arguments.filters, "a filter"):
        query.setdefault(name, []).append(value)
    query |= _sorting(arguments.sort)
    of = path_of("resources", arguments.resource) if arguments.resource else ""
    found = list(heat.pages(f"{stack.path}{of}/events", "events", query, arguments.limit))
    form = arguments.format or "log"
    if form == "log":
        tree = _tree_of(heat, stack) if arguments.nested_depth else Tree(stack.name, stack.id)
        for raw in found:
            print(log_line(raw, tree))
        return 0
    names = list(_LISTED)
    if arguments.nested_depth:
        names.append("stack_name")
        found = [{**one, "stack_name": stack_name(one)} for one in found]
    if not arguments.legacy:
        names.append("logical_resource_id")
    records.print_list(arguments, records.columns(*names), found)
    return 0


def _sorting(stated: list[str]) -> JsonObject:
    if not stated:
        return {"sort_dir": "asc"}
    pairs = [one.partition(":") for one in stated]
    directions = [direction for _, _, direction in pairs if direction]
    if any(direction not in ("asc", "desc") for direction in directions):
        raise UsageError(f"`{directions[0]}` is not a sort direction", "use asc or desc")
    return {"sort_keys": [key for key, _, _ in pairs], "sort_dir": directions[0] if directions else "asc"}


def _tree_of(heat: Heat, stack: StackRef) -> Tree:
    tree = Tree(stack.name, stack.id)
    tree.expect(heat.get(f"{stack.path}/resources", {"nested_depth": 50})["resources"])
    return tree


def log_line(raw: JsonMapping, tree: Tree) -> str:
    """`<time> <id> [<path>]: <status>  <reason>`."""
    event = event_of(raw)
    return _line(event, (tree.root.name, *tree.see(event, 0.0)))


def _line(event: Event, path: tuple[str, ...]) -> str:
    time = event.time.replace("T", " ")
    return ansi.visible(f"{time} {event.id} [{'.'.join(path)}]: {event.status}  {event.reason}")


def _follow(heat: Heat, stack: StackRef, arguments: argparse.Namespace) -> int:
    tree = _tree_of(heat, stack)
    for event in follow(heat, stack, arguments.marker, until_done=False):
        path = tree.see(event, 0.0)
        if (len(path) <= 1 or arguments.nested_depth) and arguments.resource in (None, event.resource):
            print(_line(event, (stack.name, *path)), flush=True)
    return 0


def show(heat: Heat, arguments: argparse.Namespace) -> int:
    stack = heat.find(arguments.stack)
    path = path_of("resources", arguments.resource, "events", arguments.event)
    records.print_record(arguments, heat.get(stack.path + path)["event"])
    return 0
