"""Tasks of servers: started by requests, run in the background, one at a time for each server.

A running task is stored in the record of the server, so that it can be repeated after a restart.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from calor.localcloud.backend import BackendError
from calor.localcloud.compute.records import InstanceAction, Server, new_id
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.problems import Problem
from calor.localcloud.types import Json
from calor.localcloud.web import Call

LATENCY = 0.02
DELETING = "deleting"

Changes = Mapping[str, object]
Work = Callable[[ComputeService, Server], Awaitable[Changes | None]]
"""Works on a server; returns changes of its record, or None if the server was removed."""


class TaskAbandoned(Exception):
    """The server is being deleted: the task is pointless."""


@dataclass(frozen=True)
class Task:
    state: str
    """The task_state during the task."""
    action: str
    """Its name in os-instance-actions."""
    event: str
    work: Work
    may_fail: bool = False
    """Whether a failure leaves the server in its former state instead of error."""


def begin(compute: ComputeService, call: Call, server: Server, task: Task, **changes: Any) -> Server:
    action = InstanceAction(
        id=new_id(),
        server_id=server.id,
        action=task.action,
        user_id=call.caller.user_id,
        project_id=call.caller.project_id or server.project_id,
        request_id=call.request_id,
        started=compute.stamp(),
        event=task.event,
    )
    with compute.records.store.transaction():
        compute.records.instance_actions.add(action)
        pending = {**changes.pop("pending", {}), "deed": action.id}
        begun = change(compute, server.id, task_state=task.state, pending=pending, **changes)
    carry_out_later(compute, begun, task)
    return begun


def carry_out_later(compute: ComputeService, server: Server, task: Task) -> None:
    assert server.task_state is not None
    compute.context.background.later(
        LATENCY, partial(_carry_out, compute, server.id, server.task_state, task)
    )


def change(compute: ComputeService, server_id: str, **changes: Any) -> Server:
    """Reads the server again, changes and stores it."""
    current = compute.records.servers.get(server_id)
    assert current is not None
    changes.setdefault("updated", compute.stamp())
    return compute.records.servers.put(replace(current, **changes))


def step(compute: ComputeService, server: Server, task_state: str) -> None:
    """Sets the next task_state. Raises TaskAbandoned if the server is being deleted."""
    check_not_deleted(compute, server)
    change(compute, server.id, task_state=task_state)


def check_not_deleted(compute: ComputeService, server: Server) -> None:
    current = compute.records.servers.get(server.id)
    if current is None or current.task_state == DELETING:
        raise TaskAbandoned


async def _carry_out(compute: ComputeService, server_id: str, task_state: str, task: Task) -> None:
    async with compute.server_locks.of(server_id):
        server = compute.records.servers.get(server_id)
        if server is None or server.task_state != task_state:
            return
        result = "Success"
        changes: Changes | None
        try:
            changes = await task.work(compute, server)
        except TaskAbandoned:
            return
        except (BackendError, Problem) as error:
            result = "Error"
            changes = {"fault": _fault(compute, error)} if task.may_fail else in_error(compute, error)
        with compute.records.store.transaction():
            _note_end(compute, server, result)
            current = compute.records.servers.get(server_id)
            if changes is not None and current is not None and current.task_state not in (None, DELETING):
                change(compute, server_id, **{"task_state": None, "pending": {}, **changes})


def in_error(compute: ComputeService, error: Exception) -> Changes:
    return {"vm_state": "error", "fault": _fault(compute, error)}


def _fault(compute: ComputeService, error: Exception) -> Json:
    return {"code": 500, "created": compute.stamp(), "message": str(error)[:255]}


def _note_end(compute: ComputeService, server: Server, result: str) -> None:
    action = compute.records.instance_actions.get(str(server.pending.get("deed")))
    if action is not None:
        compute.records.instance_actions.put(replace(action, finished=compute.stamp(), result=result))
