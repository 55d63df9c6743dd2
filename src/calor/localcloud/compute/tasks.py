"""What takes time with a server: begun by a request, carried out later, and one at a time for each server.

A task that is under way is told by the record alone: after a restart, it is begun again from there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from calor.localcloud.compute.records import Deed, Server, new_id
from calor.localcloud.compute.state import Compute
from calor.localcloud.machinery import MachineryFailed
from calor.localcloud.problems import Problem
from calor.localcloud.web import Call

LATENCY = 0.02
DELETING = "deleting"

Changes = Mapping[str, Any]
Work = Callable[[Compute, Server], Awaitable[Changes | None]]
"""Does something with a server and gives what is to change in its record then; None where it is gone."""


class Abandoned(Exception):
    """The server is to be deleted: what is done with it has no more use."""


@dataclass(frozen=True)
class Task:
    state: str
    """The task state that servers have meanwhile."""
    action: str
    """What it is called in the history of the server."""
    event: str
    work: Work
    may_fail: bool = False
    """Whether a server that it fails with goes on as before, and is not in error."""


def begin(compute: Compute, call: Call, server: Server, task: Task, **changes: Any) -> Server:
    deed = Deed(
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
        compute.records.deeds.add(deed)
        pending = {**changes.pop("pending", {}), "deed": deed.id}
        begun = change(compute, server.id, task_state=task.state, pending=pending, **changes)
    carry_out_later(compute, begun, task)
    return begun


def carry_out_later(compute: Compute, server: Server, task: Task) -> None:
    assert server.task_state is not None
    compute.ground.life.later(LATENCY, partial(_carry_out, compute, server.id, server.task_state, task))


def change(compute: Compute, server_id: str, **changes: Any) -> Server:
    """The server as it is by now, changed and kept."""
    current = compute.records.servers.get(server_id)
    assert current is not None
    changes.setdefault("updated", compute.stamp())
    return compute.records.servers.put(replace(current, **changes))


def step(compute: Compute, server: Server, task_state: str) -> None:
    """The task goes on to its next part, unless the server is to be deleted."""
    check_wanted(compute, server)
    change(compute, server.id, task_state=task_state)


def check_wanted(compute: Compute, server: Server) -> None:
    current = compute.records.servers.get(server.id)
    if current is None or current.task_state == DELETING:
        raise Abandoned


async def _carry_out(compute: Compute, server_id: str, task_state: str, task: Task) -> None:
    async with compute.turns.of(server_id):
        server = compute.records.servers.get(server_id)
        if server is None or server.task_state != task_state:
            return
        result = "Success"
        changes: Changes | None
        try:
            changes = await task.work(compute, server)
        except Abandoned:
            return
        except (MachineryFailed, Problem) as error:
            result = "Error"
            changes = {"fault": _fault(compute, error)} if task.may_fail else in_error(compute, error)
        with compute.records.store.transaction():
            _note_end(compute, server, result)
            current = compute.records.servers.get(server_id)
            if changes is not None and current is not None and current.task_state not in (None, DELETING):
                change(compute, server_id, **{"task_state": None, "pending": {}, **changes})


def in_error(compute: Compute, error: Exception) -> Changes:
    return {"vm_state": "error", "fault": _fault(compute, error)}


def _fault(compute: Compute, error: Exception) -> dict[str, Any]:
    return {"code": 500, "created": compute.stamp(), "message": str(error)[:255]}


def _note_end(compute: Compute, server: Server, result: str) -> None:
    deed = compute.records.deeds.get(str(server.pending.get("deed")))
    if deed is not None:
        compute.records.deeds.put(replace(deed, finished=compute.stamp(), result=result))
