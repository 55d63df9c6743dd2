"""Follows the events of a stack: by the service's event stream, or by polling a service without one."""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from urllib.parse import unquote

from calor.cli.api.client import ApiError, Heat, StackRef
from calor.cli.api.retries import RequestRetries, with_retries
from calor.cli.errors import CommandError
from calor.cli.json_values import JsonMapping, JsonObject
from calor.cli.render.states import progress_of

_SILENCE = 60.0
"""How long a stream may be silent; the service sends a keep-alive every 15 seconds."""
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
    """The stack of the resource; for an event of a stack, the stack itself."""

    @property
    def of_stack(self) -> bool:
        return self.resource == self.stack.name and self.physical_id == self.stack.id


def event_of(raw: JsonMapping) -> Event:
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
    """The id of the last event of a stack and its nested stacks."""
    found = heat.get(f"{stack.path}/events", {"limit": 1, "sort_dir": "desc", "nested_depth": _DEEPEST})[
        "events"
    ]
    return found[0]["id"] if found else None


def follow(
    heat: Heat, stack: StackRef, after: str | None, *, poll: float = 1.0, until_done: bool = True
) -> Iterator[Event]:
    """The events after the one with the id `after`, until the stack's action has ended or, without `until_done`,
    forever. Retries for a while if the service is unavailable. Raises CommandError."""
    seen: set[str] = set()
    for event in _followed(heat, stack, after, poll, until_done):
        if event.id not in seen:
            seen.add(event.id)
            yield event


def _followed(
    heat: Heat, stack: StackRef, after: str | None, poll: float, until_done: bool
) -> Iterator[Event]:
    retries = RequestRetries()
    ended, last = yield from _streamed(heat, stack, after, until_done, retries)
    # A stack without new events may not have started its action yet.
    if not ended or (until_done and last == after):
        yield from _polled(heat, stack, last, poll, until_done, retries)


def _streamed(
    heat: Heat, stack: StackRef, after: str | None, until_done: bool, retries: RequestRetries
) -> Generator[Event, None, tuple[bool, str | None]]:
    """Returns whether the service ended the stream, and the id of the last event. It has not if there is no stream or
    it breaks repeatedly. A broken stream is resumed where it broke."""
    number, last = after or "", after
    breaks = 0
    query = {"until": "complete" if until_done else None}
    while breaks < _MOST_BREAKS:
        try:
            lines = heat.stream(f"{stack.path}/events/stream", query, number, _SILENCE)
        except CommandError as error:
            # Other errors are reported when polling starts.
            if not error.is_temporary or not retries.wait():
                break
            continue
        for message in _messages(lines):
            retries.succeeded()
            breaks = 0
            if message.get("event") == "end":
                return True, last
            if message.get("event") == "event":
                event = event_of(json.loads(message["data"]))
                number, last = message.get("id", number), event.id
                yield event
        breaks += 1
        if not retries.wait():
            break
    return False, last


def _messages(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """The fields of each server-sent event, including the empty ones of keep-alives."""
    fields: dict[str, str] = {}
    for line in lines:
        if not line:
            yield fields
            fields = {}
        else:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")


def _polled(
    heat: Heat, stack: StackRef, after: str | None, poll: float, until_done: bool, retries: RequestRetries
) -> Iterator[Event]:
    marker = after
    empty = 0
    while True:
        found = with_retries(partial(_listed, heat, stack, marker), retries)
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
            and not with_retries(lambda: state_of(heat, stack), retries).endswith("IN_PROGRESS")
        ):
            return
        time.sleep(poll)


def _listed(heat: Heat, stack: StackRef, marker: str | None) -> list[JsonMapping] | None:
    """The events after the one with the id `marker`, or None if the stack no longer exists."""
    query = {"sort_dir": "asc", "nested_depth": _DEEPEST, "marker": marker}
    try:
        found: list[JsonMapping] = heat.get(f"{stack.path}/events", query)["events"]
    except ApiError as error:
        if error.status != 404:
            raise
        # The stack may not have any events yet.
        return None if state_of(heat, stack) == "DELETE_COMPLETE" else []
    return found


def state_of(heat: Heat, stack: StackRef) -> str:
    """A state such as `CREATE_COMPLETE`; DELETE_COMPLETE if there is no such stack."""
    return str(shown_stack(heat, stack).get("stack_status", "DELETE_COMPLETE"))


def shown_stack(heat: Heat, stack: StackRef, *, outputs: bool = False) -> JsonObject:
    """The stack as the API shows it; empty if it no longer exists."""
    try:
        query = {} if outputs else {"resolve_outputs": "false"}
        found: JsonObject = heat.get(stack.path, query)["stack"]
    except ApiError as error:
        if error.status == 404:
            return {}
        raise
    return found


def wait(heat: Heat, stack: StackRef, poll: float = 1.0) -> str:
    """Waits without showing progress and returns the final state. Raises CommandError."""
    while (state := with_retries(lambda: state_of(heat, stack))).endswith("IN_PROGRESS"):
        time.sleep(poll)
    return state
