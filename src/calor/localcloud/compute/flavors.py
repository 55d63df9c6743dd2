"""Flavors and their access lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from calor.localcloud.caller import Caller
from calor.localcloud.compute.lists import STYLE
from calor.localcloud.compute.microversions import version_of
from calor.localcloud.compute.records import Flavor, new_id
from calor.localcloud.compute.requests import flag, number, plain_name, strict
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.compute.views import links_of
from calor.localcloud.lists import by_id, list_body
from calor.localcloud.policy import admins, readers
from calor.localcloud.problems import BadRequest, Conflict, NotFound
from calor.localcloud.requests import identifier, nullable, one_of, text, truth
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

_SORT_KEYS = {
    "id": "id",
    "flavorid": "id",
    "name": "name",
    "memory_mb": "ram",
    "vcpus": "vcpus",
    "root_gb": "disk",
    "disk": "disk",
    "ram": "ram",
    "ephemeral_gb": "ephemeral",
    "swap": "swap",
    "created_at": "id",
    "updated_at": "id",
    "rxtx_factor": "rxtx_factor",
    "is_public": "is_public",
}


def _factor(value: object, where: str) -> float:
    try:
        factor = float(value) if isinstance(value, str | int | float) else 0.0
    except (ValueError, OverflowError):
        factor = 0.0
    if isinstance(value, bool) or not 0 < factor < 3.4e38:
        raise BadRequest(f"{where} must be a positive number.")
    return factor


def _id(value: object, where: str) -> str:
    return (
        str(value)
        if isinstance(value, int) and not isinstance(value, bool)
        else str(plain_name(value, where))
    )


_REQUIRED = {"name": plain_name, "ram": number(1), "vcpus": number(1), "disk": number(0)}
_OPTIONAL = {
    "id": nullable(_id),
    "swap": number(0),
    "OS-FLV-EXT-DATA:ephemeral": number(0),
    "rxtx_factor": _factor,
    "os-flavor-access:is_public": flag,
}
_NEW = strict(_REQUIRED, _OPTIONAL)
_NEW_DESCRIBED = strict(_REQUIRED, {**_OPTIONAL, "description": nullable(text(65_535))})
_CHANGE = strict({"description": nullable(text(65_535))})


def usable_flavor(compute: ComputeService, caller: Caller, flavor_id: str) -> Flavor:
    """The flavor that a request refers to. Raises in the request."""
    found = compute.records.flavors.get(flavor_id)
    if found is None or not _visible(found, caller):
        raise BadRequest(f"Flavor {flavor_id[:255]} could not be found.")
    return found


def need_flavor(compute: ComputeService, call: Call) -> Flavor:
    """The flavor in the path. Raises NotFound."""
    found = compute.records.flavors.get(call.path["flavor_id"])
    if found is None or not _visible(found, call.caller):
        raise NotFound.of("flavor", call.path["flavor_id"])
    return found


def list_flavors(compute: ComputeService, call: Call) -> Reply:
    return _list_flavors(compute, call, lambda flavor: _reference(call, flavor))


def list_flavors_in_detail(compute: ComputeService, call: Call) -> Reply:
    return _list_flavors(compute, call, lambda flavor: show_flavor(call, flavor))


def get_flavor(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"flavor": show_flavor(call, need_flavor(compute, call))})


def create_flavor(compute: ComputeService, call: Call) -> Reply:
    given = call.read_in("flavor", _NEW_DESCRIBED if version_of(call) >= (2, 55) else _NEW)
    flavor = Flavor(
        id=new_id() if given.get("id") in (None, "auto") else given["id"],
        name=given["name"],
        ram=given["ram"],
        vcpus=given["vcpus"],
        disk=given["disk"],
        ephemeral=given.get("OS-FLV-EXT-DATA:ephemeral", 0),
        swap=given.get("swap", 0),
        rxtx_factor=given.get("rxtx_factor", 1.0),
        is_public=given.get("os-flavor-access:is_public", True),
        description=given.get("description"),
    )
    if compute.records.flavors.get(flavor.id):
        raise Conflict(f"Flavor with ID {flavor.id} already exists.")
    if compute.records.flavors.first(name=flavor.name):
        raise Conflict(f"Flavor with name {flavor.name} already exists.")
    return Reply(body={"flavor": show_flavor(call, compute.records.flavors.add(flavor))})


def update_flavor(compute: ComputeService, call: Call) -> Reply:
    flavor = need_flavor(compute, call)
    given = call.read_in("flavor", _CHANGE)
    kept = compute.records.flavors.put(replace(flavor, description=given["description"]))
    return Reply(body={"flavor": show_flavor(call, kept)})


def delete_flavor(compute: ComputeService, call: Call) -> Reply:
    compute.records.flavors.remove(need_flavor(compute, call).id)
    return Reply(202)


def list_access(compute: ComputeService, call: Call) -> Reply:
    flavor = need_flavor(compute, call)
    if flavor.is_public:
        raise NotFound("Access list not available for public flavors.")
    return _show_access(flavor)


def change_access(compute: ComputeService, call: Call) -> Reply:
    project = strict({"tenant": identifier})
    given = call.read(strict(optional={"addTenantAccess": project, "removeTenantAccess": project}))
    if len(given) != 1:
        raise BadRequest("The body must have exactly one member, the action.")
    flavor = need_flavor(compute, call)
    [(action, content)] = given.items()
    tenant = content["tenant"]
    if action == "addTenantAccess":
        if flavor.is_public:
            raise Conflict("Cannot add access to a public flavor.")
        if tenant in flavor.access:
            raise Conflict(f"Project {tenant} already has access to the flavor.")
        access = (*flavor.access, tenant)
    else:
        if tenant not in flavor.access:
            raise NotFound(f"Project {tenant} has no access to the flavor.")
        access = tuple(each for each in flavor.access if each != tenant)
    return _show_access(compute.records.flavors.put(replace(flavor, access=access)))


def show_flavor(call: Call, flavor: Flavor) -> Json:
    version = version_of(call)
    shown: Json = {
        "id": flavor.id,
        "name": flavor.name,
        "ram": flavor.ram,
        "vcpus": flavor.vcpus,
        "disk": flavor.disk,
        "OS-FLV-EXT-DATA:ephemeral": flavor.ephemeral,
        # Older microversions show an empty string for no swap.
        "swap": flavor.swap if flavor.swap or version >= (2, 75) else "",
        "rxtx_factor": flavor.rxtx_factor,
        "OS-FLV-DISABLED:disabled": False,
        "os-flavor-access:is_public": flavor.is_public,
        "links": links_of(call, f"flavors/{flavor.id}"),
    }
    if version >= (2, 55):
        shown["description"] = flavor.description
    if version >= (2, 61):
        shown["extra_specs"] = flavor.extra_specs
    return shown


def _reference(call: Call, flavor: Flavor) -> Json:
    shown = {"id": flavor.id, "name": flavor.name, "links": links_of(call, f"flavors/{flavor.id}")}
    return shown | {"description": flavor.description} if version_of(call) >= (2, 55) else shown


def _list_flavors(compute: ComputeService, call: Call, show: Any) -> Reply:
    found = [flavor for flavor in compute.records.flavors.find() if _fits(flavor, call)]
    key = one_of(*_SORT_KEYS)(call.query.get("sort_key", "flavorid"), "sort_key")
    backwards = one_of("asc", "desc")(call.query.get("sort_dir", "asc"), "sort_dir") == "desc"
    found.sort(key=lambda flavor: (getattr(flavor, _SORT_KEYS[key]), flavor.id), reverse=backwards)
    page = STYLE.page(call, found, by_id)
    return Reply(body=list_body("flavors", [show(flavor) for flavor in page.items], page.links(call)))


def _fits(flavor: Flavor, call: Call) -> bool:
    least: Mapping[str, int] = {
        field: number(0)(call.query[name], name)
        for name, field in (("minDisk", "disk"), ("minRam", "ram"))
        if name in call.query
    }
    if any(getattr(flavor, field) < amount for field, amount in least.items()):
        return False
    public = call.query.get("is_public", "true")
    if not call.caller.is_admin:
        return _visible(flavor, call.caller)
    return public.lower() == "none" or flavor.is_public == truth(public)


def _visible(flavor: Flavor, caller: Caller) -> bool:
    return flavor.is_public or caller.is_admin or caller.project_id in flavor.access


def _show_access(flavor: Flavor) -> Reply:
    shown = [{"flavor_id": flavor.id, "tenant_id": project} for project in flavor.access]
    return Reply(body={"flavor_access": shown})


_ONE = "/flavors/{flavor_id}"

ROUTES = (
    ComputeRoute("GET", "/flavors", list_flavors, readers),
    ComputeRoute("POST", "/flavors", create_flavor, admins),
    ComputeRoute("GET", "/flavors/detail", list_flavors_in_detail, readers),
    ComputeRoute("GET", _ONE, get_flavor, readers),
    ComputeRoute("PUT", _ONE, update_flavor, admins, since=(2, 55)),
    ComputeRoute("DELETE", _ONE, delete_flavor, admins),
    ComputeRoute("GET", f"{_ONE}/os-flavor-access", list_access, admins),
    ComputeRoute("POST", f"{_ONE}/action", change_access, admins),
)
