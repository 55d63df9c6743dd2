"""The events of a stack."""

from __future__ import annotations

from calor.api.openapi.common import LINKS, STATE, number, paging, repeated, sorting
from calor.api.openapi.vocabulary import (
    ANY,
    MAP,
    TEXT,
    TEXT_OR_NULL,
    TIME,
    Answer,
    Family,
    Link,
    Operation,
    Parameter,
    Schema,
    described,
    items,
    one_of,
    record,
    ref,
    wrapped,
)

_STACK = "/stacks/{stack_name}/{stack_id}"
_RESOURCE = f"{_STACK}/resources/{{resource_name}}"
_NUMBER: Schema = {
    "type": "string",
    "pattern": "^([0-9]{1,18}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$",
}
_EVENT: dict[str, Schema] = {
    "id": TEXT,
    "event_time": TIME,
    "resource_name": described(TEXT, "The name of the stack, for an event of the whole stack."),
    "logical_resource_id": TEXT,
    "physical_resource_id": TEXT_OR_NULL,
    "resource_status": STATE,
    "resource_status_reason": TEXT,
    "links": described(LINKS, "Links to the event, its resource and its stack."),
}
_PARAMETERS = (
    *paging("event"),
    *sorting("event_time", "resource_type"),
    number("nested_depth", "The number of levels of nested stacks to include."),
    *(
        repeated(name, "Only events with one of these values.")
        for name in ("resource_status", "resource_action", "resource_name", "resource_type")
    ),
)
_LIST = Answer(
    "The events, newest first unless sorted otherwise.",
    wrapped("events", items(ref("Event"))),
    links={
        "first": Link(
            "show_event",
            {
                "stack_name": "$request.path.stack_name",
                "stack_id": "$request.path.stack_id",
                "resource_name": "$response.body#/events/0/resource_name",
                "event_id": "$response.body#/events/0/id",
            },
        )
    },
)

FAMILY = Family(
    "events",
    "The events of a stack and its resources.",
    {
        f"GET {_STACK}/events": Operation(
            "list_events", "Lists events of a stack", {200: _LIST}, _PARAMETERS
        ),
        f"GET {_STACK}/events/stream": Operation(
            "stream_events",
            "Streams events",
            {
                200: Answer(
                    "Server-sent events: `event` has an event as its data, `end` is the last one.",
                    ANY,
                    media_type="text/event-stream",
                )
            },
            (
                Parameter("since", _NUMBER, "The number or id of the event after which to start."),
                Parameter(
                    "until", one_of("complete"), "Ends the stream when the action in progress has ended."
                ),
                Parameter("Last-Event-ID", _NUMBER, "Like `since`; sent by browsers.", "header"),
            ),
            refusals=(429,),
        ),
        f"GET {_RESOURCE}/events": Operation(
            "list_events_of_resource", "Lists events of a resource", {200: _LIST}, _PARAMETERS
        ),
        f"GET {_RESOURCE}/events/{{event_id}}": Operation(
            "show_event",
            "Shows an event",
            {
                200: Answer(
                    "The event.",
                    wrapped("event", record({**_EVENT, "resource_type": TEXT, "resource_properties": MAP})),
                )
            },
        ),
    },
    {"Event": record(_EVENT)},
)
