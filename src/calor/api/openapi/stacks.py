"""Stacks: lists, single stacks, and their contents."""

from __future__ import annotations

from calor.api.openapi import previews, requests
from calor.api.openapi.common import (
    ACCEPTED,
    ACTION,
    LINKS,
    NO_CONTENT,
    STATE,
    STATUS,
    TEMPLATE,
    flag,
    number,
    paging,
    repeated,
    sorting,
    text,
)
from calor.api.openapi.vocabulary import (
    ANY,
    COUNT,
    FLAG,
    MAP,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    TIME,
    TIME_OR_NULL,
    Answer,
    Family,
    Link,
    Operation,
    Schema,
    described,
    either,
    items,
    one_of,
    record,
    ref,
    values,
    wrapped,
)

_STACK = "/stacks/{stack_name}/{stack_id}"
_TIMEOUT: Schema = {"type": ["integer", "null"]}

_COMMON: dict[str, Schema] = {
    "id": TEXT,
    "links": LINKS,
    "stack_name": TEXT,
    "stack_status": STATE,
    "stack_status_reason": TEXT,
    "description": TEXT,
    "creation_time": TIME,
    "updated_time": TIME_OR_NULL,
    "deletion_time": TIME_OR_NULL,
    "stack_owner": described(TEXT_OR_NULL, "The name of the user who created it."),
    "parent": described(TEXT_OR_NULL, "The id of the parent stack."),
    "stack_user_project_id": TEXT_OR_NULL,
}
_ENVIRONMENT: dict[str, Schema] = {
    "parameters": MAP,
    "parameter_defaults": MAP,
    "resource_registry": MAP,
    "event_sinks": items(ANY),
}
_RESOURCE_LEFT: dict[str, Schema] = {
    "name": TEXT,
    "resource_id": TEXT_OR_NULL,
    "type": TEXT,
    "action": ACTION,
    "status": STATUS,
    "metadata": MAP,
    "resource_data": MAP,
}
_STACK_LEFT: dict[str, Schema] = {
    "id": TEXT,
    "template": either(MAP, TEXT),
    "files": MAP,
    "environment": ref("Environment"),
    "environment_files": TEXTS,
    "resources": values(ref("ResourceData")),
    "project_id": TEXT,
    "stack_user_project_id": TEXT_OR_NULL,
    "tags": TEXTS,
}
_DECLARED: dict[str, Schema] = {"Description": TEXT, "Parameters": values(ref("DeclaredParameter"))}
_ALSO_DECLARED: dict[str, Schema] = {
    "ParameterGroups": items(record({"parameters": items(ANY)}, {"label": ANY, "description": ANY})),
    "NestedParameters": values(ref("NestedDeclarations")),
}

SCHEMAS: dict[str, Schema] = {
    "StackLine": record(
        {**_COMMON, "tags": {"type": ["array", "null"], "items": TEXT}},
        {"project": described(TEXT, "For administrators.")},
    ),
    "Stack": record(
        {
            **_COMMON,
            "template_description": TEXT,
            "parameters": described(
                values(TEXT_OR_NULL),
                "Values as strings, including pseudo parameters; hidden ones are masked.",
            ),
            "capabilities": items(TEXT),
            "notification_topics": items(TEXT),
            "disable_rollback": FLAG,
            "timeout_mins": _TIMEOUT,
            "tags": TEXTS,
        },
        {"outputs": items(ref("Output"))},
    ),
    "Output": record(
        {"output_key": TEXT, "output_value": ANY, "description": TEXT},
        {
            "output_error": described(TEXT, "The reason why there is no value."),
            "sensitive": described(FLAG, "True if the value is or contains a secret; otherwise absent."),
        },
    ),
    "Environment": record({**_ENVIRONMENT, "encrypted_param_names": TEXTS}),
    "StackData": record({**_STACK_LEFT, "name": TEXT, "action": ACTION, "status": STATUS}),
    "ResourceData": record(
        _RESOURCE_LEFT, {name: schema for name, schema in _STACK_LEFT.items() if name not in _RESOURCE_LEFT}
    ),
    "Declarations": record(_DECLARED, {**_ALSO_DECLARED, "Environment": record(_ENVIRONMENT)}),
    "NestedDeclarations": record({"Type": TEXT, **_DECLARED}, _ALSO_DECLARED),
    "DeclaredParameter": record(
        {
            "Type": one_of("String", "Number", "CommaDelimitedList", "Json", "Boolean"),
            "Description": TEXT,
            "NoEcho": one_of("true", "false"),
            "Label": TEXT,
        },
        {
            "Default": ANY,
            "Value": ANY,
            "Tags": items(ANY),
            **dict.fromkeys(("MinLength", "MaxLength", "MinValue", "MaxValue", "Step", "Offset"), ANY),
            "AllowedValues": items(ANY),
            "AllowedPattern": TEXT,
            "CustomConstraint": TEXT,
            "ConstraintDescription": TEXT,
        },
    ),
    **previews.SCHEMAS,
}

