"""The events of a stack: pages of them, and a stream of them as they happen."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from calor.api.errors import BadRequest
from calor.api.heat import views
from calor.api.heat.common import STACK, page, the_stack
from calor.api.web import Api, Call, Reply, Route
from calor.service.errors import NotFound
from calor.service.queries.events import EventFilter, News, ShownEvent
from calor.service.queries.trees import Place
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
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def index(api: Api, call: Call) -> Reply:
    query = call.query
    depth = query.number("nested_depth")
    equal = {column: query.all(name) for name, column in _FILTERS.items() if query.all(name)}
    resource = call.path.get("resource_name")
    if resource is not None:
        equal["resource"] = [resource]
    stack = the_stack(api, call, deleted=True)
    part = page(query, _SORT_KEYS)
    found = api.queries.events.of(stack, EventFilter(equal), part, depth=depth or 0)
    if resource is not None and not found:
        raise NotFound("Resource", resource)
    root = stack if depth else None
    return Reply(body={"events": [views.event(call.base, one, root) for one in found]})


def show(api: Api, call: Call) -> Reply:
    stack = the_stack(api, call, deleted=True)
    found = api.queries.events.show(stack, call.path["resource_name"], call.path["event_id"])
    place = Place(stack.id, stack.name, stack.project, stack.parent, stack.parent_resource)
    shown = views.event(call.base, ShownEvent(found, place))
    shown["resource_type"] = found.type
    shown["resource_properties"] = found.properties or {}
    return Reply(body={"event": shown})


def stream(api: Api, call: Call) -> Response:
    """Server-sent events: each event of the stack and of those below it, as long as somebody listens or, with
    `until=complete`, until its action has ended. They start behind the one of which `since` or Last-Event-ID
    gives the number or the id, else with the first that there is."""
    told = (call.headers.get("last-event-id"), call.query.get("since"))
    given = [value for value in told if value is not None]
    until = call.query.get("until")
    if until not in (None, "complete"):
        raise BadRequest("until must be complete, if it is given.")
    stack = the_stack(api, call, deleted=True)
    numbers = [_number(api, stack, value) for value in given]
    return StreamingResponse(
        _told(api, call.base, stack, numbers[0] if numbers else 0, ends=until is not None),
        media_type="text/event-stream",
        # Proxies would else hold events back to send many at once.
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def _number(api: Api, stack: records.Stack, given: str) -> int:
    if given.isascii() and given.isdigit() and len(given) < 19:
        return int(given)
    if not _ID.fullmatch(given):
        raise BadRequest("since must be the number or the id of an event.")
    number = api.queries.events.number(stack, given)
    if number is None:
        raise NotFound("Event", given)
    return number


async def _told(api: Api, base: str, stack: records.Stack, number: int, *, ends: bool) -> AsyncIterator[str]:
    silent = 0.0
    while True:
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


def _message(kind: str, data: dict[str, Any], number: int | None = None) -> str:
    head = f"event: {kind}\n" if number is None else f"id: {number}\nevent: {kind}\n"
    return f"{head}data: {json.dumps(data)}\n\n"


ROUTES = (
    Route("GET", f"{STACK}/events", index, "events:index"),
    Route("GET", f"{STACK}/events/stream", stream, "events:index"),
    Route("GET", f"{_RESOURCE}/events", index, "events:index"),
    Route("GET", f"{_RESOURCE}/events/{{event_id}}", show, "events:show"),
)
