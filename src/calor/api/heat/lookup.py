"""Redirects from a stack's name, id or ARN to its URL."""

from __future__ import annotations

from functools import partial
from urllib.parse import quote

from calor.api.addresses import stack_url
from calor.api.errors import notice
from calor.api.web import Api, Call, Reply, Route

_PARTS = {
    "GET": ("resources", "events", "template", "actions", "environment", "files"),
    "POST": ("resources", "events", "template", "actions"),
}


def lookup(api: Api, call: Call, part: str = "") -> Reply:
    """`part` is the part of the route after the stack; an ARN may also include a path below the stack."""
    found = api.queries.stacks.find(call.caller, call.path["stack_name"])
    address = stack_url(call.base, found.stack) + (f"/{part}" if part else quote(found.path))
    if call.raw_query:
        address = f"{address}?{call.raw_query}"
    return Reply(302, notice(302), {"Location": address})


ROUTES = (
    *(
        Route(method, f"/stacks/{{stack_name}}/{part}", partial(lookup, part=part), "stacks:lookup")
        for method, parts in _PARTS.items()
        for part in parts
    ),
    *(
        Route(method, f"/stacks/{path}", lookup, "stacks:lookup")
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
        for path in ("{stack_name}", "{stack_name:arn}")
    ),
)
