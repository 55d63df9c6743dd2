"""Server groups. Policies are stored, but have no effect, since there is only one host."""

from __future__ import annotations

from calor.localcloud.compute.lists import STYLE
from calor.localcloud.compute.microversions import version_of
from calor.localcloud.compute.policy import members
from calor.localcloud.compute.quotas import check_limit
from calor.localcloud.compute.records import ServerGroup, new_id
from calor.localcloud.compute.requests import number, plain_name, strict
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.lists import by_id, whole_number
from calor.localcloud.policy import readers
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.requests import listing, one_of, truth
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply

_OLD = ("affinity", "anti-affinity")
_SOFT = ("soft-affinity", "soft-anti-affinity")


def list_groups(compute: ComputeService, call: Call) -> Reply:
    everyones = call.caller.is_admin and truth(call.query.get("all_projects", "false"))
    wanted = {} if everyones else {"project_id": call.caller.project_id}
    groups = compute.records.groups.find(**wanted)
    page = STYLE.page(call, groups[whole_number(call, "offset") or 0 :], by_id)
    return Reply(body={"server_groups": [_show(compute, call, group) for group in page.items]})


def create_group(compute: ComputeService, call: Call) -> Reply:
    version = version_of(call)
    policies = one_of(*_OLD, *(_SOFT if version >= (2, 15) else ()))
    if version >= (2, 64):
        form = strict(
            {"name": plain_name, "policy": policies},
            {"rules": strict(optional={"max_server_per_host": number(1)})},
        )
    else:
        form = strict({"name": plain_name, "policies": listing(policies, longest=1)})
    given = call.read_in("server_group", form)
    policy = given["policy"] if "policy" in given else next(iter(given["policies"]), None)
    if policy is None:
        raise BadRequest("server_group.policies must have exactly one policy.")
    rules = given.get("rules", {})
    if rules and policy != "anti-affinity":
        raise BadRequest("Only the anti-affinity policy supports rules.")
    project_id = call.caller.project_id
    assert project_id is not None
    check_limit(compute, project_id, "server_groups", compute.records.groups.count(project_id=project_id) + 1)
    group = ServerGroup(
        id=new_id(),
        name=given["name"],
        project_id=project_id,
        user_id=call.caller.user_id,
        policy=policy,
        max_per_host=rules.get("max_server_per_host"),
    )
    return Reply(body={"server_group": _show(compute, call, compute.records.groups.add(group))})


def get_group(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"server_group": _show(compute, call, _need(compute, call))})


def delete_group(compute: ComputeService, call: Call) -> Reply:
    compute.records.groups.remove(_need(compute, call).id)
    return NO_CONTENT


def _need(compute: ComputeService, call: Call) -> ServerGroup:
    found = compute.records.groups.get(call.path["group_id"])
    if found is None or (found.project_id != call.caller.project_id and not call.caller.is_admin):
        raise NotFound.of("server group", call.path["group_id"])
    return found


def _show(compute: ComputeService, call: Call, group: ServerGroup) -> Json:
    version = version_of(call)
    shown: Json = {
        "id": group.id,
        "name": group.name,
        "members": [server.id for server in compute.records.servers.find(group_id=group.id)],
    }
    if version >= (2, 13):
        shown |= {"project_id": group.project_id, "user_id": group.user_id}
    if version < (2, 64):
        return shown | {"policies": [group.policy], "metadata": {}}
    rules = {} if group.max_per_host is None else {"max_server_per_host": group.max_per_host}
    return shown | {"policy": group.policy, "rules": rules}


ROUTES = (
    ComputeRoute("GET", "/os-server-groups", list_groups, readers),
    ComputeRoute("POST", "/os-server-groups", create_group, members),
    ComputeRoute("GET", "/os-server-groups/{group_id}", get_group, readers),
    ComputeRoute("DELETE", "/os-server-groups/{group_id}", delete_group, members),
)
