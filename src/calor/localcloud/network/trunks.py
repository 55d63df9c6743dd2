"""Trunks: parent ports with subports."""

from __future__ import annotations

from collections.abc import Sequence

from calor.localcloud.network import requests
from calor.localcloud.network.kinds import DESCRIPTION, NAME, UP, Attribute, Given, Kind, shown
from calor.localcloud.network.policy import project_members, project_readers
from calor.localcloud.network.problems import invalid, missing
from calor.localcloud.network.records import Records, SubPort, Trunk
from calor.localcloud.network.resources import Resource, Views, action_on, find_by, routes_of
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.trunk_details import check_not_in_trunk, show_sub_port, sub_ports_of
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import Conflict
from calor.localcloud.requests import listing, one_of, shape
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.store import Collection
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

_SUB_PORTS = listing(
    requests.strict_shape(
        {"port_id": requests.uuid},
        {
            "segmentation_type": one_of("vlan", "inherit"),
            "segmentation_id": requests.whole(1, 4094),
        },
    )
)
_ADDED = shape({"sub_ports": _SUB_PORTS})
_REMOVED = shape({"sub_ports": listing(shape({"port_id": requests.uuid}))})

KIND = Kind(
    "trunk",
    "trunks",
    "Trunk",
    (
        NAME,
        DESCRIPTION,
        UP,
        Attribute("port_id", requests.uuid, fixed=True, required=True),
        Attribute("sub_ports", _SUB_PORTS, fixed=True),
        *shown("status"),
    ),
)


def create_trunk(networking: NetworkService, viewer: Viewer, given: Given) -> Trunk:
    records = networking.records
    sub_ports = given.pop("sub_ports", ())
    parent = viewer.need_own_port(given["port_id"], "create_trunk")
    if records.trunks.count(port_id=parent.id):
        raise Conflict(f"Port {parent.id} is already the parent of a trunk.", "ParentPortInUse")
    check_not_in_trunk(records, parent)
    trunk = records.trunks.add(networking.new_record(Trunk, given, status="ACTIVE"))
    _add(networking, viewer, trunk, sub_ports)
    return trunk


def update_trunk(networking: NetworkService, viewer: Viewer, trunk: Trunk, given: Given) -> Trunk:
    return networking.save(networking.records.trunks, trunk, **given)


def delete_trunk(networking: NetworkService, viewer: Viewer, trunk: Trunk) -> None:
    records = networking.records
    parent = records.ports.get(trunk.port_id)
    if parent and parent.host_id:
        raise Conflict(f"Trunk {trunk.id} is in use: its parent port is bound to a server.", "TrunkInUse")
    for sub_port in records.sub_ports.find(trunk_id=trunk.id):
        _release(networking, sub_port)
    records.trunks.remove(trunk.id)


def add_sub_ports(networking: NetworkService, viewer: Viewer, trunk: Trunk, body: Json) -> Json:
    _check_up(trunk)
    _add(networking, viewer, trunk, _ADDED(body, "The body")["sub_ports"])
    return _response(networking, viewer, trunk)


def remove_sub_ports(networking: NetworkService, viewer: Viewer, trunk: Trunk, body: Json) -> Json:
    _check_up(trunk)
    for each in _REMOVED(body, "The body")["sub_ports"]:
        sub_port = networking.records.sub_ports.get(each["port_id"])
        if sub_port is None or sub_port.trunk_id != trunk.id:
            raise missing("SubPort", each["port_id"])
        _release(networking, sub_port)
    return _response(networking, viewer, trunk)


def get_sub_ports(networking: NetworkService, call: Call) -> Reply:
    trunk = TRUNKS.need(Viewer(networking.records, call.caller), call.path["id"])
    found = networking.records.sub_ports.find(trunk_id=trunk.id)
    return Reply(body={"sub_ports": [show_sub_port(each) for each in found]})


def _add(networking: NetworkService, viewer: Viewer, trunk: Trunk, wanted: Sequence[Json]) -> None:
    records = networking.records
    taken = {
        (each.segmentation_type, each.segmentation_id) for each in records.sub_ports.find(trunk_id=trunk.id)
    }
    for each in wanted:
        port = viewer.need_own_port(each["port_id"], "add_subports")
        if port.id == trunk.port_id:
            raise Conflict(f"Port {port.id} is the parent of the trunk.", "ParentPortInUse")
        check_not_in_trunk(records, port)
        if port.device_id:
            raise Conflict(f"Port {port.id} is in use by {port.device_id}.", "PortInUse")
        place = _segmentation(each, port.id)
        if place in taken:
            raise Conflict(f"The trunk already has a subport with {place[0]} {place[1]}.", "DuplicateSubPort")
        taken.add(place)
        records.sub_ports.add(SubPort(port.id, trunk.id, *place))
        networking.save(
            records.ports, port, device_owner="trunk:subport", device_id=trunk.id, status="ACTIVE"
        )


def _segmentation(wanted: Json, port_id: str) -> tuple[str, int]:
    kind, number = wanted.get("segmentation_type"), wanted.get("segmentation_id")
    if kind == "inherit":
        raise invalid(f"the network of port {port_id} has no segmentation to inherit.")
    if kind is None or number is None:
        raise invalid("a subport requires a segmentation_type and a segmentation_id.")
    return str(kind), int(number)


def _release(networking: NetworkService, sub_port: SubPort) -> None:
    records = networking.records
    records.sub_ports.remove(sub_port.id)
    if port := records.ports.get(sub_port.id):
        networking.save(records.ports, port, device_owner="", device_id="", status="DOWN")


def _check_up(trunk: Trunk) -> None:
    if not trunk.admin_state_up:
        raise Conflict(f"Trunk {trunk.id} is administratively down.", "TrunkDisabled")


def _response(networking: NetworkService, viewer: Viewer, trunk: Trunk) -> Json:
    return TRUNKS.view(viewer, networking.save(networking.records.trunks, trunk))


def _details(viewer: Viewer, trunks: Sequence[Trunk]) -> Views:
    sub_ports = sub_ports_of(viewer.records, [trunk.id for trunk in trunks])
    return {trunk.id: {"sub_ports": list(map(show_sub_port, sub_ports[trunk.id]))} for trunk in trunks}


def _documents(records: Records) -> Collection[Trunk]:
    return records.trunks


TRUNKS: Resource[Trunk] = Resource(
    KIND,
    "/v2.0/trunks",
    _documents,
    create=create_trunk,
    update=update_trunk,
    delete=delete_trunk,
    details=_details,
    lookups={"port_id": find_by(_documents, "port_id")},
    quota="trunk",
)

_ONE = "/v2.0/trunks/{id}"

ROUTES = (
    *routes_of(TRUNKS),
    ServiceRoute("PUT", f"{_ONE}/add_subports", action_on(TRUNKS, add_sub_ports), project_members),
    ServiceRoute("PUT", f"{_ONE}/remove_subports", action_on(TRUNKS, remove_sub_ports), project_members),
    ServiceRoute("GET", f"{_ONE}/get_subports", get_sub_ports, project_readers),
)
