"""Validates a template and describes its parameters, without creating anything."""

from __future__ import annotations

from calor.fetching.slots import Busy
from calor.language import constraints as c
from calor.language.defining import TOO_MANY
from calor.language.definition import Definition
from calor.language.diagnostics import Diagnostic, Report
from calor.language.library import World
from calor.language.parameters import Parameter
from calor.language.registry import is_template
from calor.language.request import resolve_request
from calor.language.template import Template
from calor.language.values import bare
from calor.resources.values import JsonMapping, JsonObject
from calor.service.admission import blocking, types_of
from calor.service.availability import check_available
from calor.service.caller import Caller
from calor.service.errors import Invalid, ServiceError
from calor.service.queries.definitions import shown_environment
from calor.service.type_uses import located_in


class Validation:
    def __init__(self, world: World) -> None:
        self._world = world

    def fetch(self, url: str) -> str:
        """The text of the template at a URL. Raises ServiceError."""
        if not url.startswith(("http://", "https://")):
            message = f"The template cannot be fetched from {url}: it is not an http or https URL."
            raise ServiceError("HTTPBadRequest", message)
        try:
            return self._world.fetch(url)
        except Busy as error:
            raise ServiceError(
                "HTTPServiceUnavailable", f"The template cannot be fetched from {url}: {error}"
            ) from None
        except OSError as error:
            raise ServiceError(
                "HTTPBadRequest", f"The template cannot be fetched from {url}: {error}"
            ) from None

    def validate(
        self,
        caller: Caller,
        request: JsonMapping,
        *,
        show_nested: bool = False,
        ignore_unavailable: bool = False,
    ) -> JsonObject:
        """What the template declares. Parameters need no values, and with `ignore_unavailable` types need no service.
        Raises ServiceError."""
        report = Report()
        definition = resolve_request(request, self._world, report, require_parameters=False)
        errors = [found for found in blocking(report) if _is_about_the_template(found)]
        if errors or definition is None:
            raise Invalid.of(errors or list(report))
        if not ignore_unavailable:
            with located_in(definition):
                check_available(self._world, caller, dict.fromkeys(types_of(definition)))
        # Hidden values are included: the caller sent them, and user interfaces fill forms with them.
        environment = shown_environment(definition, with_hidden=True)
        environment.pop("encrypted_param_names", None)
        # Templates used as types count as registered.
        used = {
            one.type_name: one.type_name
            for one in definition.resources.values()
            if is_template(one.type_name)
        }
        environment["resource_registry"] = {**used, **environment["resource_registry"]}
        return {**_declared(definition, show_nested), "Environment": environment}


_ABOUT_VALUES = frozenset({"E208", "E209", "E210", "E407", "E412", "E413", "E414", "E415", "E416"})


def _is_about_the_template(found: Diagnostic) -> bool:
    """Whether an error is in the template itself. Values and nested stacks are checked when a stack is created. The
    names of properties are part of the template, the names of their members part of the value."""
    if found.code == TOO_MANY:
        return True
    if found.code == "E410" and found.path.rpartition(".")[2].lower() != "properties":
        return False
    return found.code not in _ABOUT_VALUES and "<" not in found.path


def _declared(definition: Definition, show_nested: bool) -> JsonObject:
    template = definition.template
    shown: JsonObject = {
        "Description": template.description,
        "Parameters": {
            name: _parameter(parameter, definition) for name, parameter in template.parameters.items()
        },
    }
    if template.parameter_groups:
        shown["ParameterGroups"] = _groups(template)
    if show_nested:
        nested = {
            name: {"Type": resource.type_name, **_declared(resource.child, True)}
            for name, resource in definition.resources.items()
            if resource.child is not None
        }
        if nested:
            shown["NestedParameters"] = nested
    return shown


def _groups(template: Template) -> list[JsonObject]:
    return [
        {
            **({"label": group.label} if group.label else {}),
            **({"description": group.description} if group.description else {}),
            "parameters": list(group.parameters),
        }
        for group in template.parameter_groups
    ]


def _parameter(parameter: Parameter, definition: Definition) -> JsonObject:
    environment = definition.environment
    shown: JsonObject = {
        "Type": parameter.kind.cfn_name,
        "Description": parameter.description,
        "NoEcho": "true" if parameter.hidden else "false",
        "Label": parameter.label or parameter.name,
    }
    default = environment.parameter_defaults.get(parameter.name)
    default = parameter.default if default is None else default
    if default is not None:
        shown["Default"] = bare(default)
    # As given, and only if it is not empty.
    value = environment.parameters.get(parameter.name)
    if value:
        shown["Value"] = bare(value)
    if parameter.tags:
        shown["Tags"] = list(parameter.tags)
    for constraint in parameter.constraints:
        shown |= _constraint(constraint)
    descriptions = [one.description for one in parameter.constraints if one.description is not None]
    if descriptions:
        shown["ConstraintDescription"] = " ".join(map(str, descriptions))
    return shown


def _constraint(constraint: c.Constraint) -> JsonObject:
    found: JsonObject = {}
    match constraint:
        case c.Length():
            found = {"MinLength": constraint.min, "MaxLength": constraint.max}
        case c.Range():
            found = {"MinValue": constraint.min, "MaxValue": constraint.max}
        case c.Modulo():
            found = {"Step": constraint.step, "Offset": constraint.offset}
        case c.AllowedValues():
            found = {"AllowedValues": list(constraint.written or constraint.values)}
        case c.AllowedPattern():
            found = {"AllowedPattern": constraint.pattern}
        case c.Custom():
            found = {"CustomConstraint": constraint.name}
    return {name: value for name, value in found.items() if value is not None}
