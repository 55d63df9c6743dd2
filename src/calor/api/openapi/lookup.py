"""Lookups, which redirect from a name to a URL."""

from __future__ import annotations

from calor.api.openapi.vocabulary import Answer, Family, Operation, ref

_FOUND = Answer(
    "The stack, or its part, is at another URL. Use the same method there.",
    ref("Notice"),
    headers={"Location": "The URL, with the query of the request."},
)
_VERBS = {
    "GET": "find",
    "POST": "find_to_post",
    "PUT": "find_to_update",
    "PATCH": "find_to_patch",
    "DELETE": "find_to_delete",
}
_PARTS = {
    "GET": ("resources", "events", "template", "actions", "environment", "files"),
    "POST": ("resources", "events", "template", "actions"),
}


def _lookup(id: str) -> Operation:
    return Operation(id, "Finds a stack by its name, id or ARN", {302: _FOUND})


FAMILY = Family(
    "lookup",
    "Redirects from a stack's name, id or ARN to its URL.",
    {
        **{f"{method} /stacks/{{stack_name}}": _lookup(f"{verb}_stack") for method, verb in _VERBS.items()},
        **{
            f"{method} /stacks/{{stack_name}}/{part}": _lookup(f"{_VERBS[method]}_{part}")
            for method, parts in _PARTS.items()
            for part in parts
        },
    },
)
