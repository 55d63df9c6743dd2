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
    "What templates can be made of.",
    {
        "GET /resource_types": Operation(
            "list_resource_types",
            "Lists resource types",
            {
                200: Answer(
                    "Names, or with descriptions records of them.",
                    wrapped(
                        "resource_types",
                        items(either(TEXT, record({"resource_type": TEXT, "description": TEXT}))),
                    ),
                )
            },
            (
                text("name", "An expression that the beginning of the name matches."),
                text("version", "The release that brought the type."),
                Parameter("support_status", one_of(*_SUPPORT), "How well it is supported."),
                flag("with_description", "Whether descriptions are told."),
            ),
        ),
        f"GET {_TYPE}": Operation(
            "show_resource_type",
            "Shows what a resource type takes and gives",
            {200: Answer("The type.", ref("ResourceType"))},
            (flag("with_description", "Whether its description is told."),),
        ),
        f"GET {_TYPE}/template": Operation(
            "show_template_of_type",
            "Makes a template of a resource type",
            {200: Answer("A template with one resource of the type.", TEMPLATE)},
            (
                Parameter(
                    "template_type",
                    {"type": "string", "pattern": "^([Cc][Ff][Nn]|[Hh][Oo][Tt])?$"},
                    "hot or cfn; cfn unless given.",
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
            (flag("with_condition_func", "Whether functions for conditions only are listed as well."),),
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
                "schema": described(values(ref("Property")), "By name; * is for all items of a list."),
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
