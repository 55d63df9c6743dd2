"""The events of stacks."""

from __future__ import annotations

import json

from calor.api.cfn.actions import pages
from calor.api.cfn.actions.call import Call, find_stack
from calor.api.heat.views import moment
from calor.resources.values import JsonObject
from calor.service.queries.events import ShownEvent
from calor.service.queries.trees import StackPlace

LISTED = 100


def describe_stack_events(call: Call) -> JsonObject:
    """Those of one stack, or of all stacks of the project."""
    name = call.parameters.get("StackName")
    place = None
    if name is not None:
        stack = find_stack(call, name, deleted=True)
        place = StackPlace(stack.id, stack.name, stack.project, stack.parent, stack.parent_resource)
    found = call.queries.events.latest(place, call.caller.project, LISTED + 1, _before(call))
    return pages.result("StackEvents", found, LISTED, _shown, lambda one: one.event.seq)


def _before(call: Call) -> int | None:
    token = call.parameters.get("NextToken")
    if token is None:
        return None
    if not (token.isascii() and token.isdigit()) or len(token) > 18:
        raise pages.invalid_token()
    return int(token)


def _shown(shown: ShownEvent) -> JsonObject:
    one, stack = shown.event, shown.place
    return {
        "EventId": one.id,
        "LogicalResourceId": one.resource,
        "PhysicalResourceId": one.physical_id or "",
        "ResourceProperties": json.dumps(one.properties or {}),
        "ResourceStatusReason": one.reason,
        "ResourceType": one.type,
        "StackId": f"arn:openstack:heat::{stack.project}:stacks/{stack.name}/{stack.id}",
        "StackName": stack.name,
        "Timestamp": moment(one.at),
        "ResourceStatus": f"{one.action}_{one.status}",
    }
