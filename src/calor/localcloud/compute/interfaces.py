"""Ports put into servers and taken out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from calor.localcloud.compute.claims import claim_port, refused
from calor.localcloud.compute.forms import address, strict, tag, uuid
from calor.localcloud.compute.guards import need_server, require_state, require_unlocked
from calor.localcloud.compute.microversions import version_of
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.requests import WantedNic
from calor.localcloud.compute.rules import ComputeRoute, members, readers
from calor.localcloud.compute.state import Compute
from calor.localcloud.machinery import MachineryFailed
from calor.localcloud.neighbours import ServerPort
from calor.localcloud.problems import BadRequest, Conflict, NotFound
from calor.localcloud.reading import Reader, listing
from calor.localcloud.web import Call, Reply

_STATES = ("active", "paused", "stopped")
_MEMBERS: dict[str, Reader] = {
    "port_id": uuid,
    "net_id": uuid,
    "fixed_ips": listing(strict({"ip_address": address()}), longest=1),
}
_FORM = strict(optional=_MEMBERS)
_TAGGED_FORM = strict(optional={**_MEMBERS, "tag": tag})


def list_interfaces(compute: Compute, call: Call) -> Reply:
    server = need_server(compute, call)
    shown = [_show(call, server, port) for port in compute.networks.ports_of(server.id)]
    return Reply(body={"interfaceAttachments": shown})


def get_interface(compute: Compute, call: Call) -> Reply:
    server = need_server(compute, call)
    return Reply(body={"interfaceAttachment": _show(call, server, _need(compute, call, server))})


async def add_interface(compute: Compute, call: Call) -> Reply:
    form = _TAGGED_FORM if version_of(call) >= (2, 49) else _FORM
    given = call.read_in("interfaceAttachment", form)
    nic = _wanted(compute, call, given)
    async with compute.turns.of(call.path["server_id"]):
        server = need_server(compute, call)
        require_unlocked(call, server)
        require_state(server, "attach an interface to", *_STATES)
        with refused():
            port = claim_port(compute, call.caller, server, nic)
        if nic.tag:
            tags = {**server.nic_tags, port.id: nic.tag}
            server = compute.records.servers.put(replace(server, nic_tags=tags))
        await _plug(compute, server, port)
    return Reply(body={"interfaceAttachment": _show(call, server, port)})


async def remove_interface(compute: Compute, call: Call) -> Reply:
    async with compute.turns.of(call.path["server_id"]):
        server = need_server(compute, call)
        require_unlocked(call, server)
        require_state(server, "detach an interface from", *_STATES)
        port = _need(compute, call, server)
        if server.vm_state != "stopped":
            await compute.ground.machinery.unplug(server.id, port.id)
        compute.networks.give_back(port.id)
        current = need_server(compute, call)
        tags = {id: tag for id, tag in current.nic_tags.items() if id != port.id}
        compute.records.servers.put(replace(current, nic_tags=tags))
    return Reply(202)


async def _plug(compute: Compute, server: Server, port: ServerPort) -> None:
    """A server that is off finds the port when it boots."""
    await compute.networks.wired()
    if server.vm_state == "stopped":
        return
    try:
        await compute.ground.machinery.plug(server.id, compute.networks.plan_of(port.id))
    except MachineryFailed:
        compute.networks.give_back(port.id)
        raise


def _wanted(compute: Compute, call: Call, given: dict[str, Any]) -> WantedNic:
    port_id, network_id = given.get("port_id"), given.get("net_id")
    addresses = given.get("fixed_ips", ())
    if port_id and (network_id or addresses):
        raise BadRequest("Either a port is given, or a network.")
    if addresses and not network_id:
        raise BadRequest("An address is given together with its network.")
    if not port_id and not network_id:
        usual = compute.networks.default_networks(call.caller)
        if len(usual) != 1:
            raise Conflict("The request must say which network is meant.")
        network_id = usual[0]
    return WantedNic(network_id, port_id, addresses[0]["ip_address"] if addresses else None, given.get("tag"))


def _need(compute: Compute, call: Call, server: Server) -> ServerPort:
    for port in compute.networks.ports_of(server.id):
        if port.id == call.path["port_id"]:
            return port
    raise NotFound(f"The server {server.id} has no port {call.path['port_id'][:255]}.")


def _show(call: Call, server: Server, port: ServerPort) -> dict[str, Any]:
    shown: dict[str, Any] = {
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
