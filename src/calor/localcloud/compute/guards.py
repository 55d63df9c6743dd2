"""Which server a request is about, and whether it may be done with it as it is."""

from __future__ import annotations

from calor.localcloud.compute.records import Server
from calor.localcloud.compute.state import Compute
from calor.localcloud.problems import Conflict, NotFound
from calor.localcloud.web import Call


def need_server(compute: Compute, call: Call) -> Server:
    """The server that the path names. Others' are as if they were not there."""
    return need_server_by_id(compute, call, call.path["server_id"])


def need_server_by_id(compute: Compute, call: Call, server_id: str) -> Server:
    found = compute.records.servers.get(server_id)
    if found is None or (found.project_id != call.caller.project_id and not call.caller.is_admin):
        raise NotFound.of("server", server_id)
    return found


def require_unlocked(call: Call, server: Server) -> None:
    if server.locked_by and not call.caller.is_admin:
        raise Conflict(f"The server {server.id} is locked.")


def require_state(server: Server, doing: str, *states: str) -> None:
    """Refuses what a server cannot have done with it now."""
    if server.vm_state not in states:
        raise Conflict(f"Cannot {doing} the server {server.id} while its vm_state is {server.vm_state}.")
    require_no_task(server, doing)


def require_no_task(server: Server, doing: str) -> None:
    if server.task_state is not None:
        raise Conflict(f"Cannot {doing} the server {server.id} while its task_state is {server.task_state}.")
