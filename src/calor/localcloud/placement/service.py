"""The placement service, to be read only: the one host is the one provider, and servers are its consumers. What there
is and what is used is what the compute service knows; nothing is kept here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette

from calor.localcloud.compute.hosts import HYPERVISOR_ID, sizes
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.state import HOST, Compute
from calor.localcloud.problems import BadRequest, NotAcceptable, NotFound
from calor.localcloud.web import Call, Reply, Route, service_app

NEWEST = 39
_ASKED = re.compile(r"placement\s+(?:1\.([0-9]{1,4})|(latest))")
_CLASSES = {"VCPU": "vcpus", "MEMORY_MB": "memory_mb", "DISK_GB": "local_gb"}
_RATIOS = {"VCPU": 4.0, "MEMORY_MB": 1.0, "DISK_GB": 1.0}
_TRAITS = ("COMPUTE_NODE", "COMPUTE_VOLUME_EXTEND", "COMPUTE_VOLUME_MULTI_ATTACH", "OWNER_NOVA")
_LINKS = (("inventories", 0), ("usages", 0), ("aggregates", 1), ("traits", 6), ("allocations", 11))
"""What a provider leads to, and since which microversion it says so."""


def placement_app(compute: Compute) -> Starlette:
    def bound(path: str, handler: Callable[[Compute, Call], Any], since: int = 0) -> Route:
        def answer(call: Call) -> Reply:
            version = _version(call)
            if version < since:
                raise NotFound("The resource could not be found.")
            told = {"OpenStack-API-Version": f"placement 1.{version}", "Cache-Control": "no-cache"}
            return replace(Reply(body=handler(compute, call)), headers=told)

        return Route("GET", path, answer, _admins)

    one = "/resource_providers/{uuid}"
    routes = [
        Route("GET", "/", _choices, None),
        bound("/resource_providers", _list_providers),
        bound(one, _get_provider),
        bound(f"{one}/inventories", _inventories),
        bound(f"{one}/inventories/{{name}}", _inventory),
        bound(f"{one}/usages", _usages_of_provider),
        bound(f"{one}/aggregates", _aggregates, 1),
        bound(f"{one}/traits", _traits_of_provider, 6),
        bound(f"{one}/allocations", _allocations_of_provider),
        bound("/allocations/{consumer}", _allocations_of_consumer),
        bound("/resource_classes", _classes, 2),
        bound("/traits", _traits, 6),
        bound("/usages", _usages_of_project, 9),
    ]
    return service_app(routes, compute.ground.authenticate, _error)


def _admins(call: Call) -> bool:
    return call.caller.is_admin


def _choices(call: Call) -> Reply:
    version = {"id": "v1.0", "max_version": f"1.{NEWEST}", "min_version": "1.0", "status": "CURRENT"}
    return Reply(body={"versions": [{**version, "links": [{"rel": "self", "href": ""}]}]})


def _version(call: Call) -> int:
    """The minor version that the client asks for: 0 if it asks for none."""
    header = call.headers.get("openstack-api-version", "")
    if "placement" not in header:
        return 0
    asked = _ASKED.search(header)
    if asked is None:
        raise BadRequest(f"invalid version string: {header[:100]}")
    minor = NEWEST if asked[2] else int(asked[1])
    if minor > NEWEST:
        raise NotAcceptable(f"Unacceptable version header: 1.{minor}")
    return minor


def _list_providers(compute: Compute, call: Call) -> dict[str, Any]:
    query = call.query
    fits = query.get("uuid", HYPERVISOR_ID) == HYPERVISOR_ID and query.get("name", HOST) == HOST
    return {"resource_providers": [_provider(call)] if fits else []}


def _get_provider(compute: Compute, call: Call) -> dict[str, Any]:
    _need(call)
    return _provider(call)


def _provider(call: Call) -> dict[str, Any]:
    version = _version(call)
    home = f"{call.base.partition('://')[2].partition('/')[2]}/resource_providers/{HYPERVISOR_ID}"
    links = [{"rel": "self", "href": f"/{home}"}]
    links += [{"rel": name, "href": f"/{home}/{name}"} for name, since in _LINKS if version >= since]
    shown: dict[str, Any] = {"uuid": HYPERVISOR_ID, "name": HOST, "generation": 1, "links": links}
    if version >= 14:
        shown |= {"parent_provider_uuid": None, "root_provider_uuid": HYPERVISOR_ID}
    return shown


def _inventories(compute: Compute, call: Call) -> dict[str, Any]:
    _need(call)
    return _marked({"inventories": {name: _stock(compute, name) for name in _CLASSES}})


def _inventory(compute: Compute, call: Call) -> dict[str, Any]:
    _need(call)
    name = call.path["name"]
    if name not in _CLASSES:
        raise NotFound(f"No inventory of class {name[:255]} for {HYPERVISOR_ID}")
    return _marked(_stock(compute, name))


def _stock(compute: Compute, name: str) -> dict[str, Any]:
    total = sizes(compute)[_CLASSES[name]]
    units = {"min_unit": 1, "max_unit": total, "step_size": 1}
    return {"total": total, "reserved": 0, **units, "allocation_ratio": _RATIOS[name]}


def _usages_of_provider(compute: Compute, call: Call) -> dict[str, Any]:
    _need(call)
    return _marked({"usages": _sum(compute.records.servers.find())})


def _usages_of_project(compute: Compute, call: Call) -> dict[str, Any]:
    project_id = call.query.get("project_id")
    if not project_id:
        raise BadRequest("'project_id' is a required property")
    servers = compute.records.servers.find(project_id=project_id)
    return {"usages": _sum(servers) if servers else {}}


def _allocations_of_provider(compute: Compute, call: Call) -> dict[str, Any]:
    _need(call)
    servers = compute.records.servers.find()
    return _marked({"allocations": {server.id: {"resources": _taken(server)} for server in servers}})


def _allocations_of_consumer(compute: Compute, call: Call) -> dict[str, Any]:
    server = compute.records.servers.get(call.path["consumer"])
    if server is None:
        return {"allocations": {}}
    found = {"allocations": {HYPERVISOR_ID: {"resources": _taken(server), "generation": 1}}}
    owner = {"project_id": server.project_id, "user_id": server.user_id}
    return {**found, **owner} if _version(call) >= 12 else found


def _sum(servers: Iterable[Server]) -> dict[str, int]:
    total = dict.fromkeys(_CLASSES, 0)
    for server in servers:
        for name, amount in _taken(server).items():
            total[name] += amount
    return total


def _taken(server: Server) -> dict[str, int]:
    flavor = server.flavor
    disk = flavor["disk"] + flavor["ephemeral"]
    return {"VCPU": flavor["vcpus"], "MEMORY_MB": flavor["ram"], "DISK_GB": disk}


def _aggregates(compute: Compute, call: Call) -> dict[str, Any]:
    _need(call)
    found = [each.uuid for each in compute.records.aggregates.find() if HOST in each.hosts]
    return _marked({"aggregates": found}) if _version(call) >= 19 else {"aggregates": found}


def _traits_of_provider(compute: Compute, call: Call) -> dict[str, Any]:
    _need(call)
    return _marked({"traits": list(_TRAITS)})


def _traits(compute: Compute, call: Call) -> dict[str, Any]:
    name = call.query.get("name", "")
    if name.startswith("in:"):
        wanted = set(name.removeprefix("in:").split(","))
        return {"traits": [trait for trait in _TRAITS if trait in wanted]}
    prefix = name.removeprefix("startswith:") if name.startswith("startswith:") else ""
    return {"traits": [trait for trait in _TRAITS if trait.startswith(prefix)]}


def _classes(compute: Compute, call: Call) -> dict[str, Any]:
    root = call.base.partition("://")[2].partition("/")[2]
    links = {name: [{"rel": "self", "href": f"/{root}/resource_classes/{name}"}] for name in _CLASSES}
    return {"resource_classes": [{"name": name, "links": found} for name, found in links.items()]}


def _marked(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "resource_provider_generation": 1}


def _need(call: Call) -> None:
    if call.path["uuid"] != HYPERVISOR_ID:
        raise NotFound(f"No resource provider with uuid {call.path['uuid'][:255]} found")


def _error(status: HTTPStatus, message: str, kind: str) -> Any:
    return {"errors": [{"status": status.value, "title": status.phrase, "detail": message}]}
