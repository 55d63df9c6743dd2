"""The resources of a stack."""

from __future__ import annotations

from calor.api.openapi.common import LINKS, NULL_ANSWER, STATE, flag, number, repeated
from calor.api.openapi.vocabulary import (
    FLAG,
    MAP,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    TIME,
    Answer,
    Body,
    Family,
    Link,
    Operation,
    described,
    either,
    items,
    record,
    ref,
    wrapped,
)

_STACK = "/stacks/{stack_name}/{stack_id}"
_RESOURCE = f"{_STACK}/resources/{{resource_name}}"
_FIRST = {
    "stack_name": "$request.path.stack_name",
    "stack_id": "$request.path.stack_id",
    "resource_name": "$response.body#/resources/0/resource_name",
}

FAMILY = Family(
    "resources",
    "The resources of a stack.",
    {
        f"GET {_STACK}/resources": Operation(
            "list_resources",
            "Lists resources",
            {
                200: Answer(
                    "The resources.",
                    wrapped("resources", items(ref("Resource"))),
                    links={
                        f"{operation}_of_the_first": Link(operation, _FIRST)
                        for operation in (
                            "show_resource",
                            "show_metadata",
                            "signal_resource",
                            "mark_resource",
                            "list_events_of_resource",
                        )
                    },
                )
            },
            (
                number("nested_depth", "The number of levels of nested stacks to include."),
                flag("with_detail", "Whether to include descriptions and attributes."),
                repeated("type", "Only types that contain one of these strings."),
                *(
                    repeated(name, "Only resources with one of these values.")
                    for name in ("name", "id", "status", "action", "physical_resource_id")
                ),
            ),
            doc="Unknown query parameters are refused with 400.",
        ),
        f"GET {_RESOURCE}": Operation(
            "show_resource",
            "Shows a resource",
            {200: Answer("The resource, with its attributes.", wrapped("resource", ref("Resource")))},
            (repeated("with_attr", "An attribute to show in addition to the default ones."),),
        ),
        f"PATCH {_RESOURCE}": Operation(
            "mark_resource",
            "Marks a resource as unhealthy, or unmarks it",
            {200: NULL_ANSWER},
            body=Body(
                {
                    **record(
                        {
                            "mark_unhealthy": either(
                                FLAG,
                                {"type": "string", "pattern": "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"},
                            )
                        },
                        {"resource_status_reason": TEXT_OR_NULL},
                    ),
                    "additionalProperties": False,
                },
                {"mark_unhealthy": True, "resource_status_reason": "does not answer"},
            ),
            refusals=(409,),
            doc="The resource can also be given by its physical id.",
        ),
        f"GET {_RESOURCE}/metadata": Operation(
            "show_metadata",
            "Shows a resource's metadata",
            {200: Answer("The metadata.", wrapped("metadata", MAP))},
        ),
        f"POST {_RESOURCE}/signal": Operation(
            "signal_resource",
            "Signals a resource",
            {200: NULL_ANSWER},
            body=Body(
                described(MAP, "The data for the resource's type; unset_hook clears a hook."),
                {"status": "SUCCESS", "reason": "configured", "id": "1", "data": "ready"},
                required=False,
            ),
            refusals=(409,),
        ),
    },
    {
        "Resource": record(
            {
                "resource_name": TEXT,
                "logical_resource_id": TEXT,
                "physical_resource_id": TEXT,
                "resource_type": TEXT,
                "resource_status": STATE,
                "resource_status_reason": TEXT,
                "creation_time": TIME,
                "updated_time": TIME,
                "required_by": described(TEXTS, "The resources that depend on it."),
                "links": described(LINKS, "Links to the resource, its stack and its nested stack."),
            },
            {
                "parent_resource": described(TEXT, "The parent resource of its stack."),
                "description": TEXT,
                "attributes": MAP,
                "sensitive_attributes": described(
                    TEXTS, "The attributes that are or contain secrets, if any."
                ),
            },
        )
    },
)
