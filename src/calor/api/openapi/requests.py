"""The bodies that say what a stack shall be."""

from __future__ import annotations

from typing import Any

from calor.api.openapi.vocabulary import (
    FLAG,
    MAP,
    NULL,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    Body,
    Schema,
    described,
    either,
    record,
    values,
)

STACK_NAME: Schema = {"type": "string", "pattern": "^[a-zA-Z][a-zA-Z0-9_.-]{0,254}$"}
_SWITCH = either(FLAG, {"type": "string", "pattern": "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"}, NULL)
_TAGS: Schema = {
    "type": ["string", "null"],
    "pattern": "^[^,]{0,80}(,[^,]{0,80})*$",
    "description": "Tags with commas between them, each of at most 80 characters.",
}
_TIMEOUT: Schema = {
    **either(
        {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
        {"type": "string", "pattern": "^[0-9]{1,9}$"},
        NULL,
    ),
    "description": "Minutes that an action may take; 0 is the server's own limit.",
}

DEFINITION: dict[str, Schema] = {
    "template": described(either(MAP, TEXT, NULL), "HOT or CFN: as data, or as text in YAML or JSON."),
    "template_url": described(TEXT_OR_NULL, "Where the template is, if it is not in the body."),
    "parameters": described(either(MAP, NULL), "Values by name; they win over the environment's."),
    "environment": described(either(MAP, TEXT, NULL), "An environment, as data or as text."),
    "files": described(
        either(values(either(TEXT, MAP)), NULL), "Files that templates and environments name, by name."
    ),
    "environment_files": described(
        either(TEXTS, NULL),
        "Names of files that are environments, merged in this order; then `environment` does not count.",
    ),
    "files_container": described(
        TEXT_OR_NULL, "A container of the object store whose objects are further files."
    ),
}
_COMMON: dict[str, Schema] = {
    **DEFINITION,
    "disable_rollback": described(_SWITCH, "Whether what fails stays as it is; true unless given."),
    "timeout_mins": _TIMEOUT,
    "tags": _TAGS,
}

NEW_STACK = {
    **record(
        {"stack_name": STACK_NAME},
        {
            **_COMMON,
            "adopt_stack_data": described(
                TEXT_OR_NULL, "What an abandoned stack has left, as JSON text: the stack takes it over."
            ),
        },
    ),
    "anyOf": [{"required": [name]} for name in ("template", "template_url", "adopt_stack_data")],
    "not": {"required": ["converge"]},
}
PREVIEWED_STACK = {
    **record({"stack_name": STACK_NAME}, _COMMON),
    "anyOf": [{"required": [name]} for name in ("template", "template_url")],
    "not": {"required": ["converge"]},
}
STACK_CHANGE = record(
    {},
    {
        **_COMMON,
        "converge": described(_SWITCH, "Whether to look at what there really is, and to repair it."),
        "clear_parameters": described(either(TEXTS, NULL), "Parameters that get their defaults back."),
        "existing": described(_SWITCH, "With PUT: whether to keep what is not given, as PATCH does."),
    },
)
TO_VALIDATE = {
    **record({}, DEFINITION),
    "anyOf": [{"required": [name]} for name in ("template", "template_url")],
}

TEMPLATE_EXAMPLE: dict[str, Any] = {
    "heat_template_version": "2021-04-16",
    "parameters": {"length": {"type": "number", "default": 16}},
    "resources": {
        "secret": {
            "type": "OS::Heat::RandomString",
            "properties": {"length": {"get_param": "length"}},
        }
    },
    "outputs": {"value": {"value": {"get_attr": ["secret", "value"]}}},
}
NEW_STACK_BODY = Body(NEW_STACK, {"stack_name": "example", "template": TEMPLATE_EXAMPLE, "timeout_mins": 60})
PREVIEW_BODY = Body(PREVIEWED_STACK, {"stack_name": "example", "template": TEMPLATE_EXAMPLE})
PUT_BODY = Body(STACK_CHANGE, {"template": TEMPLATE_EXAMPLE, "parameters": {"length": 20}})
PATCH_BODY = Body(STACK_CHANGE, {"parameters": {"length": 24}})
VALIDATE_BODY = Body(TO_VALIDATE, {"template": TEMPLATE_EXAMPLE})
