"""The server of a request, and preconditions of its state."""

from __future__ import annotations

from calor.localcloud.compute.records import Server
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.problems import Conflict, NotFound
from calor.localcloud.web import Call


def need_server(compute: ComputeService, call: Call) -> Server:
    """The server in the path. Raises NotFound for those of other projects."""
    return need_server_by_id(compute, call, call.path["server_id"])


def need_server_by_id(compute: ComputeService, call: Call, server_id: str) -> Server:
    found = compute.records.servers.get(server_id)
    if found is None or (found.project_id != call.caller.project_id and not call.caller.is_admin):
        raise NotFound.of("server", server_id)
    return found


def require_unlocked(call: Call, server: Server) -> None:
    if server.locked_by and not call.caller.is_admin:
        raise Conflict(f"Server {server.id} is locked.")


def require_state(server: Server, doing: str, *states: str) -> None:
    """Raises Conflict unless the server is in one of the states and has no task."""
    if server.vm_state not in states:
        raise Conflict(f"Cannot {doing} server {server.id} while its vm_state is {server.vm_state}.")
    require_no_task(server, doing)


def require_no_task(server: Server, doing: str) -> None:
    if server.task_state is not None:
        raise Conflict(f"Cannot {doing} server {server.id} while its task_state is {server.task_state}.")
