"""Actions on whole stacks, and snapshots of them."""

from __future__ import annotations

from calor.api.openapi.common import ACCEPTED, ACTION, NO_CONTENT, NULL_ANSWER, STATUS
from calor.api.openapi.vocabulary import (
    ANY,
    MAP_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    TIME,
    Answer,
    Body,
    Family,
    Link,
    Operation,
    items,
    record,
    ref,
    wrapped,
)

_STACK = "/stacks/{stack_name}/{stack_id}"
_SNAPSHOT = f"{_STACK}/snapshots/{{snapshot_id}}"
_ACTIONS = ("suspend", "resume", "check", "cancel_update", "cancel_without_rollback", "retry")
_MADE = {
    "stack_name": "$request.path.stack_name",
    "stack_id": "$request.path.stack_id",
    "snapshot_id": "$response.body#/id",
}

FAMILY = Family(
    "actions",
    "Actions on whole stacks, and snapshots.",
    {
        f"POST {_STACK}/actions": Operation(
            "act_on_stack",
            "Starts an action",
            {200: NULL_ANSWER},
            body=Body(
                {
                    "type": "object",
                    "properties": dict.fromkeys(_ACTIONS, ANY),
                    "additionalProperties": False,
                    "minProperties": 1,
                    "maxProperties": 1,
                },
                {"check": None},
            ),
            refusals=(409,),
            doc="The only key is the action; its value is ignored. `retry` repeats a failed action.",
        ),
        f"POST {_STACK}/snapshots": Operation(
            "create_snapshot",
            "Takes a snapshot",
            {
                200: Answer(
                    "The snapshot in progress.",
                    ref("Snapshot"),
                    links={
                        f"{operation}_of_it": Link(operation, _MADE)
                        for operation in ("show_snapshot", "delete_snapshot", "restore_snapshot")
                    },
                )
            },
            body=Body(
                record({}, {"name": {**TEXT_OR_NULL, "maxLength": 255}}), {"name": "before the change"}
            ),
            refusals=(409,),
        ),
        f"GET {_STACK}/snapshots": Operation(
            "list_snapshots",
            "Lists snapshots",
            {200: Answer("The snapshots, oldest first.", wrapped("snapshots", items(ref("Snapshot"))))},
        ),
        f"GET {_SNAPSHOT}": Operation(
            "show_snapshot",
            "Shows a snapshot",
            {200: Answer("The snapshot.", wrapped("snapshot", ref("Snapshot")))},
        ),
        f"DELETE {_SNAPSHOT}": Operation("delete_snapshot", "Deletes a snapshot", {204: NO_CONTENT}),
        f"POST {_SNAPSHOT}/restore": Operation(
            "restore_snapshot",
            "Restores the stack to a snapshot",
            {202: ACCEPTED},
            refusals=(409,),
        ),
    },
    {
        "Snapshot": record(
            {
                "id": TEXT,
                "name": TEXT_OR_NULL,
                "action": ACTION,
                "status": STATUS,
                "status_reason": TEXT,
                "data": {**MAP_OR_NULL, "description": "The stack as data, once the snapshot is complete."},
                "creation_time": TIME,
            }
        )
    },
)
