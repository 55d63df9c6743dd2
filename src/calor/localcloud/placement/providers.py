"""The only resource provider: inventory, usage, aggregates and traits."""

from __future__ import annotations

from calor.localcloud.placement.allocations import RESOURCE_CLASSES, amounts, total
from calor.localcloud.placement.routes import PlacementRoute, microversion
from calor.localcloud.placement.service import PlacementService
from calor.localcloud.problems import NotFound
from calor.localcloud.types import Json
from calor.localcloud.web import Call

_RATIOS = {"VCPU": 4.0, "MEMORY_MB": 1.0, "DISK_GB": 1.0}
_TRAITS = ("COMPUTE_NODE", "COMPUTE_VOLUME_EXTEND", "COMPUTE_VOLUME_MULTI_ATTACH", "OWNER_NOVA")
_LINKS = (("inventories", 0), ("usages", 0), ("aggregates", 1), ("traits", 6), ("allocations", 11))
"""Links of a provider, and the microversion since which it has them."""


def list_providers(service: PlacementService, call: Call) -> Json:
    id, name = service.servers.host_id, service.servers.host_name
    matches = call.query.get("uuid", id) == id and call.query.get("name", name) == name
    return {"resource_providers": [_provider(service, call)] if matches else []}


def get_provider(service: PlacementService, call: Call) -> Json:
    _check_provider(service, call)
    return _provider(service, call)


def _provider(service: PlacementService, call: Call) -> Json:
    version, id = microversion(call), service.servers.host_id
    home = f"{_root(call)}/resource_providers/{id}"
    links = [{"rel": "self", "href": home}]
    links += [{"rel": name, "href": f"{home}/{name}"} for name, since in _LINKS if version >= since]
    shown: Json = {"uuid": id, "name": service.servers.host_name, "generation": 1, "links": links}
    if version >= 14:
        shown |= {"parent_provider_uuid": None, "root_provider_uuid": id}
    return shown


def list_inventories(service: PlacementService, call: Call) -> Json:
    _check_provider(service, call)
    return _with_generation({"inventories": {name: _inventory(service, name) for name in RESOURCE_CLASSES}})


def get_inventory(service: PlacementService, call: Call) -> Json:
    _check_provider(service, call)
    name = call.path["name"]
    if name not in RESOURCE_CLASSES:
        raise NotFound(f"No inventory of class {name[:255]} for {service.servers.host_id}")
    return _with_generation(_inventory(service, name))


def _inventory(service: PlacementService, name: str) -> Json:
    amount = amounts(service.servers.capacity())[name]
    units = {"min_unit": 1, "max_unit": amount, "step_size": 1}
    return {"total": amount, "reserved": 0, **units, "allocation_ratio": _RATIOS[name]}


def list_usages(service: PlacementService, call: Call) -> Json:
    _check_provider(service, call)
    return _with_generation({"usages": total(service.servers.usages())})


def list_aggregates(service: PlacementService, call: Call) -> Json:
    _check_provider(service, call)
    found: Json = {"aggregates": list(service.servers.aggregates())}
    return _with_generation(found) if microversion(call) >= 19 else found


def list_traits_of_provider(service: PlacementService, call: Call) -> Json:
    _check_provider(service, call)
    return _with_generation({"traits": list(_TRAITS)})


def list_allocations(service: PlacementService, call: Call) -> Json:
    _check_provider(service, call)
    found = {each.server_id: {"resources": amounts(each.taken)} for each in service.servers.usages()}
    return _with_generation({"allocations": found})


def list_traits(service: PlacementService, call: Call) -> Json:
    name = call.query.get("name", "")
    if name.startswith("in:"):
        wanted = set(name.removeprefix("in:").split(","))
        return {"traits": [trait for trait in _TRAITS if trait in wanted]}
    prefix = name.removeprefix("startswith:") if name.startswith("startswith:") else ""
    return {"traits": [trait for trait in _TRAITS if trait.startswith(prefix)]}


def list_resource_classes(service: PlacementService, call: Call) -> Json:
    home = f"{_root(call)}/resource_classes"
    links = {name: [{"rel": "self", "href": f"{home}/{name}"}] for name in RESOURCE_CLASSES}
    return {"resource_classes": [{"name": name, "links": found} for name, found in links.items()]}


def _root(call: Call) -> str:
    """The path of the service on its host."""
    return f"/{call.base.partition('://')[2].partition('/')[2]}"


def _with_generation(body: Json) -> Json:
    return {**body, "resource_provider_generation": 1}


def _check_provider(service: PlacementService, call: Call) -> None:
    if call.path["uuid"] != service.servers.host_id:
        raise NotFound(f"No resource provider with uuid {call.path['uuid'][:255]} found")


_ONE = "/resource_providers/{uuid}"

ROUTES = (
    PlacementRoute("/resource_providers", list_providers),
    PlacementRoute(_ONE, get_provider),
    PlacementRoute(f"{_ONE}/inventories", list_inventories),
    PlacementRoute(f"{_ONE}/inventories/{{name}}", get_inventory),
    PlacementRoute(f"{_ONE}/usages", list_usages),
    PlacementRoute(f"{_ONE}/aggregates", list_aggregates, 1),
    PlacementRoute(f"{_ONE}/traits", list_traits_of_provider, 6),
    PlacementRoute(f"{_ONE}/allocations", list_allocations),
    PlacementRoute("/resource_classes", list_resource_classes, 2),
    PlacementRoute("/traits", list_traits, 6),
)
