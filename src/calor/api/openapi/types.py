"""Resource types, template versions and functions."""

from __future__ import annotations

from calor.api.openapi.common import TEMPLATE, flag, text
from calor.api.openapi.vocabulary import (
    ANY,
    FLAG,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    Answer,
    Family,
    Operation,
    Parameter,
    described,
    either,
    items,
    one_of,
    record,
    ref,
    values,
    wrapped,
)

_TYPE = "/resource_types/{type_name}"
_KIND = one_of("string", "integer", "number", "boolean", "list", "map", "any")
_SUPPORT = ("UNKNOWN", "SUPPORTED", "DEPRECATED", "UNSUPPORTED", "HIDDEN")

FAMILY = Family(
    "types",
    "The vocabulary of templates.",
    {
        "GET /resource_types": Operation(
            "list_resource_types",
            "Lists resource types",
            {
                200: Answer(
                    "The names or, with descriptions, records.",
                    wrapped(
                        "resource_types",
                        items(either(TEXT, record({"resource_type": TEXT, "description": TEXT}))),
                    ),
                )
            },
            (
                text("name", "A regular expression that matches the start of the name."),
                text("version", "The release that introduced the type."),
                Parameter("support_status", one_of(*_SUPPORT), "The support status."),
                flag("with_description", "Whether to include descriptions."),
            ),
        ),
        f"GET {_TYPE}": Operation(
            "show_resource_type",
            "Shows a resource type",
            {200: Answer("The type.", ref("ResourceType"))},
            (flag("with_description", "Whether to include the description."),),
        ),
        f"GET {_TYPE}/template": Operation(
            "show_template_of_type",
            "Generates a sample template for a resource type",
            {200: Answer("A template with one resource of the type.", TEMPLATE)},
            (
                Parameter(
                    "template_type",
                    {"type": "string", "pattern": "^([Cc][Ff][Nn]|[Hh][Oo][Tt])?$"},
                    "hot or cfn; default: cfn.",
                ),
            ),
        ),
        "GET /template_versions": Operation(
            "list_template_versions",
            "Lists template versions",
            {
                200: Answer(
                    "The versions.",
                    wrapped(
                        "template_versions",
                        items(record({"version": TEXT, "type": one_of("hot", "cfn"), "aliases": TEXTS})),
                    ),
                )
            },
        ),
        "GET /template_versions/{version}/functions": Operation(
            "list_template_functions",
            "Lists the functions of a template version",
            {
                200: Answer(
                    "The functions.",
                    wrapped("template_functions", items(record({"functions": TEXT, "description": TEXT}))),
                )
            },
            (flag("with_condition_func", "Whether to include functions that only conditions can use."),),
        ),
    },
    {
        "ResourceType": record(
            {
                "resource_type": TEXT,
                "properties": values(ref("Property")),
                "attributes": values(record({"description": TEXT}, {"type": _KIND})),
                "support_status": ref("Support"),
            },
            {"description": TEXT},
        ),
        "Property": record(
            {"type": _KIND, "required": FLAG, "update_allowed": FLAG, "immutable": FLAG},
            {
                "description": TEXT,
                "default": ANY,
                "schema": described(values(ref("Property")), "By name; * stands for all items of a list."),
                "constraints": items(ref("Constraint")),
            },
        ),
        "Constraint": record(
            {},
            {
                "description": TEXT,
                "length": ref("Bounds"),
                "range": ref("Bounds"),
                "modulo": record({"step": ANY, "offset": ANY}),
                "allowed_values": items(ANY),
                "allowed_pattern": TEXT,
                "custom_constraint": TEXT,
            },
        ),
        "Bounds": record({}, {"min": {"type": "number"}, "max": {"type": "number"}}),
        "Support": record(
            {
                "status": one_of(*_SUPPORT),
                "message": TEXT_OR_NULL,
                "version": TEXT_OR_NULL,
                "previous_status": either(ref("Support"), {"type": "null"}),
            }
        ),
    },
)
