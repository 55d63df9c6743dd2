"""Templates: get, validate, estimate."""

from __future__ import annotations

from calor.api.cfn.actions.call import Call, find_stack, stack_parameters, template_of
from calor.api.cfn.rendering import text
from calor.api.metadata import sees_credentials
from calor.resources.values import JsonMapping, JsonObject
from calor.service.estimates import estimate

_NAME = "estimate"
"""The name of the stack that is planned for an estimate."""


def get_template(call: Call) -> JsonObject:
    stack = find_stack(call, deleted=True)
    reveals = sees_credentials(call, call.caller)
    return {"TemplateBody": call.queries.definitions.template(stack, reveals=reveals)}


def validate_template(call: Call) -> JsonObject:
    found = call.queries.validation.validate(call.caller, _request(template_of(call), {}))
    return {
        "Description": found["Description"],
        "Parameters": [_parameter(name, one) for name, one in found["Parameters"].items()],
    }


def _parameter(name: str, declared: JsonMapping) -> JsonObject:
    shown = {
        "ParameterKey": name,
        "Description": declared["Description"],
        "NoEcho": declared["NoEcho"],
    }
    return {**shown, "DefaultValue": text(declared["Default"])} if "Default" in declared else shown


def estimate_template_cost(call: Call) -> JsonObject:
    request = _request(template_of(call), stack_parameters(call).values)
    _, plan = call.commands.previews.plan_create(call.caller, _NAME, request)
    settings = call.settings
    return {"Url": settings.estimate_pages.url(call.base, estimate(plan, settings.prices))}


def _request(template: str, parameters: JsonObject) -> JsonObject:
    return {
        "template": template,
        "files": {},
        "environment": {},
        "environment_files": [],
        "parameters": parameters,
    }
