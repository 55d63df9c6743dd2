"""Previews: resources in Heat's raw format, and plans."""

from __future__ import annotations

from calor.api.openapi.common import ACTION, LINKS, STATUS
from calor.api.openapi.vocabulary import (
    ANY,
    COUNT,
    FLAG,
    MAP,
    NULL,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    TIME_OR_NULL,
    Answer,
    Schema,
    described,
    either,
    items,
    one_of,
    record,
    ref,
    values,
)

_KINDS = ("create", "update", "replace", "delete", "keep", "forbidden", "undecided")
_RAW: dict[str, Schema] = {
    "resource_name": TEXT,
    "resource_type": TEXT,
    "required_by": TEXTS,
    "resource_identity": ref("Identity"),
    "stack_identity": ref("Identity"),
    "stack_name": TEXT,
    "metadata": MAP,
    "attributes": MAP,
    "creation_time": TIME_OR_NULL,
    "updated_time": TIME_OR_NULL,
    "physical_resource_id": TEXT,
    "resource_action": ACTION,
    "resource_status": STATUS,
    "resource_status_reason": TEXT,
    "description": TEXT,
}

SCHEMAS: dict[str, Schema] = {
    "Identity": record({"tenant": TEXT, "stack_name": TEXT, "stack_id": TEXT, "path": TEXT}),
    "PreviewedStack": record(
        {
            "id": described(TEXT, "None, since the stack does not exist."),
            "links": LINKS,
            "stack_name": TEXT,
            "description": TEXT,
            "template_description": TEXT,
            "parameters": values(TEXT_OR_NULL),
            "outputs": items(ref("Output")),
            "resources": ref("PreviewedResources"),
            "plan": items(ref("Step")),
            "capabilities": items(TEXT),
            "notification_topics": items(TEXT),
            "disable_rollback": FLAG,
            "timeout_mins": {"type": ["integer", "null"]},
            "stack_owner": TEXT_OR_NULL,
            "parent": NULL,
            "stack_user_project_id": NULL,
            "tags": TEXTS,
            "creation_time": NULL,
            "updated_time": NULL,
            "deletion_time": NULL,
        }
    ),
    "PreviewedResources": described(
        items(either(ref("PreviewedResource"), ref("PreviewedResources"))),
        "Resources; those of a nested stack are a list in the list.",
    ),
    "PreviewedResource": record({**_RAW, "properties": MAP}, {"parent_resource": TEXT}),
    "ChangedResource": record(
        {**_RAW, "reason": TEXT, "changes": items(ref("Change"))},
        {
            "decision": one_of("forbidden", "undecided"),
            "may_be_replaced": FLAG,
            "nested_stack_id": ref("Identity"),
            "parent_resource": TEXT,
        },
    ),
    "Change": record(
        {"property": TEXT, "before": ANY, "after": ANY},
        {"after_known": described(FLAG, "False if the value is not known before the step is done.")},
    ),
    "Step": record(
        {
            "action": one_of(*_KINDS),
            "resource_name": TEXT,
            "path": described(TEXTS, "The path of the resource through the nested stacks."),
            "resource_type": TEXT,
            "reason": TEXT,
            "changes": items(ref("Change")),
        },
        {
            "possible": described(items(one_of(*_KINDS)), "The possible actions of an undecided step."),
            "may_be_replaced": described(FLAG, "Whether the resource may be replaced."),
            "nested": described(items(ref("Step")), "The steps of the nested stack."),
            "unchanged_below": described(
                COUNT, "The number of resources in the nested stack, if all are unchanged."
            ),
            "nested_unknown": described(TEXT, "Why the steps of the nested stack are not known."),
        },
    ),
}

UPDATE = Answer(
    "What would happen to each resource, and in which order.",
    record(
        {
            "resource_changes": record(
                {
                    group: items(ref("ChangedResource"))
                    for group in ("unchanged", "updated", "replaced", "added", "deleted")
                }
            ),
            "plan": items(ref("Step")),
        }
    ),
)