_LIST_PARAMETERS = (
    *paging("stack"),
    *sorting("stack_name", "stack_status", "creation_time", "updated_time"),
    *(
        repeated(name, "Only stacks with one of these values.")
        for name in (
            "id",
            "name",
            "status",
            "action",
            "tenant",
            "username",
            "owner_id",
            "stack_name",
            "stack_status",
            "stack_action",
            "stack_status_reason",
            "stack_owner",
            "parent",
            "stack_user_project_id",
        )
    ),
    flag("disable_rollback", "Only stacks that are (not) rolled back on failure."),
    number("timeout_mins", "Only stacks with this timeout."),
    text("tags", "Only stacks with all of these comma-separated tags."),
    text("tags_any", "Only stacks with one of these tags."),
    text("not_tags", "Only stacks that lack at least one of these tags."),
    text("not_tags_any", "Only stacks without any of these tags."),
    flag("show_deleted", "Whether to include deleted stacks."),
    flag("show_nested", "Whether to include nested stacks."),
    flag("show_hidden", "Whether to include stacks that are hidden by their tags."),
    flag("global_tenant", "Includes stacks of all projects, if the policy allows it."),
    flag("with_count", "Whether to include the total number of stacks."),
)
_SHOW_SECRETS = flag(
    "show_secrets", "Whether to show secrets unmasked. The caller must be allowed to do what is previewed."
)
_MADE = {"stack_name": "$request.body#/stack_name", "stack_id": "$response.body#/stack/id"}
_CREATED = Answer(
    "The stack is being created.",
    wrapped("stack", record({"id": TEXT, "links": LINKS})),
    headers={"Location": "The URL of the stack."},
    links={
        f"{operation}_of_it": Link(operation, _MADE)
        for operation in (
            "show_stack",
            "update_stack",
            "patch_stack",
            "delete_stack",
            "act_on_stack",
            "list_resources",
            "list_events",
            "create_snapshot",
            "show_template",
            "preview_update",
        )
    },
)

