"""The events of a stack, in pages and as a stream."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from calor.api.errors import BadRequest, status_of
from calor.api.heat import views
from calor.api.heat.common import STACK, find_stack, page
from calor.api.web import Api, Call, Reply, Route
from calor.resources.values import JsonObject
from calor.service.errors import NotFound, ServiceError
from calor.service.queries.events import EventFilter, News, ShownEvent
from calor.service.queries.trees import StackPlace
from calor.store import records

_FILTERS = {
    "resource_status": "status",
    "resource_action": "action",
    "resource_name": "resource",
    "resource_type": "type",
}
_SORT_KEYS = {"event_time": "time", "resource_type": "type"}
_RESOURCE = f"{STACK}/resources/{{resource_name}}"
KEEP_ALIVE_SECONDS = 15.0
CHECKED_SECONDS = 60.0
"""How often it is looked whether who reads a stream still may."""
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def index(api: Api, call: Call) -> Reply:
    query = call.query
    depth = query.number("nested_depth")
    equal = {column: query.all(name) for name, column in _FILTERS.items() if query.all(name)}
    resource = call.path.get("resource_name")
    if resource is not None:
        equal["resource"] = [resource]
    stack = find_stack(api, call, deleted=True)
    part = page(query, _SORT_KEYS)
    found = api.queries.events.of(stack, EventFilter(equal), part, depth=depth or 0)
    if resource is not None and not found:
        raise NotFound("Resource", resource)
    root = stack if depth else None
    return Reply(body={"events": [views.event(call.base, one, root) for one in found]})


def show(api: Api, call: Call) -> Reply:
    stack = find_stack(api, call, deleted=True)
    found = api.queries.events.show(stack, call.path["resource_name"], call.path["event_id"])
    place = StackPlace(stack.id, stack.name, stack.project, stack.parent, stack.parent_resource)
    shown = views.event(call.base, ShownEvent(found, place))
    shown["resource_type"] = found.type
    shown["resource_properties"] = found.properties or {}
    return Reply(body={"event": shown})


def stream(api: Api, call: Call) -> Response:
    """Server-sent events: the events of the stack and its nested stacks, until the client disconnects or, with
    `until=complete`, until the action has ended. They start after the event whose number or id is given by `since` or
    Last-Event-ID, else with the first event."""
    starts = (call.headers.get("last-event-id"), call.query.get("since"))
    given = [value for value in starts if value is not None]
    until = call.query.get("until")
    if until not in (None, "complete"):
        raise BadRequest("until can only be complete.")
    stack = find_stack(api, call, deleted=True)
    numbers = [_number(api, stack, value) for value in given]
    return api.streams.response(
        call.caller.home,
        _told(api, call.base, stack, numbers[0] if numbers else 0, ends=until is not None),
        media_type="text/event-stream",
        # Otherwise proxies would buffer events.
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def _number(api: Api, stack: records.Stack, given: str) -> int:
    if given.isascii() and given.isdigit() and len(given) < 19:
        return int(given)
    if not _ID.fullmatch(given):
        raise BadRequest("since must be the number or id of an event.")
    number = api.queries.events.number(stack, given)
    if number is None:
        raise NotFound("Event", given)
    return number


async def _told(api: Api, base: str, stack: records.Stack, number: int, *, ends: bool) -> AsyncIterator[str]:
    silent = 0.0
    checked = time.monotonic()
    while True:
        if time.monotonic() - checked >= CHECKED_SECONDS:
            if not await run_in_threadpool(_may_read, api):
                return
            checked = time.monotonic()
        news: News = await run_in_threadpool(api.queries.events.since, stack, number)
        for one in news.events:
            shown = {**views.event(base, one), "resource_type": one.event.type}
            yield _message("event", shown, one.event.seq)
        number = news.number
        if news.gone or (ends and news.ended):
            yield _message("end", {"stack_id": stack.id})
            return
        silent = 0.0 if news.events else silent + api.settings.poll_seconds
        if silent >= KEEP_ALIVE_SECONDS:
            silent = 0.0
            yield ":\n\n"
        await asyncio.sleep(api.settings.poll_seconds)


def _may_read(api: Api) -> bool:
    """Whether the caller still has access. An outage of the identity service does not end streams."""
    try:
        api.check_caller()
    except ServiceError as error:
        return status_of(error) not in (401, 403)
    return True


def _message(kind: str, data: JsonObject, number: int | None = None) -> str:
    head = f"event: {kind}\n" if number is None else f"id: {number}\nevent: {kind}\n"
    return f"{head}data: {json.dumps(data)}\n\n"


ROUTES = (
    Route("GET", f"{STACK}/events", index, "events:index"),
    Route("GET", f"{STACK}/events/stream", stream, "events:index"),
    Route("GET", f"{_RESOURCE}/events", index, "events:index"),
    Route("GET", f"{_RESOURCE}/events/{{event_id}}", show, "events:show"),
)
