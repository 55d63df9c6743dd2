"""Says what a template would ask for, without making anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.fetching.turns import Busy
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
from calor.service.availability import check_available
from calor.service.base import blocking, types_of
from calor.service.caller import Caller
from calor.service.errors import Invalid, ServiceError
from calor.service.queries.meanings import shown_environment


class Validation:
    def __init__(self, world: World) -> None:
        self._world = world

    def fetch(self, url: str) -> str:
        """The text of a template at an address. Raises ServiceError."""
        if not url.startswith(("http://", "https://")):
            raise ServiceError("HTTPBadRequest", f"The template cannot be had from {url}: no web address.")
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
        request: Mapping[str, Any],
        *,
        show_nested: bool = False,
        ignore_unavailable: bool = False,
    ) -> dict[str, Any]:
        """What the template declares; parameters need no values, and types no service if that is ignored. Raises
        ServiceError."""
        report = Report()
        definition = resolve_request(request, self._world, report, require_parameters=False)
        errors = [found for found in blocking(report) if _is_about_the_template(found)]
        if errors or definition is None:
            raise Invalid.of(errors or list(report))
        if not ignore_unavailable:
            check_available(self._world, caller, dict.fromkeys(types_of(definition)))
        # Hidden values are told, too: they go back to whoever sent them, and forms are filled with them.
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
    """Whether an error is one of the template itself: values are looked at when a stack is made, and so are
    stacks below. Which properties a resource has is of the template, which members these have is of the value."""
    if found.code == TOO_MANY:
        return True
    if found.code == "E410" and found.path.rpartition(".")[2].lower() != "properties":
        return False
    return found.code not in _ABOUT_VALUES and "<" not in found.path


def _declared(definition: Definition, show_nested: bool) -> dict[str, Any]:
    template = definition.template
    shown: dict[str, Any] = {
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


def _groups(template: Template) -> list[dict[str, Any]]:
    return [
        {
            **({"label": group.label} if group.label else {}),
            **({"description": group.description} if group.description else {}),
            "parameters": list(group.parameters),
        }
        for group in template.parameter_groups
    ]


def _parameter(parameter: Parameter, definition: Definition) -> dict[str, Any]:
    environment = definition.environment
    shown: dict[str, Any] = {
        "Type": parameter.kind.cfn_name,
        "Description": parameter.description,
        "NoEcho": "true" if parameter.hidden else "false",
        "Label": parameter.label or parameter.name,
    }
    default = environment.parameter_defaults.get(parameter.name)
    default = parameter.default if default is None else default
    if default is not None:
        shown["Default"] = bare(default)
    # As it was given, and only if there is something to it.
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


def _constraint(constraint: c.Constraint) -> dict[str, Any]:
    found: dict[str, Any] = {}
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
