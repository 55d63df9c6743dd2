"""Actions and statuses of stacks and resources, with the strings of Heat's API."""

from __future__ import annotations

from enum import StrEnum


class Action(StrEnum):
    INIT = "INIT"
    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    ADOPT = "ADOPT"
    CHECK = "CHECK"
    SUSPEND = "SUSPEND"
    RESUME = "RESUME"
    SNAPSHOT = "SNAPSHOT"
    RESTORE = "RESTORE"
    ROLLBACK = "ROLLBACK"


class Status(StrEnum):
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETE = "COMPLETE"
    FAILED = "FAILED"
