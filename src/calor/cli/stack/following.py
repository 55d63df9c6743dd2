"""Events of a stack as they come: from the service's stream, or asked for again and again where there is none."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from calor.cli.api.client import ApiError, Heat, StackRef
from calor.cli.render.states import progress_of

_SILENCE = 60.0
"""The stream sends a sign of life every 15 seconds."""
_DEEPEST = 50
_MOST_BREAKS = 5
_EMPTY_POLLS = 2


@dataclass(frozen=True, slots=True)
class Event:
    id: str
    time: str
    resource: str
    status: str
    reason: str
    physical_id: str
    stack: StackRef
    """The stack that the resource is in; of a stack's own event, the stack itself."""

    @property
    def of_stack(self) -> bool:
        return self.resource == self.stack.name and self.physical_id == self.stack.id


def event_of(raw: Mapping[str, Any]) -> Event:
    links = {link.get("rel"): link.get("href", "") for link in raw.get("links") or ()}
    parts = links.get("stack", "").partition("/stacks/")[2].split("/")
    name, id = (unquote(parts[0]), unquote(parts[1])) if len(parts) > 1 else ("", "")
    return Event(
        raw["id"],
        raw.get("event_time") or "",
        raw.get("resource_name") or "",
        raw.get("resource_status") or "",
        raw.get("resource_status_reason") or "",
        raw.get("physical_resource_id") or "",
        StackRef(name, id),
    )


def newest(heat: Heat, stack: StackRef) -> str | None:
    """The id of the last event of a stack and of those below it."""
    found = heat.get(f"{stack.path}/events", {"limit": 1, "sort_dir": "desc", "nested_depth": _DEEPEST})[
        "events"
    ]
    return found[0]["id"] if found else None


def follow(
    heat: Heat, stack: StackRef, after: str | None, *, poll: float = 1.0, until_done: bool = True
) -> Iterator[Event]:
    """The events behind the one with an id, until the stack's action has ended; or for ever."""
    seen: set[str] = set()
    last = after
    streamed = False
    for event in _streamed(heat, stack, after, until_done):
        streamed = True
        if event.id not in seen:
            seen.add(event.id)
            last = event.id
            yield event
    if streamed and until_done:
        return
    for event in _polled(heat, stack, last, poll, until_done):
        if event.id not in seen:
            seen.add(event.id)
            yield event


def _streamed(heat: Heat, stack: StackRef, after: str | None, until_done: bool) -> Iterator[Event]:
    """Nothing at all if the service has no stream. A stream that breaks is taken up where it broke."""
    number = after or ""
    for _ in range(_MOST_BREAKS):
        headers = {**heat.headers(), "Accept": "text/event-stream"}
        if number:
            headers["Last-Event-ID"] = number
        query = "?until=complete" if until_done else ""
        refused, lines = heat.http.lines(f"{heat.url}{stack.path}/events/stream{query}", headers, _SILENCE)
        if refused is not None:
            return
        kind = ""
        for line in lines:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "id":
                number = value
            elif name == "event":
                kind = value
            elif name == "data" and kind == "event":
                yield event_of(json.loads(value))
            elif name == "data" and kind == "end":
                return


def _polled(heat: Heat, stack: StackRef, after: str | None, poll: float, until_done: bool) -> Iterator[Event]:
    marker = after
    empty = 0
    while True:
        try:
            found = heat.get(
                f"{stack.path}/events",
                {"sort_dir": "asc", "nested_depth": _DEEPEST, **({"marker": marker} if marker else {})},
            )["events"]
        except ApiError as error:
            # A stack that has no events yet, and one that is gone.
            if error.status != 404 or state_of(heat, stack) == "DELETE_COMPLETE":
                return
            found = []
        events = [event_of(raw) for raw in found]
        yield from events
        marker = events[-1].id if events else marker
        empty = 0 if events else empty + 1
        ended = any(event.of_stack and progress_of(event.status) != "IN_PROGRESS" for event in events)
        if (
            until_done
            and (ended or empty >= _EMPTY_POLLS)
            and not state_of(heat, stack).endswith("IN_PROGRESS")
        ):
            return
        time.sleep(poll)


def state_of(heat: Heat, stack: StackRef) -> str:
    """`CREATE_COMPLETE`; a stack that cannot be found was deleted."""
    return str(shown_stack(heat, stack).get("stack_status", "DELETE_COMPLETE"))


def shown_stack(heat: Heat, stack: StackRef, *, outputs: bool = False) -> dict[str, Any]:
    """The stack as it is, or an empty one if it is gone."""
    try:
        query = {} if outputs else {"resolve_outputs": "false"}
        found: dict[str, Any] = heat.get(stack.path, query)["stack"]
    except ApiError as error:
        if error.status == 404:
            return {}
        raise
    return found


def wait(heat: Heat, stack: StackRef, poll: float = 1.0) -> str:
    """Waits without a word; the state then."""
    while (state := state_of(heat, stack)).endswith("IN_PROGRESS"):
        time.sleep(poll)
    return state
