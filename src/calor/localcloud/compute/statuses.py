"""The status of a server, derived from its vm_state and task_state."""

from __future__ import annotations

from calor.localcloud.compute.records import Server

RUNNING, PAUSED, SHUT_DOWN, SUSPENDED, NO_STATE = 1, 3, 4, 7, 0
"""Power states."""

_STATUSES: dict[str, dict[str | None, str]] = {
    "active": {
        None: "ACTIVE",
        "rebooting": "REBOOT",
        "rebooting_hard": "HARD_REBOOT",
        "updating_password": "PASSWORD",
        "rebuilding": "REBUILD",
        "resize_prep": "RESIZE",
    },
    "building": {None: "BUILD"},
    "stopped": {
        None: "SHUTOFF",
        "rebooting_hard": "HARD_REBOOT",
        "rebuilding": "REBUILD",
        "resize_prep": "RESIZE",
    },
    "resized": {None: "VERIFY_RESIZE", "resize_reverting": "REVERT_RESIZE"},
    "paused": {None: "PAUSED", "rebooting_hard": "HARD_REBOOT", "rebuilding": "REBUILD"},
    "suspended": {None: "SUSPENDED", "rebooting_hard": "HARD_REBOOT", "rebuilding": "REBUILD"},
    "rescued": {None: "RESCUE"},
    "error": {None: "ERROR", "rebooting_hard": "HARD_REBOOT", "rebuilding": "REBUILD"},
    "shelved": {None: "SHELVED"},
    "shelved_offloaded": {None: "SHELVED_OFFLOADED"},
}

_WITH_PROGRESS = frozenset({"ACTIVE", "BUILD", "REBUILD", "RESIZE", "VERIFY_RESIZE", "MIGRATING"})


def status_of(server: Server) -> str:
    by_task = _STATUSES.get(server.vm_state, {})
    return by_task.get(server.task_state) or by_task.get(None, "UNKNOWN")


def states_of(status: str) -> frozenset[str]:
    """The states in which servers may have this status; none where there is no such status."""
    wanted = status.upper()
    return frozenset(state for state, by_task in _STATUSES.items() if wanted in by_task.values())


def progress_of(status: str) -> int | None:
    """Either 0 or 100; not shown in other states."""
    if status not in _WITH_PROGRESS:
        return None
    return 100 if status in ("ACTIVE", "VERIFY_RESIZE") else 0
