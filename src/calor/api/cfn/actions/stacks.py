"""Stacks: list, describe, create, update, cancel, delete."""

from __future__ import annotations

import re
from functools import partial

from calor.api.cfn.actions import pages
from calor.api.cfn.actions.call import Call, find_stack, log_ignored, stack_parameters, template_of
from calor.api.cfn.errors import Refused, invalid
from calor.api.cfn.rendering import text
from calor.api.heat.common import ACTIONS
from calor.api.heat.views import moment
from calor.resources.values import JsonObject
from calor.service.commands import NewStack, StackChange
from calor.service.errors import NotFound
from calor.service.queries.paging import Page
from calor.service.queries.stacks import StackFilter, StackLine
from calor.store import records

LISTED = 500
DESCRIBED = 100
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_STATUSES = frozenset({"IN_PROGRESS", "COMPLETE", "FAILED"})


def list_stacks(call: Call) -> JsonObject:
    states = tuple(map(_state, call.parameters.members("StackStatusFilter")))
    wanted = StackFilter(states=states, deleted=any(action == "DELETE" for action, _ in states))
    found = call.queries.stacks.page(call.caller, wanted, Page(LISTED + 1, _marker(call)))
    return pages.result("StackSummaries", found, LISTED, _summary, lambda line: line.id)


def _state(given: str) -> tuple[str, str]:
    action, _, status = given.partition("_")
    if action not in ACTIONS or status not in _STATUSES:
        raise invalid(f"{given!r} is not the status of a stack.")
    return action, status


def _marker(call: Call) -> str | None:
    token = call.parameters.get("NextToken")
    if token is not None and not _ID.match(token):
        raise pages.invalid_token()
    return token


def _summary(stack: StackLine) -> JsonObject:
    return {
        "CreationTime": moment(stack.created_at),
        **_if_known("LastUpdatedTime", moment(stack.updated_at)),
        **_if_known("DeletionTime", moment(stack.deleted_at)),
        "StackId": f"arn:openstack:heat::{stack.project}:stacks/{stack.name}/{stack.id}",
        "StackName": stack.name,
        "StackStatusReason": stack.reason,
        "StackStatus": f"{stack.action}_{stack.status}",
        "TemplateDescription": stack.description,
    }


def describe_stacks(call: Call) -> JsonObject:
    name = call.parameters.get("StackName")
    if name is not None:
        return {"Stacks": [_described(call, find_stack(call, name, deleted=True))]}
    found = call.queries.stacks.page(call.caller, StackFilter(), Page(DESCRIBED + 1, _marker(call)))
    return pages.result("Stacks", found, DESCRIBED, partial(_described_line, call), lambda line: line.id)


def _described_line(call: Call, line: StackLine) -> JsonObject | None:
    try:
        return _described(call, call.queries.stacks.get(call.caller, line.name, line.id))
    except NotFound:
        return None


def _described(call: Call, stack: records.Stack) -> JsonObject:
    definitions = call.queries.definitions
    parameters = definitions.parameters(stack)
    outputs = definitions.outputs(stack) if stack.deleted_at is None else []
    return {
        "Capabilities": [],
        "CreationTime": moment(stack.created_at),
        "Description": stack.description,
        "DisableRollback": stack.disable_rollback,
        "NotificationARNs": [],
        "Parameters": [
            {"ParameterKey": name, **_if_known("ParameterValue", value)} for name, value in parameters.items()
        ],
        "StackId": stack.arn,
        "StackName": stack.name,
        "StackStatusReason": stack.reason,
        **_if_known("TimeoutInMinutes", stack.timeout_mins),
        **_if_known("LastUpdatedTime", moment(stack.updated_at)),
        **_if_known("DeletionTime", moment(stack.deleted_at)),
        "StackStatus": stack.state,
        "Outputs": [
            {
                "Description": one.description,
                "OutputKey": one.name,
                **_if_known("OutputValue", None if one.value is None else text(one.value)),
            }
            for one in outputs
        ],
    }


def _if_known(name: str, value: object) -> JsonObject:
    return {} if value is None else {name: value}


def create_stack(call: Call) -> JsonObject:
    given = call.parameters
    log_ignored(call)
    disable_rollback = _disable_rollback(call)
    new = NewStack(
        name=given.need("StackName"),
        request=_request(template_of(call), stack_parameters(call).values),
        disable_rollback=True if disable_rollback is None else disable_rollback,
        timeout_mins=given.number("TimeoutInMinutes"),
    )
    return {"StackId": call.commands.stacks.create(call.caller, new).arn}


def update_stack(call: Call) -> JsonObject:
    given = call.parameters
    log_ignored(call)
    stack = find_stack(call)
    parameters = stack_parameters(call)
    has_previous_template = bool(given.flag("UsePreviousTemplate"))
    existing = has_previous_template or bool(parameters.kept)
    request = _request(None if has_previous_template else template_of(call), parameters.values)
    known = call.queries.definitions.of(stack).parameters if existing else ()
    change = StackChange(
        request=request,
        existing=existing,
        clear_parameters=tuple(name for name in known if name not in parameters.kept),
        disable_rollback=_disable_rollback(call),
        timeout_mins=given.number("TimeoutInMinutes"),
        # They cannot be given in this API.
        tags=tuple(stack.tags),
        converge=call.settings.converge,
    )
    return {"StackId": call.commands.stacks.update(call.caller, stack, change).arn}


def _request(template: str | None, parameters: JsonObject) -> JsonObject:
    """The request in the form that the language expects: this API has no files and no environment."""
    made: JsonObject = {"files": {}, "environment": {}, "environment_files": [], "parameters": parameters}
    return made if template is None else {"template": template, **made}


def _disable_rollback(call: Call) -> bool | None:
    disabled, on_failure = call.parameters.flag("DisableRollback"), call.parameters.get("OnFailure")
    if on_failure is None:
        return disabled
    if disabled is not None:
        raise Refused("InvalidParameterCombination", "DisableRollback and OnFailure exclude each other.")
    if on_failure not in ("DO_NOTHING", "ROLLBACK", "DELETE"):
        raise invalid(f"OnFailure must be DO_NOTHING, ROLLBACK or DELETE, not {on_failure!r}.")
    return on_failure == "DO_NOTHING"


def cancel_update_stack(call: Call) -> JsonObject:
    call.commands.stacks.act(call.caller, find_stack(call), "cancel_update")
    return {}


def delete_stack(call: Call) -> str:
    if call.parameters.has("RetainResources"):
        raise invalid("RetainResources is not supported: use the DeletionPolicy of resources.")
    log_ignored(call)
    call.commands.stacks.delete(call.caller, find_stack(call))
    return ""
