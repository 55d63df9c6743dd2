"""The resources of stacks."""

from __future__ import annotations

from calor.api.cfn.actions import pages
from calor.api.cfn.actions.call import Call, find_stack
from calor.api.cfn.errors import Refused
from calor.api.heat.views import moment
from calor.api.metadata import metadata_of
from calor.resources.values import JsonObject
from calor.service.errors import NotFound
from calor.service.queries.resources import ResourceFilter, ResourceLine, ShownResource
from calor.store import records

LISTED = 1000


def describe_stack_resource(call: Call) -> JsonObject:
    """Also for users of the stack, who may read their own resource: agents on servers read its metadata here."""
    name = call.parameters.need("LogicalResourceId")
    stack = find_stack(call, for_users=True)
    metadata = metadata_of(call, call.caller, stack, name)
    found = call.queries.resources.get(stack, name)
    return {
        "StackResourceDetail": {
            "Description": _description(call, stack, name),
            "LastUpdatedTimestamp": _changed(found),
            **_resource(found),
            "Metadata": metadata,
            **_of_stack(stack),
        }
    }


def describe_stack_resources(call: Call) -> JsonObject:
    stack = _described_stack(call)
    name = call.parameters.get("LogicalResourceId")
    wanted = ResourceFilter(equal={"name": [name]} if name is not None else {})
    found = call.queries.resources.of(stack, wanted=wanted)
    if name is not None and not found:
        raise NotFound("Resource", name)
    return {"StackResources": [_described(call, stack, one) for one in found]}


def _described_stack(call: Call) -> records.Stack:
    name, physical = call.parameters.get("StackName"), call.parameters.get("PhysicalResourceId")
    if name is not None and physical is not None:
        message = "StackName and PhysicalResourceId exclude each other."
        raise Refused("InvalidParameterCombination", message)
    if physical is not None:
        return call.queries.stacks.containing(call.caller, physical)
    return find_stack(call, deleted=True)


def _described(call: Call, stack: records.Stack, shown: ShownResource) -> JsonObject:
    line = shown.line
    return {
        "Description": _description(call, stack, line.name),
        **_resource(line),
        **_of_stack(stack),
        "Timestamp": _changed(line),
    }


def list_stack_resources(call: Call) -> JsonObject:
    found = call.queries.resources.of(find_stack(call, deleted=True))
    token = call.parameters.get("NextToken")
    if token is not None:
        after = [number for number, one in enumerate(found, 1) if one.line.name == token]
        if not after:
            raise pages.invalid_token()
        found = found[after[0] :]
    return pages.result("StackResourceSummaries", found, LISTED, _summary, lambda one: one.line.name)


def _summary(shown: ShownResource) -> JsonObject:
    return {"LastUpdatedTimestamp": _changed(shown.line), **_resource(shown.line)}


def _description(call: Call, stack: records.Stack, name: str) -> str:
    declared = call.queries.definitions.of(stack).resources.get(name)
    return declared.description if declared is not None else ""


def _resource(shown: ResourceLine | records.Resource) -> JsonObject:
    return {
        "LogicalResourceId": shown.name,
        "PhysicalResourceId": shown.physical_id or "",
        "ResourceStatusReason": shown.reason,
        "ResourceType": shown.type,
        "ResourceStatus": f"{shown.action}_{shown.status}",
    }


def _of_stack(stack: records.Stack) -> JsonObject:
    return {"StackId": stack.arn, "StackName": stack.name}


def _changed(shown: ResourceLine | records.Resource) -> str | None:
    return moment(shown.updated_at if shown.updated_at is not None else shown.created_at)
