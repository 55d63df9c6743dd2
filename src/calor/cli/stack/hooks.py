"""`calor stack hook …`: lists the resources that are paused at a hook, and clears hooks."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from calor.cli.api.client import Heat, StackRef, path_of
from calor.cli.confirmation import announce
from calor.cli.errors import CommandError
from calor.cli.json_values import JsonMapping
from calor.cli.render import records
from calor.cli.stack.following import Event, event_of
from calor.cli.stack.tree import Tree

_PAUSED = "paused until Hook "
_HOOK = "Hook "
_CLEARED = " is cleared"
"""Heat's API shows hooks only in the reasons of events: `CREATE paused until Hook pre-create is cleared`."""
_DEEPEST = 50
HOOKS = ("pre-create", "pre-update", "pre-delete")


@dataclass(frozen=True, slots=True)
class WaitingHook:
    event: Event
    path: tuple[str, ...]
    hook: str


def poll(heat: Heat, arguments: argparse.Namespace) -> int:
    stack = heat.find(arguments.stack)
    depth = arguments.nested_depth or 0
    rows = [
        {
            "resource_name": one.event.resource,
            "id": one.event.id,
            "resource_status_reason": one.event.reason,
            "resource_status": one.event.status,
            "event_time": one.event.time,
            "stack_name": one.event.stack.name,
        }
        for one in waiting(heat, stack, depth)
    ]
    names = ["resource_name", "id", "resource_status_reason", "resource_status", "event_time"]
    if depth:
        names.append("stack_name")
    records.print_list(arguments, records.columns(*names), rows)
    return 0


def clear(heat: Heat, arguments: argparse.Namespace) -> int:
    """Clears the hooks of resources, given as paths such as `group/0/server`. Patterns match only paused resources."""
    stack = heat.find(arguments.stack)
    chosen = [hook for hook in HOOKS if getattr(arguments, hook.replace("-", "_"))]
    hooks = chosen or [_hook_of(heat, stack)]
    held = waiting(heat, stack, _DEEPEST)
    for pattern in arguments.resources:
        found = _matching(held, pattern.split("/"), hooks)
        if not found and _is_pattern(pattern):
            announce(f"No resource that matches {pattern} is paused at {' or '.join(hooks)}.")
        elif not found:
            owner, name = _resource(heat, stack, pattern.split("/"))
            for hook in hooks:
                _unset(heat, owner, name, hook)
        for one in found:
            _unset(heat, one.event.stack, one.event.resource, one.hook)
    return 0


def waiting(heat: Heat, stack: StackRef, depth: int) -> list[WaitingHook]:
    raw = heat.get(f"{stack.path}/events", {"sort_dir": "asc", "nested_depth": depth or None})["events"]
    tree = Tree(stack.name, stack.id)
    tree.expect(heat.get(f"{stack.path}/resources", {"nested_depth": depth or None})["resources"])
    return still_waiting(raw, tree)


def still_waiting(raw: Iterable[JsonMapping], tree: Tree) -> list[WaitingHook]:
    """The resources that are paused according to the events, oldest first."""
    held: dict[tuple[str, str, str], WaitingHook] = {}
    for one in raw:
        event = event_of(one)
        path = tree.see(event, 0.0)
        paused, cleared = _hook_after(_PAUSED, event.reason), _hook_after(_HOOK, event.reason)
        if event.of_stack and event.reason == f"Stack {event.status.removesuffix('_IN_PROGRESS')} started":
            held = {key: kept for key, kept in held.items() if key[0] != event.stack.id}
        elif paused:
            held[event.stack.id, event.resource, paused] = WaitingHook(event, path, paused)
        elif cleared:
            held.pop((event.stack.id, event.resource, cleared), None)
    return list(held.values())


def _hook_after(words: str, reason: str) -> str:
    """The hook named between the words and ` is cleared`, or an empty string."""
    hook, cleared, _ = reason.partition(words)[2].partition(_CLEARED)
    return hook if cleared and " " not in hook else ""


def _matching(held: Iterable[WaitingHook], pattern: list[str], hooks: list[str]) -> list[WaitingHook]:
    return [
        one
        for one in held
        if one.hook in hooks
        and len(one.path) == len(pattern)
        and all(fnmatchcase(name, part) for name, part in zip(one.path, pattern, strict=True))
    ]


def _is_pattern(text: str) -> bool:
    return any(char in text for char in "*?[")


def _hook_of(heat: Heat, stack: StackRef) -> str:
    """The hook of the action in progress."""
    state = heat.get(stack.path, {"resolve_outputs": "false"})["stack"]["stack_status"]
    action, _, progress = state.partition("_")
    hook = f"pre-{action.lower()}"
    if progress != "IN_PROGRESS" or hook not in HOOKS:
        raise CommandError(f"the stack {stack.name} is {state}: no resource is paused at a hook")
    return hook


def _resource(heat: Heat, stack: StackRef, names: list[str]) -> tuple[StackRef, str]:
    """The stack and the name of the resource with a path."""
    for name in names[:-1]:
        found = heat.get(stack.path + path_of("resources", name))["resource"]
        if not any(link.get("rel") == "nested" for link in found.get("links") or ()):
            raise CommandError(f"the resource {name} of {stack.name} is not a nested stack")
        stack = heat.find(found["physical_resource_id"])
    return stack, names[-1]


def _unset(heat: Heat, stack: StackRef, resource: str, hook: str) -> None:
    heat.post(f"{stack.path}{path_of('resources', resource)}/signal", {"unset_hook": hook})
    announce(f"Cleared the {hook} hook of {resource} in {stack.name}.")
