"""QoS specs and their associations with volume types."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from calor.localcloud.lists import by_id, list_body
from calor.localcloud.policy import admins
from calor.localcloud.problems import BadRequest, Conflict, NotFound
from calor.localcloud.requests import listing, mapping, name, truth
from calor.localcloud.volume.lists import STYLE
from calor.localcloud.volume.records import QosSpecs, VolumeType
from calor.localcloud.volume.requests import texts
from calor.localcloud.volume.routes import VolumeRoute
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.volume.views import links, show_qos
from calor.localcloud.web import Call, Reply

_CONSUMERS = ("front-end", "back-end", "both")


def list_qos(service: VolumeService, call: Call) -> Reply:
    page = STYLE.page(call, service.records.qos_specs.find(), by_id)
    return Reply(body=list_body("qos_specs", [show_qos(each) for each in page.items], page.links(call)))


def create_qos(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("qos_specs", mapping)
    wanted = name(given.get("name"), "qos_specs.name")
    consumer = _consumer(given.get("consumer", "back-end"))
    specs = texts(
        {key: value for key, value in given.items() if key not in ("name", "consumer")}, "qos_specs"
    )
    if service.records.qos_specs.first(name=wanted):
        raise Conflict(f"QoS Specs {wanted} already exists.")
    qos = service.records.qos_specs.add(QosSpecs(str(uuid4()), wanted, consumer, specs))
    return _shown(call, qos)


def get_qos(service: VolumeService, call: Call) -> Reply:
    return _shown(call, _qos(service, call))


def update_qos(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("qos_specs", mapping)
    if not given:
        raise BadRequest("The request contains no changes.")
    qos = _qos(service, call)
    specs = texts({key: value for key, value in given.items() if key != "consumer"}, "qos_specs")
    consumer = _consumer(given.get("consumer", qos.consumer))
    service.records.qos_specs.put(replace(qos, consumer=consumer, specs={**qos.specs, **specs}))
    return Reply(body={"qos_specs": given})


def remove_keys(service: VolumeService, call: Call) -> Reply:
    keys = call.read_in("keys", listing(name))
    qos = _qos(service, call)
    for key in keys:
        if key not in qos.specs:
            raise BadRequest(f"QoS specs {qos.id} has no spec with key {key}.")
    left = {key: value for key, value in qos.specs.items() if key not in keys}
    service.records.qos_specs.put(replace(qos, specs=left))
    return Reply(202)


def delete_qos(service: VolumeService, call: Call) -> Reply:
    qos = _qos(service, call)
    types = _types_of(service, qos)
    if types and not truth(call.query.get("force", "false")):
        raise BadRequest(f"QoS Specs {qos.id} is still associated with entities.")
    with service.records.store.transaction():
        for volume_type in types:
            service.records.types.put(replace(volume_type, qos_specs_id=None))
        service.records.qos_specs.remove(qos.id)
    return Reply(202)


def list_associations(service: VolumeService, call: Call) -> Reply:
    types = _types_of(service, _qos(service, call))
    shown = [{"association_type": "volume_type", "id": each.id, "name": each.name} for each in types]
    return Reply(body={"qos_associations": shown})


def associate(service: VolumeService, call: Call) -> Reply:
    qos, volume_type = _qos(service, call), _type(service, call)
    if volume_type.qos_specs_id not in (None, qos.id):
        raise BadRequest(f"Type {volume_type.id} is already associated with another qos specs.")
    service.records.types.put(replace(volume_type, qos_specs_id=qos.id))
    return Reply(202)


def disassociate(service: VolumeService, call: Call) -> Reply:
    qos, volume_type = _qos(service, call), _type(service, call)
    if volume_type.qos_specs_id == qos.id:
        service.records.types.put(replace(volume_type, qos_specs_id=None))
    return Reply(202)


def disassociate_all(service: VolumeService, call: Call) -> Reply:
    with service.records.store.transaction():
        for volume_type in _types_of(service, _qos(service, call)):
            service.records.types.put(replace(volume_type, qos_specs_id=None))
    return Reply(202)


def _qos(service: VolumeService, call: Call) -> QosSpecs:
    found = service.records.qos_specs.get(call.path["qos_id"])
    if found is None:
        raise NotFound(f"No such QoS spec {call.path['qos_id'][:255]}.")
    return found


def _type(service: VolumeService, call: Call) -> VolumeType:
    wanted = call.query.get("vol_type_id")
    if not wanted:
        raise BadRequest("Volume Type id must not be None.")
    found = service.records.types.get(wanted)
    if found is None:
        raise NotFound(f"Volume type {wanted[:255]} could not be found.")
    return found


def _types_of(service: VolumeService, qos: QosSpecs) -> list[VolumeType]:
    return service.records.types.find(qos_specs_id=qos.id)


def _consumer(value: object) -> str:
    if value not in _CONSUMERS:
        raise BadRequest(f"Valid consumer of QoS specs are: {', '.join(_CONSUMERS)}.")
    return str(value)


def _shown(call: Call, qos: QosSpecs) -> Reply:
    return Reply(body={"qos_specs": show_qos(qos), "links": links(call, "qos-specs", qos.id)})


_ONE = "/qos-specs/{qos_id}"

ROUTES = (
    VolumeRoute("GET", "/qos-specs", list_qos, admins),
    VolumeRoute("POST", "/qos-specs", create_qos, admins),
    VolumeRoute("GET", _ONE, get_qos, admins),
    VolumeRoute("PUT", _ONE, update_qos, admins),
    VolumeRoute("DELETE", _ONE, delete_qos, admins),
    VolumeRoute("PUT", f"{_ONE}/delete_keys", remove_keys, admins),
    VolumeRoute("GET", f"{_ONE}/associations", list_associations, admins),
    VolumeRoute("GET", f"{_ONE}/associate", associate, admins),
    VolumeRoute("GET", f"{_ONE}/disassociate", disassociate, admins),
    VolumeRoute("GET", f"{_ONE}/disassociate_all", disassociate_all, admins),
)
