"""Builds a JSON Schema of HOT templates for editors from the declarations of resource types.

The schema is draft 7, which YAML language servers support best. A function is allowed in place of any value, without
checking its result. The schema accepts every template that Calor accepts, but does not find every error that Calor
finds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from calor.cli.json_values import JsonMapping, JsonObject
from calor.cli.typedocs import status, summary
from calor.language.constraints import AllowedPattern, AllowedValues, Length, Range
from calor.language.functions.logic import NotInConditions
from calor.language.parameters import ParameterType
from calor.language.resources import DELETION_POLICIES
from calor.language.schema import ANY, Path, Property, Replace, Translation
from calor.language.versions import HOT_KEY, HOT_VERSIONS, NEWEST, allowed
from calor.resources.contract import ResourceType

Schema = dict[str, Any]


def _word(*words: str) -> Schema:
    """One of some words, in upper, lower or mixed case."""
    any_case = ("".join(f"[{char.upper()}{char}]" for char in word) for word in words)
    return {"type": "string", "pattern": f"^({'|'.join(any_case)})$"}


_TEXT = {"type": ["string", "number", "boolean", "null"]}
_NUMERIC = {"type": "string", "pattern": r"^\s*[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?\s*$"}
# Templates are YAML 1.1, which has more words for true and false than 1.2, which editors use.
_YES_OR_NO = ("true", "false", "yes", "no", "on", "off")
_BOOLEAN: list[Schema] = [{"type": "boolean"}, _word(*_YES_OR_NO)]


def hot_schema(type_names: Iterable[str], declaration: Callable[[str], type[ResourceType] | None]) -> Schema:
    """The schema of templates that use these types."""
    types = {name: found for name in type_names if (found := declaration(name)) is not None}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Heat Orchestration Template",
        "type": "object",
        "required": [HOT_KEY],
        "additionalProperties": False,
        "properties": {
            HOT_KEY: {"description": "The version of the language.", "enum": allowed(HOT_KEY)},
            "description": _described("The purpose of the template.", _TEXT),
            "parameter_groups": _parameter_groups(),
            "parameters": _section(
                "The parameters, whose values are given when a stack is created.", "parameter"
            ),
            "conditions": _section("Conditions for resources and outputs, by name.", "condition"),
            "resources": {
                **_section("The resources of the stack.", "resource"),
                "propertyNames": {"pattern": "^[^/]+$"},
            },
            "outputs": _section("The outputs of the stack.", "output"),
        },
        "definitions": {
            "function": _function(),
            "instead": {"anyOf": [_ref("function"), {"type": "null"}]},
            "test": _test(),
            "condition": {"anyOf": [{"type": "boolean"}, _ref("test")]},
            "conditional": {"anyOf": [{"type": ["string", "boolean", "null"]}, _ref("test")]},
            "parameter": _parameter(),
            "constraint": _constraint(),
            "resource": _resource(types),
            "output": _output(),
            **{
                name: _Values(found.translations).properties(found.properties)
                for name, found in types.items()
                if _closed(found)
            },
        },
    }


def _ref(name: str) -> Schema:
    return {"$ref": "#/definitions/" + name.replace("~", "~0").replace("/", "~1")}


def _described(description: str, schema: Schema) -> Schema:
    return {"description": description, **schema} if description else schema


def _map(properties: JsonMapping, *, required: Iterable[str] = ()) -> Schema:
    """A map with these keys and no others."""
    schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    needed = list(required)
    return {**schema, "required": needed} if needed else schema


def _section(description: str, entry: str) -> Schema:
    return _described(description, {"type": ["object", "null"], "additionalProperties": _ref(entry)})


# Functions and conditions.

_ARGUMENTS: dict[str, Schema] = {
    "get_attr": {"type": "array", "minItems": 1},
    "get_file": {"type": ["string", "object"]},
    "get_param": {"type": ["string", "array", "object"]},
    "get_resource": {"type": ["string", "object"]},
    "if": {"type": "array", "minItems": 2, "maxItems": 3},
    "list_join": {"type": "array", "minItems": 2},
    "repeat": {"type": "object", "required": ["template", "for_each"]},
    "resource_facade": {"enum": ["metadata", "deletion_policy", "update_policy"]},
    "str_replace": {"type": "object", "required": ["template", "params"]},
    "yaql": {"type": "object", "required": ["expression", "data"]},
}


def _function() -> Schema:
    """A function of any version: a map with its name as the only key."""
    functions: JsonObject = {}
    for version in HOT_VERSIONS:
        for name, call in version.all_functions.items():
            functions.setdefault(name, call)
    return _call({name: _described(_doc(call), _ARGUMENTS.get(name, {})) for name, call in functions.items()})


def _test() -> Schema:
    """A function that returns true or false."""
    known = {
        name: call for name, call in (NEWEST.condition_functions or {}).items() if call is not NotInConditions
    }
    several = {"type": "array", "minItems": 2, "items": _ref("conditional")}
    arguments: dict[str, Schema] = {
        **_ARGUMENTS,
        "and": several,
        "or": several,
        "not": {"anyOf": [{"type": ["string", "boolean"]}, _ref("test")]},
        "equals": {"type": "array", "minItems": 2, "maxItems": 2},
    }
    return _call({name: _described(_doc(call), arguments.get(name, {})) for name, call in known.items()})


def _call(functions: Mapping[str, Schema]) -> Schema:
    return {**_map(functions), "minProperties": 1, "maxProperties": 1}


def _doc(documented: object) -> str:
    return " ".join((documented.__doc__ or "").split("\n\n")[0].split())


# Parameters and outputs.

_DEFAULTS: dict[ParameterType, Schema] = {
    ParameterType.STRING: _TEXT,
    ParameterType.NUMBER: {"anyOf": [{"type": ["number", "null"]}, _NUMERIC]},
    ParameterType.LIST: {"type": ["array", "string", "null"]},
    ParameterType.JSON: {"type": ["object", "array", "string", "null"]},
    ParameterType.BOOLEAN: {
        "anyOf": [{"type": "null"}, {"enum": [0, 1]}, *_BOOLEAN, _word("t", "f", "y", "n", "0", "1")]
    },
}
_CONSTRAINTS: dict[ParameterType, tuple[str, ...]] = {
    ParameterType.STRING: ("length", "allowed_values", "allowed_pattern", "custom_constraint"),
    ParameterType.NUMBER: ("range", "modulo", "allowed_values", "custom_constraint"),
    ParameterType.LIST: ("length", "allowed_values", "custom_constraint"),
    ParameterType.JSON: ("length",),
    ParameterType.BOOLEAN: ("allowed_values", "custom_constraint"),
}


def _parameter_groups() -> Schema:
    group = {
        "type": "object",
        "required": ["parameters"],
        "properties": {
            "label": _TEXT,
            "description": _TEXT,
            "parameters": {"type": "array", "items": {"type": "string"}},
        },
    }
    return _described(
        "The order of parameters, and headings for them, for user interfaces.",
        {"type": ["array", "null"], "items": group},
    )


def _parameter() -> Schema:
    flag = {"anyOf": _DEFAULTS[ParameterType.BOOLEAN]["anyOf"]}
    keys = {
        "type": {"description": "The type of the value.", "enum": [kind.value for kind in ParameterType]},
        "label": _described("A human-readable name.", _TEXT),
        "description": _described("The purpose of the parameter.", _TEXT),
        "default": {"description": "The value if none is given."},
        "hidden": _described("Hides the value.", flag),
        "immutable": _described("Prevents updates from changing the value.", flag),
        "constraints": _described(
            "Constraints on the value.", {"type": ["array", "null"], "items": _ref("constraint")}
        ),
        "tags": {"type": ["array", "null"]},
        "schema": {},
    }
    return {
        **_map(keys, required=["type"]),
        "allOf": [
            {
                "if": {"required": ["type"], "properties": {"type": {"const": kind.value}}},
                "then": {
                    "properties": {"default": default, "constraints": {"items": _only(_CONSTRAINTS[kind])}}
                },
            }
            for kind, default in _DEFAULTS.items()
        ],
    }


def _only(constraints: tuple[str, ...]) -> Schema:
    return {"propertyNames": {"enum": [*constraints, "description"]}}


def _constraint() -> Schema:
    number = {"anyOf": [{"type": ["number", "null"]}, _NUMERIC]}
    bounds = {**_map({"min": number, "max": number}), "minProperties": 1}
    return {
        **_map(
            {
                "length": bounds,
                "range": bounds,
                "modulo": _map({"step": number, "offset": number}, required=["step", "offset"]),
                "allowed_values": {"type": "array"},
                "allowed_pattern": {"type": "string"},
                "custom_constraint": {"type": "string"},
                "description": _TEXT,
            }
        ),
        "minProperties": 1,
    }


def _output() -> Schema:
    keys = {
        "value": {"anyOf": [_ref("function"), {}]},
        "description": _TEXT,
        "condition": _ref("conditional"),
    }
    return _map(keys, required=["value"])


# Resources.


def _resource(types: Mapping[str, type[ResourceType]]) -> Schema:
    policies = [*DELETION_POLICIES, *map(str.lower, DELETION_POLICIES)]
    keys = {
        # Environments can map any other name, and file names of templates are types.
        "type": {"anyOf": [{"enum": list(types)}, {"type": "string"}]},
        "properties": {"type": ["object", "null"]},
        "metadata": {"type": ["object", "null"]},
        "depends_on": {"type": ["string", "array", "null"], "items": {"type": "string"}},
        "deletion_policy": {"anyOf": [{"enum": policies}, _ref("instead")]},
        "update_policy": {"type": ["object", "null"]},
        "condition": _ref("conditional"),
        "external_id": {"anyOf": [{"type": "string"}, _ref("instead")]},
        "description": _TEXT,
    }
    return {**_map(keys, required=["type"]), "allOf": [_case(name, found) for name, found in types.items()]}


def _case(name: str, found: type[ResourceType]) -> Schema:
    """What the type of a resource requires. External resources are exempt."""
    then = _described(summary(found), {"properties": {}})
    if _closed(found):
        then["properties"]["properties"] = _ref(name)
        if any(map(_is_required, found.properties.values())):
            then["required"] = ["properties"]
    if found.update_policy:
        then["properties"]["update_policy"] = _Values().properties(found.update_policy)
    applies = {
        "required": ["type"],
        "properties": {"type": {"const": name}},
        "not": {"required": ["external_id"]},
    }
    return {"if": applies, "then": then}


def _closed(found: type[ResourceType]) -> bool:
    """Whether the declaration lists all properties of the type."""
    return not found.placeholder and found.template_file is None


class _Values:
    """The schemas of a type's properties. `translations` has their older names."""

    def __init__(self, translations: Iterable[Translation] = ()) -> None:
        self.older: dict[Path, list[str]] = {}
        for rule in translations:
            if isinstance(rule, Replace):
                name = rule.source[-1] if rule.source else rule.sibling
                self.older.setdefault(rule.path, []).extend([name] if name else [])

    def properties(self, declared: Mapping[str, Property]) -> Schema:
        """All properties of a resource, or a function that returns them."""
        required = any(map(_is_required, declared.values()))
        return {"anyOf": [self._fields(declared, ()), _ref("function" if required else "instead")]}

    def _fields(self, declared: Mapping[str, Property], path: Path) -> Schema:
        known = {name: one for name, one in declared.items() if one.implemented}
        schema = _map({name: self._value(one, (*path, name)) for name, one in known.items()})
        for name, one in known.items():
            if _is_required(one):
                older = self.older.get((*path, name))
                if older:
                    choice = {"anyOf": [{"required": [either]} for either in (name, *older)]}
                    schema.setdefault("allOf", []).append(choice)
                else:
                    schema.setdefault("required", []).append(name)
        return schema

    def _value(self, declared: Property, path: Path) -> Schema:
        schema: Schema = {}
        if declared.kind is not ANY:
            schema = {"anyOf": [*self._literals(declared, path), _ref("instead")]}
        schema = _described(declared.doc, schema)
        if isinstance(declared.default, (str, int, float)):
            schema["default"] = declared.default
        if declared.support.discouraged:
            schema["deprecationMessage"] = status(declared.support)
        return schema

    def _literals(self, declared: Property, path: Path) -> Iterator[Schema]:
        """The allowed forms of a value other than functions."""
        choice = [one for one in declared.constraints if isinstance(one, AllowedValues)]
        values = _spellings(value for one in choice for value in one.values)
        kind = declared.kind
        if kind is list:
            items = {"anyOf": [{"enum": values}, _ref("instead")]} if values else self._items(declared, path)
            yield {"type": "array", "items": items}
        elif kind is dict:
            yield self._fields(declared.fields, path) if declared.fields else {"type": "object"}
        elif values:
            yield {"enum": values}
        elif kind is bool:
            yield from _BOOLEAN
        elif kind is str:
            yield {"type": ["string", "integer", "boolean"], **_limits(declared)}
        else:
            yield {"type": "integer" if kind is int else "number", **_limits(declared)}
            yield _NUMERIC
        if declared.converts:
            yield {"type": "string"}

    def _items(self, declared: Property, path: Path) -> Schema:
        return self._value(declared.items, path) if declared.items else {}


def _is_required(declared: Property) -> bool:
    return declared.required and declared.default is None and declared.implemented


def _spellings(values: Iterable[Any]) -> list[Any]:
    """Allowed values, with numbers also as text and vice versa: both are converted before they are checked."""
    found: dict[tuple[type, Any], Any] = {}
    for value in values:
        text = str(value)
        for spelling in (value, text, int(text) if text.isdecimal() else text):
            found[type(spelling), spelling] = spelling
    return list(found.values())


def _limits(declared: Property) -> Schema:
    limits: Schema = {}
    for constraint in declared.constraints:
        match constraint:
            case Range(min=low, max=high):
                limits |= {"minimum": low, "maximum": high}
            case Length(min=low, max=high):
                limits |= {"minLength": low, "maxLength": high}
            case AllowedPattern(pattern=pattern) if _is_portable(pattern):
                limits["pattern"] = f"^(?:{pattern})$"
    return {key: limit for key, limit in limits.items() if limit is not None}


def _is_portable(pattern: str) -> bool:
    """Whether a pattern means the same as a JavaScript regular expression, which editors use."""
    return not re.search(r"\(\?|\\[AZ]", pattern)
