"""Port forwardings of floating IPs."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.network import requests
from calor.localcloud.network.associations import router_to
from calor.localcloud.network.lists import filters_of, list_reply
from calor.localcloud.network.policy import project_members, project_readers
from calor.localcloud.network.problems import invalid, missing
from calor.localcloud.network.records import FloatingIp, PortForwarding, new_id
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import BadRequest, Conflict
from calor.localcloud.requests import Reader, one_of
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply

Ports = tuple[int, int]

_PORT = requests.whole(1, 65535)


def _range(value: object, where: str) -> Ports:
    """Written 80:90, or 80 for a single port."""
    first, _, last = str(value).partition(":")
    read = _PORT(first, where), _PORT(last or first, where)
    if read[0] > read[1]:
        raise BadRequest(f"{where}: {value} is not a valid port range.")
    return read


_MEMBERS: dict[str, Reader[object]] = {
    "protocol": one_of("tcp", "udp", "icmp", "icmp6", "sctp", "dccp"),
    "internal_port_id": requests.uuid,
    "internal_ip_address": requests.address,
    "internal_port": _PORT,
    "internal_port_range": _range,
    "external_port": _PORT,
    "external_port_range": _range,
    "description": requests.description,
}
_NEW = requests.strict_shape({name: _MEMBERS[name] for name in ("protocol", "internal_port_id")}, _MEMBERS)
_CHANGE = requests.strict_shape({}, _MEMBERS)
_FILTERS = ("id", *_MEMBERS)


def list_forwardings(networking: NetworkService, call: Call) -> Reply:
    floating = _floating(networking, call)
    found = networking.records.port_forwardings.find(floating_ip_id=floating.id)
    return list_reply(call, "port_forwardings", [_show(each) for each in found], filters_of(call, _FILTERS))


def get_forwarding(networking: NetworkService, call: Call) -> Reply:
    return Reply(body={"port_forwarding": _show(_forwarding(networking, call))})


def create_forwarding(networking: NetworkService, call: Call) -> Reply:
    floating = _floating(networking, call)
    given = call.read_in("port_forwarding", _NEW)
    if floating.port_id:
        raise Conflict(f"Floating IP {floating.id} is associated with a port.", "FipInUseByPortForwarding")
    internal, external = _ports(given, "internal"), _ports(given, "external")
    if internal is None or external is None:
        raise invalid("a port forwarding requires an internal and an external port.")
    with networking.change():
        port_id = given["internal_port_id"]
        address = _reachable(networking, call, floating, port_id, given.get("internal_ip_address"))
        forwarding = PortForwarding(
            new_id(),
            floating.id,
            given["protocol"],
            port_id,
            address,
            internal,
            external,
            given.get("description", ""),
        )
        _save(networking, floating, forwarding)
    return Reply(201, {"port_forwarding": _show(forwarding)})


def update_forwarding(networking: NetworkService, call: Call) -> Reply:
    floating, forwarding = _floating(networking, call), _forwarding(networking, call)
    given = call.read_in("port_forwarding", _CHANGE)
    port_id = given.get("internal_port_id", forwarding.internal_port_id)
    with networking.change():
        address = forwarding.internal_ip_address
        if "internal_port_id" in given or "internal_ip_address" in given:
            address = _reachable(networking, call, floating, port_id, given.get("internal_ip_address"))
        changed = replace(
            forwarding,
            protocol=given.get("protocol", forwarding.protocol),
            internal_port_id=port_id,
            internal_ip_address=address,
            internal_ports=_ports(given, "internal") or forwarding.internal_ports,
            external_ports=_ports(given, "external") or forwarding.external_ports,
            description=given.get("description", forwarding.description),
        )
        _save(networking, floating, changed)
    return Reply(body={"port_forwarding": _show(changed)})


def delete_forwarding(networking: NetworkService, call: Call) -> Reply:
    floating, forwarding = _floating(networking, call), _forwarding(networking, call)
    with networking.change():
        networking.records.port_forwardings.remove(forwarding.id)
        if not networking.records.port_forwardings.count(floating_ip_id=floating.id):
            networking.save(networking.records.floating_ips, floating, router_id=None, status="DOWN")
    return NO_CONTENT


def show_briefly(forwarding: PortForwarding) -> Json:
    """As a floating ip shows it."""
    return {name: value for name, value in _show(forwarding).items() if name != "id"}


def _show(forwarding: PortForwarding) -> Json:
    internal, external = forwarding.internal_ports, forwarding.external_ports
    view: Json = {
        "id": forwarding.id,
        "protocol": forwarding.protocol,
        "internal_port_id": forwarding.internal_port_id,
        "internal_ip_address": forwarding.internal_ip_address,
        "internal_port_range": f"{internal[0]}:{internal[1]}",
        "external_port_range": f"{external[0]}:{external[1]}",
        "description": forwarding.description,
    }
    if internal[0] == internal[1] and external[0] == external[1]:
        view |= {"internal_port": internal[0], "external_port": external[0]}
    return view


def _ports(given: Json, side: str) -> Ports | None:
    single, several = given.get(f"{side}_port"), given.get(f"{side}_port_range")
    if single is not None and several is not None and several != (single, single):
        raise invalid(f"{side}_port and {side}_port_range do not match.")
    return several or ((single, single) if single is not None else None)


def _save(networking: NetworkService, floating: FloatingIp, forwarding: PortForwarding) -> None:
    internal, external = forwarding.internal_ports, forwarding.external_ports
    if external[1] - external[0] != internal[1] - internal[0] and internal[0] != internal[1]:
        raise invalid("the ranges of internal and external ports must have the same size.")
    for other in networking.records.port_forwardings.find(floating_ip_id=floating.id):
        if other.id == forwarding.id or other.protocol != forwarding.protocol:
            continue
        if other.external_ports[0] <= external[1] and external[0] <= other.external_ports[1]:
            raise BadRequest(
                f"The external port is already used by port forwarding {other.id}.", "BadRequest"
            )
    networking.records.port_forwardings.put(forwarding)


def _reachable(
    networking: NetworkService, call: Call, floating: FloatingIp, port_id: str, address: str | None
) -> str:
    """The address of the port, which a router connects with the external network."""
    port = Viewer(networking.records, call.caller).need_own_port(port_id, "port_forwarding:internal_port_id")
    choices = [fixed for fixed in port.fixed_ips if ":" not in fixed["ip_address"]]
    fixed = next((each for each in choices if address in (None, each["ip_address"])), None)
    if fixed is None:
        raise BadRequest(f"Port {port.id} does not have this IPv4 address.", "BadRequest")
    router = router_to(networking, floating, port, fixed["subnet_id"])
    if floating.router_id not in (None, router.id):
        raise Conflict(
            f"Floating IP {floating.id} is associated with another router.", "FipInUseByPortForwarding"
        )
    networking.save(networking.records.floating_ips, floating, router_id=router.id, status="ACTIVE")
    return fixed["ip_address"]


def _floating(networking: NetworkService, call: Call) -> FloatingIp:
    viewer = Viewer(networking.records, call.caller)
    floating = networking.records.floating_ips.get(call.path["id"])
    if floating is None or not viewer.owns(floating):
        raise missing("FloatingIP", call.path["id"])
    return floating


def _forwarding(networking: NetworkService, call: Call) -> PortForwarding:
    floating = _floating(networking, call)
    found = networking.records.port_forwardings.get(call.path["forwarding_id"])
    if found is None or found.floating_ip_id != floating.id:
        raise missing("PortForwarding", call.path["forwarding_id"])
    return found


_ALL = "/v2.0/floatingips/{id}/port_forwardings"
_ONE = f"{_ALL}/{{forwarding_id}}"

ROUTES = (
    ServiceRoute("GET", _ALL, list_forwardings, project_readers),
    ServiceRoute("POST", _ALL, create_forwarding, project_members),
    ServiceRoute("GET", _ONE, get_forwarding, project_readers),
    ServiceRoute("PUT", _ONE, update_forwarding, project_members),
    ServiceRoute("DELETE", _ONE, delete_forwarding, project_members),
)
