"""The bodies of requests that define stacks."""

from __future__ import annotations

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
from calor.resources.values import JsonObject

STACK_NAME: Schema = {"type": "string", "pattern": "^[a-zA-Z][a-zA-Z0-9_.-]{0,254}$"}
_SWITCH = either(FLAG, {"type": "string", "pattern": "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"}, NULL)
_TAGS: Schema = {
    "type": ["string", "null"],
    "pattern": "^[^,]{0,80}(,[^,]{0,80})*$",
    "description": "Comma-separated tags of at most 80 characters each.",
}
_TIMEOUT: Schema = {
    **either(
        {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
        {"type": "string", "pattern": "^[0-9]{1,9}$"},
        NULL,
    ),
    "description": "The timeout of actions in minutes; 0 means the server's default.",
}

DEFINITION: dict[str, Schema] = {
    "template": described(either(MAP, TEXT, NULL), "HOT or CFN: as data, or as text in YAML or JSON."),
    "template_url": described(TEXT_OR_NULL, "The URL of the template, if it is not in the body."),
    "parameters": described(either(MAP, NULL), "Values by name; they override those of the environment."),
    "environment": described(either(MAP, TEXT, NULL), "An environment, as data or as text."),
    "files": described(
        either(values(either(TEXT, MAP)), NULL),
        "The files that templates and environments refer to, by name.",
    ),
    "environment_files": described(
        either(TEXTS, NULL),
        "Names of environment files, merged in this order; `environment` is then ignored.",
    ),
    "files_container": described(TEXT_OR_NULL, "A container of the object store with additional files."),
}
_COMMON: dict[str, Schema] = {
    **DEFINITION,
    "disable_rollback": described(_SWITCH, "Whether a failed action is not rolled back; default: true."),
    "timeout_mins": _TIMEOUT,
    "tags": _TAGS,
}

NEW_STACK = {
    **record(
        {"stack_name": STACK_NAME},
        {
            **_COMMON,
            "adopt_stack_data": described(
                TEXT_OR_NULL,
                "The data of an abandoned stack as a JSON string: the new stack adopts its resources.",
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
        "converge": described(_SWITCH, "Whether to compare with the actual state and repair differences."),
        "clear_parameters": described(either(TEXTS, NULL), "Parameters to reset to their defaults."),
        "existing": described(_SWITCH, "With PUT: whether to keep values that are not given, like PATCH."),
    },
)
TO_VALIDATE = {
    **record({}, DEFINITION),
    "anyOf": [{"required": [name]} for name in ("template", "template_url")],
}

TEMPLATE_EXAMPLE: JsonObject = {
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
