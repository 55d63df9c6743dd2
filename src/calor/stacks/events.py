"""Builds rows of events."""

from __future__ import annotations

from calor.resources.values import JsonObject
from calor.stacks.ids import new_id
from calor.store import records

STACK_TYPE = "OS::Heat::Stack"


def event_row(
    stack: records.Stack,
    name: str,
    type_name: str,
    physical_id: str | None,
    state: tuple[str, str],
    reason: str,
    at: float,
    properties: JsonObject | None = None,
) -> JsonObject:
    """An event of a resource, or of the stack itself; `state` is its action and its status."""
    action, status = state
    return {
        "id": new_id(),
        "stack": stack.id,
        "root": stack.root,
        "resource": name,
        "type": type_name,
        "physical_id": physical_id,
        "action": action,
        "status": status,
        "reason": reason,
        "at": at,
        "properties": properties,
    }


def stack_event_row(stack: records.Stack, at: float) -> JsonObject:
    """The event of a stack's own state."""
    return event_row(stack, stack.name, STACK_TYPE, stack.id, (stack.action, stack.status), stack.reason, at)
