"""Port attachments of servers."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.backend import BackendError
from calor.localcloud.compute.claims import claim_port, not_found_as_bad_request
from calor.localcloud.compute.microversions import version_of
from calor.localcloud.compute.policy import members
from calor.localcloud.compute.preconditions import need_server, require_state, require_unlocked
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.requests import address, strict, tag, uuid
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.server_requests import MOST_INTERFACES, RequestedNic
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.peers import ServerPort
from calor.localcloud.policy import readers
from calor.localcloud.problems import BadRequest, Conflict, NotFound
from calor.localcloud.requests import Reader, listing
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

_STATES = ("active", "paused", "stopped")
_MEMBERS: dict[str, Reader[object]] = {
    "port_id": uuid,
    "net_id": uuid,
    "fixed_ips": listing(strict({"ip_address": address()}), longest=1),
}
_FORM = strict(optional=_MEMBERS)
_TAGGED_FORM = strict(optional={**_MEMBERS, "tag": tag})


def list_interfaces(compute: ComputeService, call: Call) -> Reply:
    server = need_server(compute, call)
    shown = [_show(call, server, port) for port in compute.networks.ports_of(server.id)]
    return Reply(body={"interfaceAttachments": shown})


def get_interface(compute: ComputeService, call: Call) -> Reply:
    server = need_server(compute, call)
    return Reply(body={"interfaceAttachment": _show(call, server, _need(compute, call, server))})


async def add_interface(compute: ComputeService, call: Call) -> Reply:
    form = _TAGGED_FORM if version_of(call) >= (2, 49) else _FORM
    given = call.read_in("interfaceAttachment", form)
    nic = _requested_nic(compute, call, given)
    async with compute.server_locks.of(call.path["server_id"]):
        server = need_server(compute, call)
        require_unlocked(call, server)
        require_state(server, "attach an interface to", *_STATES)
        if len(compute.networks.ports_of(server.id)) >= MOST_INTERFACES:
            raise BadRequest(f"A server has at most {MOST_INTERFACES} interfaces.")
        with not_found_as_bad_request():
            port = claim_port(compute, call.caller, server, nic)
        if nic.tag:
            tags = {**server.nic_tags, port.id: nic.tag}
            server = compute.records.servers.put(replace(server, nic_tags=tags))
        await _plug(compute, server, port)
    return Reply(body={"interfaceAttachment": _show(call, server, port)})


async def remove_interface(compute: ComputeService, call: Call) -> Reply:
    async with compute.server_locks.of(call.path["server_id"]):
        server = need_server(compute, call)
        require_unlocked(call, server)
        require_state(server, "detach an interface from", *_STATES)
        port = _need(compute, call, server)
        if server.vm_state != "stopped":
            await compute.context.backend.unplug(server.id, port.id)
        compute.networks.release_port(port.id)
        current = need_server(compute, call)
        tags = {id: tag for id, tag in current.nic_tags.items() if id != port.id}
        compute.records.servers.put(replace(current, nic_tags=tags))
    return Reply(202)


async def _plug(compute: ComputeService, server: Server, port: ServerPort) -> None:
    """A stopped server gets the port when it boots."""
    await compute.networks.wait_until_synced()
    if server.vm_state == "stopped":
        return
    try:
        await compute.context.backend.plug(server.id, compute.networks.plan_of(port.id))
    except BackendError:
        compute.networks.release_port(port.id)
        raise


def _requested_nic(compute: ComputeService, call: Call, given: Json) -> RequestedNic:
    port_id, network_id = given.get("port_id"), given.get("net_id")
    addresses = given.get("fixed_ips", ())
    if port_id and (network_id or addresses):
        raise BadRequest("A port and a network cannot both be given.")
    if addresses and not network_id:
        raise BadRequest("A fixed IP requires a network.")
    if not port_id and not network_id:
        usual = compute.networks.default_networks(call.caller)
        if len(usual) != 1:
            raise Conflict("Multiple possible networks found, use a Network ID to be more specific.")
        network_id = usual[0]
    return RequestedNic(
        network_id, port_id, addresses[0]["ip_address"] if addresses else None, given.get("tag")
    )


def _need(compute: ComputeService, call: Call, server: Server) -> ServerPort:
    for port in compute.networks.ports_of(server.id):
        if port.id == call.path["port_id"]:
            return port
    raise NotFound(f"Server {server.id} has no port {call.path['port_id'][:255]}.")


def _show(call: Call, server: Server, port: ServerPort) -> Json:
    shown: Json = {
        "port_id": port.id,
        "net_id": port.network_id,
        "mac_addr": port.mac,
        "port_state": "ACTIVE",
        "fixed_ips": [{"subnet_id": each.subnet_id, "ip_address": each.address} for each in port.addresses],
    }
    return shown | {"tag": server.nic_tags.get(port.id)} if version_of(call) >= (2, 70) else shown


_ALL = "/servers/{server_id}/os-interface"

ROUTES = (
    ComputeRoute("GET", _ALL, list_interfaces, readers),
    ComputeRoute("POST", _ALL, add_interface, members),
    ComputeRoute("GET", f"{_ALL}/{{port_id}}", get_interface, readers),
    ComputeRoute("DELETE", f"{_ALL}/{{port_id}}", remove_interface, members),
)
