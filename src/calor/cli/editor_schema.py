"""A JSON Schema of HOT templates, made of the declarations of resource types, for editors.

It is of draft 7, which editors' YAML servers know best. Wherever a value stands, a function may stand, too, and
nothing is said then of what it gives. A template that Calor accepts is accepted here; not every mistake that
Calor finds can be found here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from inspect import cleandoc
from typing import Any

from calor.cli.typedocs import described, summary
from calor.language.constraints import AllowedPattern, AllowedValues, Custom, Length, Modulo, Range
from calor.language.definition import DELETION_POLICIES
from calor.language.functions.logic import NotHere
from calor.language.parameters import Kind
from calor.language.schema import ANY, Property, ResourceType, Status, Support
from calor.language.versions import HOT_KEY, HOT_VERSIONS, HOT_WORDS, NEWEST, allowed

Schema = dict[str, Any]

_YES_AND_NO = "^([Tt]rue|TRUE|[Ff]alse|FALSE|[Yy]es|YES|[Nn]o|NO|[Oo]n|ON|[Oo]ff|OFF)$"
_SCALAR = ["string", "number", "boolean", "null"]


def hot_schema(
    type_names: Iterable[str], declaration: Callable[[str], type[ResourceType] | None]
) -> Schema:
    """The schema, with the named types."""
    types = {name: found for name in type_names if (found := declaration(name)) is not None}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Heat Orchestration Template",
        "type": "object",
        "required": [HOT_KEY],
        "additionalProperties": False,
        "properties": {
            HOT_KEY: {"description": "The version of the language.", "enum": allowed(HOT_KEY)},
            HOT_WORDS.description: {"type": _SCALAR, "description": "What the template is for."},
            "parameter_groups": _parameter_groups(),
            HOT_WORDS.parameters: _section("What whoever creates a stack may choose.", "parameter"),
            HOT_WORDS.conditions: _section("Conditions by name, for resources and outputs.", "condition"),
            HOT_WORDS.resources: {
                **_section("What the stack consists of.", "resource"),
                "propertyNames": {"pattern": "^[^/]+$"},
            },
            HOT_WORDS.outputs: _section("What the stack tells when it is there.", "output"),
        },
        "definitions": {
            "value": {"anyOf": [_ref("function"), True]},
            "function": _function(),
            "instead": {"anyOf": [_ref("function"), {"type": "null"}]},
            "truth": _truth(),
            "condition": {"anyOf": [{"type": "boolean"}, _ref("truth")]},
            "conditional": {"anyOf": [{"type": ["string", "boolean", "null"]}, _ref("truth")]},
            "parameter": _parameter(),
            "output": _output(),
            "resource": _resource(types),
            **{name: _properties(found.properties) for name, found in types.items() if _is_closed(found)},
        },
    }


def _ref(name: str) -> Schema:
    return {"$ref": f"#/definitions/{name}"}


def _section(description: str, entry: str) -> Schema:
    return {"type": ["object", "null"], "description": description, "additionalProperties": _ref(entry)}


def _parameter_groups() -> Schema:
    group = {
        "type": "object",
        "required": ["parameters"],
        "properties": {
            "label": {"type": _SCALAR},
            "description": {"type": _SCALAR},
            "parameters": {"type": "array", "items": {"type": "string"}},
        },
    }
    description = "In which order, and under which headings, parameters are asked for."
    return {"type": ["array", "null"], "description": description, "items": group}


# Functions.


def _function() -> Schema:
    """A map with a function's name as its only key; of every version, since an editor knows all of them."""
    functions: dict[str, str] = {}
    for version in HOT_VERSIONS:
        functions.update({name: _first_line(call) for name, call in version.all_functions.items()})
    return _call({name: {"description": text, **_ref("arguments")} for name, text in functions.items()})


def _first_line(documented: object) -> str:
    return cleandoc(documented.__doc__ or "").split("\n\n")[0].replace("\n", " ")
