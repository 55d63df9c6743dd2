"""Describes resource types, template versions and functions for the API."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import takewhile
from typing import Any

from calor.bounded.errors import BadPattern, TooSlow
from calor.language import constraints as c
from calor.language.expressions import Call
from calor.language.functions.logic import NotInConditions
from calor.language.library import Library, Missing, TemplateType, World
from calor.language.registry import Registry
from calor.language.schema import ANY, Attribute, DeclaredType, Property, Status, Support
from calor.language.versions import ALL_VERSIONS, Version
from calor.resources.values import JsonObject
from calor.service.availability import check_available, is_available
from calor.service.caller import Caller
from calor.service.errors import NotFound, NotSupported, ServiceError
from calor.service.queries.samples import sample_template

Described = type[DeclaredType] | TemplateType

_KINDS: dict[type, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "list",
    dict: "map",
    ANY: "any",
}


class Types:
    def __init__(self, world: World) -> None:
        self._world = world

    def names(
        self,
        *,
        support: str | None = None,
        name: str | None = None,
        version: str | None = None,
        allowed: Callable[[str], bool] = lambda name: True,
    ) -> list[str]:
        """The names of usable types, filtered by status, by a regular expression for the name, and by release."""
        known = self._declared()
        return [
            type_name
            for type_name, declared in known
            if declared.support.status is not Status.HIDDEN
            and (support is None or declared.support.status.value == support)
            and (version is None or declared.support.since == version)
            and self._begins(type_name, name)
            and allowed(type_name)
        ]

    def _begins(self, type_name: str, expression: str | None) -> bool:
        """Whether the start of a name matches a regular expression; no name matches an invalid one. Raises
        ServiceError."""
        try:
            return not expression or self._world.expressions.begins(expression, type_name)
        except BadPattern:
            return False
        except TooSlow as error:
            raise ServiceError("HTTPBadRequest", f"The filter by name takes too long: {error}.") from None

    def is_available(self, caller: Caller, type_name: str) -> bool:
        """Whether the service that a type needs is in the caller's catalog."""
        return is_available(self._world, caller, type_name)

    def check_available(self, caller: Caller, type_name: str) -> None:
        """Raises ServiceError if the service is not there."""
        check_available(self._world, caller, [type_name])

    def description(self, type_name: str) -> str:
        declared = self._world.declaration(type_name)
        return documentation(declared) if declared is not None else ""

    def schema(self, type_name: str, *, with_description: bool = False) -> JsonObject:
        """The properties and attributes of a type. Raises ServiceError."""
        found = self._find(type_name)
        shown: JsonObject = {
            "resource_type": type_name,
            "properties": {
                name: property_schema(declared)
                for name, declared in found.properties.items()
                if declared.implemented and declared.support.status is not Status.HIDDEN
            },
            "attributes": {
                name: _attribute(declared)
                for name, declared in found.attributes.items()
                if declared.support.status is not Status.HIDDEN
            },
            "support_status": _support(found.support),
        }
        if with_description:
            shown["description"] = documentation(found)
        return shown

    def template(self, type_name: str, *, hot: bool) -> JsonObject:
        """A template with one resource of a type, its properties as parameters. Raises ServiceError."""
        return sample_template(type_name, self._find(type_name), hot=hot)

    def _find(self, type_name: str) -> Described:
        library = Library(self._world, {})
        found = library.find(type_name, "", Registry({}, self._world.common))
        if isinstance(found, Missing):
            if self._world.common.get(type_name) is not None:
                raise ServiceError("InvalidGlobalResource", f"{type_name}: {found.message}")
            raise NotFound("Resource Type", type_name)
        if found.support.status is Status.HIDDEN:
            raise NotSupported(f"The resource type {type_name} is hidden.")
        return found

    def _declared(self) -> list[tuple[str, type[DeclaredType]]]:
        named = ((name, self._world.declaration(name)) for name in self._world.type_names())
        return [(name, declared) for name, declared in named if declared is not None]

    @staticmethod
    def versions() -> list[Version]:
        return list(ALL_VERSIONS)

    @staticmethod
    def functions(version: str, *, with_conditions: bool = False) -> list[tuple[str, str]]:
        """Names and descriptions of a version's functions. Raises NotFound."""
        found = _versions().get(version)
        if found is None:
            raise NotFound("Template Version", version)
        functions: JsonObject = dict(found.all_functions)
        if with_conditions:
            conditions = found.condition_functions or {}
            functions |= {name: made for name, made in conditions.items() if made is not NotInConditions}
        return [(name, _MATCHED.get(name) or documentation(functions[name])) for name in sorted(functions)]


_MATCHED = {"get_file": "A function for including a file inline."}
"""Descriptions that heat-tempest-plugin compares literally."""


@cache
def _versions() -> dict[str, Version]:
    """All versions by their names for clients: `heat_template_version.2016-10-14`, `….newton`."""
    return {
        f"{version.key}.{name}": version
        for version in ALL_VERSIONS
        for name in (version.date, *version.names)
    }


def documentation(described: Any) -> str:
    """The first paragraph of the docstring of a class or its base class."""
    if isinstance(described, TemplateType):
        return described.template.description
    own = takewhile(lambda base: base not in (Call, DeclaredType), described.__mro__)
    text = next((base.__doc__ for base in own if base.__doc__), "")
    return " ".join(text.split("\n\n")[0].split())


def _support(support: Support) -> JsonObject:
    return {
        "status": support.status.value,
        "message": f"Use {support.substitute} instead." if support.substitute else None,
        "version": support.since,
        "previous_status": _support(support.before) if support.before else None,
    }


def _attribute(declared: Attribute) -> JsonObject:
    shown = {"description": declared.doc}
    return {**shown, "type": _KINDS[declared.kind]} if declared.kind else shown


def property_schema(declared: Property) -> JsonObject:
    shown: JsonObject = {"type": _KINDS[declared.kind]}
    if declared.doc:
        shown["description"] = declared.doc
    if declared.default is not None:
        shown["default"] = declared.default
    if declared.items is not None:
        shown["schema"] = {"*": property_schema(declared.items)}
    elif declared.fields is not None:
        shown["schema"] = {name: property_schema(field) for name, field in declared.fields.items()}
    shown["required"] = declared.required
    shown["update_allowed"] = declared.update_allowed
    shown["immutable"] = declared.immutable
    if declared.constraints:
        shown["constraints"] = [constraint_schema(constraint) for constraint in declared.constraints]
    return shown


def constraint_schema(constraint: c.Constraint) -> JsonObject:
    """A constraint in template syntax."""
    shown: JsonObject = {"description": constraint.description} if constraint.description else {}
    match constraint:
        case c.Length():
            shown["length"] = _bounds(constraint)
        case c.Range():
            shown["range"] = _bounds(constraint)
        case c.Modulo():
            shown["modulo"] = {"step": constraint.step, "offset": constraint.offset}
        case c.AllowedValues():
            shown["allowed_values"] = list(constraint.values)
        case c.AllowedPattern():
            shown["allowed_pattern"] = constraint.pattern
        case c.Custom():
            shown["custom_constraint"] = constraint.name
    return shown


def _bounds(constraint: c.Length | c.Range) -> dict[str, float]:
    found = {"min": constraint.min, "max": constraint.max}
    return {name: bound for name, bound in found.items() if bound is not None}