FAMILY = Family(
    "stacks",
    "Stacks and their contents.",
    {
        "GET /stacks": Operation(
            "list_stacks",
            "Lists stacks",
            {
                200: Answer(
                    "The stacks, newest first unless sorted otherwise.",
                    record(
                        {"stacks": items(ref("StackLine"))},
                        {"links": described(LINKS, "Link to the next page."), "count": COUNT},
                    ),
                )
            },
            _LIST_PARAMETERS,
        ),
        "POST /stacks": Operation(
            "create_stack",
            "Creates a stack, or adopts one",
            {201: _CREATED},
            body=requests.NEW_STACK_BODY,
            refusals=(409,),
        ),
        "GET /stacks/detail": Operation(
            "list_stacks_in_detail",
            "Lists all stacks of the project",
            {200: Answer("The stacks.", wrapped("stacks", items(ref("StackLine"))))},
        ),
        "POST /stacks/preview": Operation(
            "preview_stack",
            "Previews a new stack",
            {200: Answer("The previewed stack.", wrapped("stack", ref("PreviewedStack")))},
            (_SHOW_SECRETS,),
            body=requests.PREVIEW_BODY,
        ),
        "POST /validate": Operation(
            "validate_template",
            "Validates a template",
            {200: Answer("What the template declares.", ref("Declarations"))},
            (
                flag("show_nested", "Whether to include nested templates."),
                text("ignore_errors", "99001: ignore types whose service is missing."),
            ),
            requests.VALIDATE_BODY,
        ),
        f"GET {_STACK}": Operation(
            "show_stack",
            "Shows a stack",
            {200: Answer("The stack.", wrapped("stack", ref("Stack")))},
            (flag("resolve_outputs", "Whether to include outputs; default: true."),),
        ),
        f"PUT {_STACK}": Operation(
            "update_stack",
            "Updates a stack",
            {202: ACCEPTED},
            body=requests.PUT_BODY,
            refusals=(409,),
        ),
        f"PATCH {_STACK}": Operation(
            "patch_stack",
            "Updates a stack, keeping values that are not given",
            {202: ACCEPTED},
            body=requests.PATCH_BODY,
            refusals=(409,),
        ),
        f"DELETE {_STACK}": Operation("delete_stack", "Deletes a stack", {204: NO_CONTENT}, refusals=(409,)),
        f"PUT {_STACK}/preview": Operation(
            "preview_update",
            "Previews an update",
            {200: previews.UPDATE},
            (flag("show_nested", "Whether to include the resources of nested stacks."), _SHOW_SECRETS),
            requests.PUT_BODY,
        ),
        f"PATCH {_STACK}/preview": Operation(
            "preview_patch",
            "Previews an update that keeps values that are not given",
            {200: previews.UPDATE},
            (flag("show_nested", "Whether to include the resources of nested stacks."), _SHOW_SECRETS),
            requests.PATCH_BODY,
        ),
        f"DELETE {_STACK}/abandon": Operation(
            "abandon_stack",
            "Deletes a stack but keeps its resources",
            {200: Answer("The data for adopting the stack.", ref("StackData"))},
            refusals=(409,),
            doc="Only if enabled by the operator.",
        ),
        f"GET {_STACK}/export": Operation(
            "export_stack",
            "Shows a stack as data",
            {200: Answer("The data for adopting the stack.", ref("StackData"))},
            doc="Only if enabled by the operator.",
        ),
        f"GET {_STACK}/template": Operation(
            "show_template", "Shows a stack's template", {200: Answer("The template.", TEMPLATE)}
        ),
        f"GET {_STACK}/environment": Operation(
            "show_environment",
            "Shows a stack's environment",
            {200: Answer("The effective environment.", ref("Environment"))},
        ),
        f"GET {_STACK}/files": Operation(
            "show_files",
            "Shows a stack's files",
            {200: Answer("The files by name.", values(either(TEXT, MAP)))},
        ),
        f"GET {_STACK}/outputs": Operation(
            "list_outputs",
            "Lists a stack's outputs without their values",
            {
                200: Answer(
                    "The outputs.",
                    wrapped("outputs", items(record({"output_key": TEXT, "description": TEXT}))),
                    links={
                        "first": Link(
                            "show_output",
                            {
                                "stack_name": "$request.path.stack_name",
                                "stack_id": "$request.path.stack_id",
                                "output_key": "$response.body#/outputs/0/output_key",
                            },
                        )
                    },
                )
            },
        ),
        f"GET {_STACK}/outputs/{{output_key}}": Operation(
            "show_output", "Shows an output", {200: Answer("The output.", wrapped("output", ref("Output")))}
        ),
    },
    SCHEMAS,
)
