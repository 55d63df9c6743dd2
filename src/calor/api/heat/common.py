"""Helpers for handlers."""

from __future__ import annotations

from calor.api import metadata
from calor.api.errors import BadRequest
from calor.api.web import Api, Call, Query
from calor.service.queries.paging import Page
from calor.store import records

STACK = "/stacks/{stack_name}/{stack_id}"

ACTIONS = frozenset(
    {"CREATE", "DELETE", "UPDATE", "ROLLBACK", "SUSPEND", "RESUME", "ADOPT", "SNAPSHOT", "CHECK", "RESTORE"}
)


def find_stack(api: Api, call: Call, *, deleted: bool = False, for_users: bool = False) -> records.Stack:
    """The stack of the path; with `for_users`, also for users that the stack has created."""
    return api.queries.stacks.get(
        call.caller, call.path["stack_name"], call.path["stack_id"], deleted=deleted, for_users=for_users
    )


def sees_credentials(api: Api, call: Call) -> bool:
    """Whether the caller sees credentials of resources."""
    return metadata.sees_credentials(api, call.caller)


def record_fetch(api: Api, call: Call, server: str) -> None:
    """Notes that an agent has read the deployments of its server."""
    metadata.record_fetch(api, call.caller, server)


def page(query: Query, keys: dict[str, str]) -> Page:
    """The requested page. `keys` maps the API's sort keys to those of the query; others are ignored."""
    direction = query.get("sort_dir")
    if direction not in (None, "", "asc", "desc"):
        raise BadRequest(f'Unrecognized value "{direction}" for "sort_dir", acceptable values are: asc, desc')
    wanted = [key for value in query.all("sort_keys") for key in value.split(",")]
    return Page(
        limit=query.number("limit"),
        marker=query.get("marker") or None,
        sort_keys=tuple(keys[key] for key in wanted if key in keys),
        descending=None if not direction else direction == "desc",
    )


def state_filters(given: dict[str, list[str]]) -> dict[str, list[str]]:
    """Filters in which a status may include the action: CREATE_COMPLETE."""
    made = {name: list(values) for name, values in given.items() if name != "status"}
    for value in given.get("status", ()):
        action, _, rest = value.partition("_")
        if rest and action in ACTIONS:
            made.setdefault("action", []).append(action)
            value = rest
        made.setdefault("status", []).append(value)
    return made
