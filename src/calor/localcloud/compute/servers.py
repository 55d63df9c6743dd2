"""Servers: create, list, show, update, delete."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.compute.building import BUILD, DELETE
from calor.localcloud.compute.claims import check_sharing
from calor.localcloud.compute.creation import create
from calor.localcloud.compute.lists import STYLE
from calor.localcloud.compute.microversions import Version, version_of
from calor.localcloud.compute.policy import members
from calor.localcloud.compute.preconditions import need_server, require_unlocked
from calor.localcloud.compute.records import InstanceAction, Server
from calor.localcloud.compute.requests import address, plain_name, strict
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.server_filters import find_servers
from calor.localcloud.compute.server_requests import host_name, read_server_request
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.compute.tasks import DELETING, begin
from calor.localcloud.compute.views import (
    links_of,
    show_addresses,
    show_changed,
    show_one,
    show_reference,
    show_servers,
)
from calor.localcloud.lists import Page, by_id, list_body
from calor.localcloud.policy import readers
from calor.localcloud.problems import NotFound
from calor.localcloud.requests import Reader, nullable, one_of, parse_json, text
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply


def list_servers(compute: ComputeService, call: Call) -> Reply:
    page = STYLE.page(call, find_servers(compute, call), by_id)
    shown = [show_reference(call, server) for server in page.items]
    return Reply(body=list_body("servers", shown, page.links(call)))


def list_servers_in_detail(compute: ComputeService, call: Call) -> Reply:
    page = STYLE.page(call, find_servers(compute, call), by_id)
    return Reply(body=list_body("servers", show_servers(compute, call, page.items), page.links(call)))


def create_servers(compute: ComputeService, call: Call) -> Reply:
    wanted = read_server_request(parse_json(call.raw), version_of(call))
    existing = [str(disk.uuid) for disk in wanted.disks if disk.source == "volume"]
    check_sharing(compute, call.caller, existing, version_of(call))
    servers = create(compute, call.caller, wanted)
    for server in servers:
        begin(compute, call, server, BUILD)
    if wanted.rest.get("return_reservation_id"):
        return Reply(202, {"reservation_id": servers[0].reservation})
    first = servers[0]
    links = links_of(call, f"servers/{first.id}")
    shown = {
        "id": first.id,
        "links": links,
        "OS-DCF:diskConfig": first.disk_config,
        "security_groups": [{"name": name} for name in wanted.groups or ("default",)],
        "adminPass": first.admin_password,
    }
    return Reply(202, {"server": shown}, {"Location": links[0]["href"]})


def get_server(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"server": show_one(compute, call, need_server(compute, call))})


def update_server(compute: ComputeService, call: Call) -> Reply:
    server = need_server(compute, call)
    given = call.read_in("server", _change_form(version_of(call)))
    changes = {field: given[member] for member, field in _CHANGEABLE.items() if member in given}
    changed = compute.records.servers.put(replace(server, **changes, updated=compute.stamp()))
    return Reply(body={"server": show_after_change(compute, call, changed)})


def delete_server(compute: ComputeService, call: Call) -> Reply:
    server = need_server(compute, call)
    require_unlocked(call, server)
    if server.task_state != DELETING:
        begin(compute, call, server, DELETE)
    return NO_CONTENT


def list_addresses(compute: ComputeService, call: Call) -> Reply:
    ports = compute.networks.ports_of(need_server(compute, call).id)
    return Reply(body={"addresses": show_addresses(ports, kinds=False)})


def list_addresses_in_network(compute: ComputeService, call: Call) -> Reply:
    shown = show_addresses(compute.networks.ports_of(need_server(compute, call).id), kinds=False)
    network = call.path["network"]
    if network not in shown:
        raise NotFound.of("network", network)
    return Reply(body={network: shown[network]})


def get_password(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"password": need_server(compute, call).password})


def clear_password(compute: ComputeService, call: Call) -> Reply:
    compute.records.servers.put(replace(need_server(compute, call), password=""))
    return NO_CONTENT


def list_instance_actions(compute: ComputeService, call: Call) -> Reply:
    server = need_server(compute, call)
    instance_actions = compute.records.instance_actions.find(server_id=server.id)[::-1]
    paged = version_of(call) >= (2, 58)
    page = (
        STYLE.page(call, instance_actions, lambda action: action.request_id)
        if paged
        else Page(instance_actions)
    )
    shown = [_show_instance_action(call, action) for action in page.items]
    return Reply(body=list_body("instanceActions", shown, page.links(call), "links"))


def get_instance_action(compute: ComputeService, call: Call) -> Reply:
    server, request_id = need_server(compute, call), call.path["request_id"]
    action = compute.records.instance_actions.first(request_id=request_id, server_id=server.id)
    if action is None:
        raise NotFound.of("action", request_id)
    event: Json = {
        "event": action.event,
        "start_time": _precise(action.started),
        "finish_time": _precise(action.finished),
        "result": action.result or None,
    }
    if call.caller.is_admin:
        event["traceback"] = None
    return Reply(body={"instanceAction": {**_show_instance_action(call, action), "events": [event]}})


def show_after_change(compute: ComputeService, call: Call, server: Server) -> Json:
    version = version_of(call)
    if version >= (2, 75):
        return show_one(compute, call, server)
    return show_changed(call, server, compute.networks.ports_of(server.id), version)


_CHANGEABLE = {
    "name": "name",
    "OS-DCF:diskConfig": "disk_config",
    "accessIPv4": "access_v4",
    "accessIPv6": "access_v6",
    "description": "description",
    "hostname": "host_name",
}


def _change_form(version: Version) -> Reader[Json]:
    optional: dict[str, Reader[object]] = {
        "name": plain_name,
        "OS-DCF:diskConfig": one_of("AUTO", "MANUAL"),
        "accessIPv4": _empty_as_none(address(4)),
        "accessIPv6": _empty_as_none(address(6)),
    }
    if version >= (2, 19):
        optional["description"] = nullable(text(255))
    if version >= (2, 90):
        optional["hostname"] = host_name(version)
    return strict(optional=optional)


def _empty_as_none(reader: Reader[str]) -> Reader[str | None]:
    return lambda value, where: "" if value in ("", None) else reader(value, where)


def _show_instance_action(call: Call, action: InstanceAction) -> Json:
    shown: Json = {
        "action": action.action,
        "instance_uuid": action.server_id,
        "request_id": action.request_id,
        "user_id": action.user_id,
        "project_id": action.project_id,
        "start_time": _precise(action.started),
        "message": "Error" if action.result == "Error" else None,
    }
    if version_of(call) >= (2, 58):
        shown["updated_at"] = _precise(action.finished or action.started)
    return shown


def _precise(stamp: str | None) -> str | None:
    return f"{stamp[:-1]}.000000" if stamp else None


_ONE = "/servers/{server_id}"

ROUTES = (
    ComputeRoute("GET", "/servers", list_servers, readers),
    ComputeRoute("POST", "/servers", create_servers, members),
    ComputeRoute("GET", "/servers/detail", list_servers_in_detail, readers),
    ComputeRoute("GET", _ONE, get_server, readers),
    ComputeRoute("PUT", _ONE, update_server, members),
    ComputeRoute("DELETE", _ONE, delete_server, members),
    ComputeRoute("GET", f"{_ONE}/ips", list_addresses, readers),
    ComputeRoute("GET", f"{_ONE}/ips/{{network}}", list_addresses_in_network, readers),
    ComputeRoute("GET", f"{_ONE}/os-server-password", get_password, readers),
    ComputeRoute("DELETE", f"{_ONE}/os-server-password", clear_password, members),
    ComputeRoute("GET", f"{_ONE}/os-instance-actions", list_instance_actions, readers),
    ComputeRoute("GET", f"{_ONE}/os-instance-actions/{{request_id}}", get_instance_action, readers),
)
