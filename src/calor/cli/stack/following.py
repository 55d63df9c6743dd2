"""Events of a stack as they come: from the service's stream, or asked for again and again where there is none."""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import unquote

from calor.cli.api.client import ApiError, Heat, StackRef
from calor.cli.api.patience import Patience, patiently
from calor.cli.errors import CommandError
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
    """The events behind the one with an id, until the stack's action has ended; or for ever. A service that cannot be
    reached for a while is waited for. Raises CommandError."""
    seen: set[str] = set()
    for event in _followed(heat, stack, after, poll, until_done):
        if event.id not in seen:
            seen.add(event.id)
            yield event


def _followed(
    heat: Heat, stack: StackRef, after: str | None, poll: float, until_done: bool
) -> Iterator[Event]:
    patience = Patience()
    ended, last = yield from _streamed(heat, stack, after, until_done, patience)
    # An action that ended before any event may not have begun yet.
    if not ended or (until_done and last == after):
        yield from _polled(heat, stack, last, poll, until_done, patience)


def _streamed(
    heat: Heat, stack: StackRef, after: str | None, until_done: bool, patience: Patience
) -> Generator[Event, None, tuple[bool, str | None]]:
    """Whether the service said that this is the end, and the id of the last event; it said nothing if it has no
    stream, or none that lasts. A stream that breaks is taken up where it broke."""
    number, last = after or "", after
    breaks = 0
    query = {"until": "complete" if until_done else None}
    while breaks < _MOST_BREAKS:
        try:
            lines = heat.stream(f"{stack.path}/events/stream", query, number, _SILENCE)
        except CommandError as error:
            # What is wrong besides is told by the next request, which is for a list.
            if not error.may_pass or not patience.lasts():
                break
            continue
        for message in _messages(lines):
            patience.heard()
            breaks = 0
            if message.get("event") == "end":
                return True, last
            if message.get("event") == "event":
                event = event_of(json.loads(message["data"]))
                number, last = message.get("id", number), event.id
                yield event
        breaks += 1
        if not patience.lasts():
            break
    return False, last


def _messages(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """What stands before each empty line; a sign of life is a message as well."""
    fields: dict[str, str] = {}
    for line in lines:
        if not line:
            yield fields
            fields = {}
        else:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")


def _polled(
    heat: Heat, stack: StackRef, after: str | None, poll: float, until_done: bool, patience: Patience
) -> Iterator[Event]:
    marker = after
    empty = 0
    while True:
        found = patiently(partial(_listed, heat, stack, marker), patience)
        if found is None:
            return
        events = [event_of(raw) for raw in found]
        yield from events
        marker = events[-1].id if events else marker
        empty = 0 if events else empty + 1
        ended = any(event.of_stack and progress_of(event.status) != "IN_PROGRESS" for event in events)
        if (
            until_done
            and (ended or empty >= _EMPTY_POLLS)
            and not patiently(lambda: state_of(heat, stack), patience).endswith("IN_PROGRESS")
        ):
            return
        time.sleep(poll)


def _listed(heat: Heat, stack: StackRef, marker: str | None) -> list[Mapping[str, Any]] | None:
    """The events behind one, or None if the stack is gone."""
    query = {"sort_dir": "asc", "nested_depth": _DEEPEST, "marker": marker}
    try:
        found: list[Mapping[str, Any]] = heat.get(f"{stack.path}/events", query)["events"]
    except ApiError as error:
        if error.status != 404:
            raise
        # There may be no events yet.
        return None if state_of(heat, stack) == "DELETE_COMPLETE" else []
    return found


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
    """Waits without a word; the state then. Raises CommandError."""
    while (state := patiently(lambda: state_of(heat, stack))).endswith("IN_PROGRESS"):
        time.sleep(poll)
    return state
