"""Further actions: locks, passwords, security groups, states set by an admin, and those that need more than one
host."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.compute.actions import ACCEPTED, Action, accept
from calor.localcloud.compute.building import DELETE
from calor.localcloud.compute.microversions import version_of
from calor.localcloud.compute.preconditions import require_state
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.requests import strict
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.compute.tasks import DELETING, Changes, Task
from calor.localcloud.policy import admins
from calor.localcloud.problems import BadRequest, Conflict, Forbidden, NotFound
from calor.localcloud.requests import nullable, one_of, text
from calor.localcloud.web import Call, Reply


async def _change_password(compute: ComputeService, server: Server) -> Changes:
    return {}


PASSWORD = Task("updating_password", "changePassword", "compute_set_admin_password", _change_password)
TASKS = (PASSWORD,)

_LOCK_FORM = nullable(strict(optional={"locked_reason": text(255, shortest=1)}))
_GROUP_FORM = strict({"name": text(255, shortest=1)})
_STATE_FORM = strict({"state": one_of("active", "error")})
_PASSWORD_FORM = strict({"adminPass": text(255)})


def _lock(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    given = _LOCK_FORM(content, "lock") or {}
    if given and version_of(call) < (2, 73):
        raise BadRequest("lock must be null.")
    by = "owner" if call.caller.project_id == server.project_id and not call.caller.is_admin else "admin"
    compute.records.servers.put(
        replace(server, locked_by=by, locked_reason=given.get("locked_reason"), updated=compute.stamp())
    )
    return ACCEPTED


def _unlock(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    if server.locked_by == "admin" and not call.caller.is_admin:
        raise Forbidden("An administrator has locked the server.")
    compute.records.servers.put(replace(server, locked_by=None, locked_reason=None, updated=compute.stamp()))
    return ACCEPTED


def _set_password(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    given = _PASSWORD_FORM(content, "changePassword")
    require_state(server, "set the password of", "active")
    return accept(compute, call, server, PASSWORD, admin_password=given["adminPass"])


def _add_group(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    name = _GROUP_FORM(content, "addSecurityGroup")["name"]
    compute.networks.set_groups(call.caller, server.id, [*_groups(compute, server), name])
    return ACCEPTED


def _remove_group(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    name = _GROUP_FORM(content, "removeSecurityGroup")["name"]
    groups = _groups(compute, server)
    if name not in groups:
        raise NotFound(f"Server {server.id} is not in security group {name}.")
    compute.networks.set_groups(call.caller, server.id, [each for each in groups if each != name])
    return ACCEPTED


def _groups(compute: ComputeService, server: Server) -> list[str]:
    ports = compute.networks.ports_of(server.id)
    return sorted({group for port in ports for group in port.security_groups})


def _reset_state(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    state = _STATE_FORM(content, "os-resetState")["state"]
    if server.task_state == DELETING:
        raise Conflict(f"Server {server.id} is being deleted.")
    compute.records.servers.put(
        replace(server, vm_state=state, task_state=None, pending={}, updated=compute.stamp())
    )
    return ACCEPTED


def _force_delete(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    return ACCEPTED if server.task_state == DELETING else accept(compute, call, server, DELETE)


def _move(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    require_state(server, "move", "active", "stopped", "paused", "error")
    raise BadRequest("No valid host was found: there is only one host.")


ACTIONS = {
    "lock": Action(_lock, even_locked=True),
    "unlock": Action(_unlock, even_locked=True),
    "changePassword": Action(_set_password),
    "addSecurityGroup": Action(_add_group),
    "removeSecurityGroup": Action(_remove_group),
    "os-resetState": Action(_reset_state, admins),
    "forceDelete": Action(_force_delete),
    "migrate": Action(_move, admins),
    "os-migrateLive": Action(_move, admins),
    "evacuate": Action(_move, admins),
}
