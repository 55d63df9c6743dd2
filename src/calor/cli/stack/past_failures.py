"""Finds the failures that only events still show, such as those before a rollback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from calor.cli.api.client import ApiError, Heat, StackRef, path_of
from calor.cli.json_values import JsonMapping
from calor.cli.stack.following import Event, event_of
from calor.cli.stack.tree import Tree

_DEEPEST = 50
_ROLLBACK = "ROLLBACK_"


def of_last_action(heat: Heat, stack: StackRef, tree: Tree) -> list[tuple[tuple[str, ...], Event]]:
    """The root causes in the last action that was not a rollback, with the paths of their resources."""
    query = {"sort_dir": "desc", "nested_depth": _DEEPEST}
    latest = map(event_of, heat.pages(f"{stack.path}/events", "events", query, None))
    events = list(reversed(list(_since_start(latest, stack))))
    return root_causes(events, tree)


def type_of(heat: Heat, event: Event) -> str:
    """The resource type of an event, which lists of events leave out."""
    try:
        path = path_of("resources", event.resource, "events", event.id)
        return str(heat.get(event.stack.path + path)["event"].get("resource_type") or "")
    except ApiError:
        return ""


def root_causes(events: Sequence[Event], tree: Tree) -> list[tuple[tuple[str, ...], Event]]:
    """The first failure of each resource, oldest first, without those caused by a failure in a nested stack."""
    seen = [(tree.see(event, 0.0), event) for event in events]
    found: dict[tuple[str, ...], Event] = {}
    for path, event in seen:
        if event.status.endswith("_FAILED") and not event.of_stack and path:
            found.setdefault(path, event)
    above = {path[:length] for path in found for length in range(1, len(path))}
    return [(path, event) for path, event in found.items() if path not in above]


def _since_start(latest_first: Iterable[Event], stack: StackRef) -> Iterator[Event]:
    for event in latest_first:
        own = event.of_stack and event.stack.id == stack.id
        if own and event.status.startswith(_ROLLBACK):
            continue
        yield event
        if own and event.status.endswith("_IN_PROGRESS"):
            return


def was_rolled_back(shown: JsonMapping) -> bool:
    return str(shown.get("stack_status") or "").startswith(_ROLLBACK)
