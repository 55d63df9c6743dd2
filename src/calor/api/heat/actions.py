"""Actions on whole stacks, and snapshots of them."""

from __future__ import annotations

from calor.api.errors import BadRequest
from calor.api.heat import views
from calor.api.heat.common import STACK, find_stack
from calor.api.web import ACCEPTED, NO_CONTENT, NULL, Api, Call, Reply, Route
from calor.resources.values import JsonObject
from calor.store import records

ACTIONS = ("suspend", "resume", "check", "cancel_update", "cancel_without_rollback", "retry")
_SNAPSHOT = f"{STACK}/snapshots/{{snapshot_id}}"


def act(api: Api, call: Call) -> Reply:
    stack = find_stack(api, call)
    api.commands.stacks.act(call.caller, stack, _action(call))
    return NULL


def _action(call: Call) -> str:
    names = list(call.body)
    if len(names) != 1:
        raise BadRequest("Exactly one action must be specified." if names else "No action specified")
    if names[0] not in ACTIONS:
        raise BadRequest(f"Invalid action {names[0]} specified")
    return str(names[0])


def _rule(call: Call) -> str:
    return f"actions:{_action(call)}"


def create_snapshot(api: Api, call: Call) -> Reply:
    name = call.body.get("name")
    if name is not None and (not isinstance(name, str) or len(name) > 255):
        raise BadRequest("name must be a string of at most 255 characters.")
    stack = find_stack(api, call)
    return Reply(body=views.snapshot(api.commands.snapshots.create(call.caller, stack, name)))


def list_snapshots(api: Api, call: Call) -> Reply:
    stack = find_stack(api, call)
    found = [_shown(api, call, stack, one) for one in api.queries.snapshots.of(stack)]
    return Reply(body={"snapshots": found})


def show_snapshot(api: Api, call: Call) -> Reply:
    stack = find_stack(api, call)
    found = api.queries.snapshots.get(stack, call.path["snapshot_id"])
    return Reply(body={"snapshot": _shown(api, call, stack, found)})


def _shown(api: Api, call: Call, stack: records.Stack, snapshot: records.Snapshot) -> JsonObject:
    """A snapshot as shown to the caller: complete only for callers who may export the stack, since it has the same
    data."""
    if not api.policy.allows(call.caller, "stacks:export"):
        snapshot = api.queries.snapshots.without_secrets(stack, snapshot)
    return views.snapshot(snapshot)


def delete_snapshot(api: Api, call: Call) -> Reply:
    found = api.queries.snapshots.get(find_stack(api, call), call.path["snapshot_id"])
    api.commands.snapshots.delete(call.caller, found)
    return NO_CONTENT


def restore_snapshot(api: Api, call: Call) -> Reply:
    stack = find_stack(api, call)
    found = api.queries.snapshots.get(stack, call.path["snapshot_id"])
    api.commands.snapshots.restore(call.caller, stack, found)
    return ACCEPTED


ROUTES = (
    Route("POST", f"{STACK}/actions", act, _rule),
    Route("POST", f"{STACK}/snapshots", create_snapshot, "stacks:snapshot"),
    Route("GET", f"{STACK}/snapshots", list_snapshots, "stacks:list_snapshots"),
    Route("GET", _SNAPSHOT, show_snapshot, "stacks:show_snapshot"),
    Route("DELETE", _SNAPSHOT, delete_snapshot, "stacks:delete_snapshot"),
    Route("POST", f"{_SNAPSHOT}/restore", restore_snapshot, "stacks:restore_snapshot"),
)
