"""Extra specs of flavors."""

from __future__ import annotations

import re
from dataclasses import replace

from calor.localcloud.compute.flavors import need_flavor
from calor.localcloud.compute.records import Flavor
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.policy import admins, readers
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.requests import mapping, text
from calor.localcloud.web import Call, Reply


def _specs(value: object, where: str) -> dict[str, str]:
    given = mapping(value, where)
    if not given:
        raise BadRequest(f"{where} must not be empty.")
    for name, content in given.items():
        if not re.fullmatch(r"[a-zA-Z0-9\-_:. ]{1,255}", name):
            raise BadRequest(f"{where} has an invalid key: {name[:255]!r}.")
        if isinstance(content, bool) or not isinstance(content, str | int | float):
            raise BadRequest(f"{where}.{name} must be a string or a number.")
    return {name: text(255)(str(content), f"{where}.{name}") for name, content in given.items()}


def list_specs(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"extra_specs": need_flavor(compute, call).extra_specs})


def add_specs(compute: ComputeService, call: Call) -> Reply:
    flavor = need_flavor(compute, call)
    given = call.read_in("extra_specs", _specs)
    _keep(compute, flavor, {**flavor.extra_specs, **given})
    return Reply(body={"extra_specs": given})


def get_spec(compute: ComputeService, call: Call) -> Reply:
    flavor = need_flavor(compute, call)
    return Reply(body={call.path["spec"]: _need(flavor, call.path["spec"])})


def set_spec(compute: ComputeService, call: Call) -> Reply:
    flavor, spec = need_flavor(compute, call), call.path["spec"]
    given = call.read(_specs)
    if list(given) != [spec]:
        raise BadRequest("The body must have exactly one member, the key in the path.")
    _keep(compute, flavor, {**flavor.extra_specs, **given})
    return Reply(body=given)


def remove_spec(compute: ComputeService, call: Call) -> Reply:
    flavor, spec = need_flavor(compute, call), call.path["spec"]
    _need(flavor, spec)
    _keep(compute, flavor, {name: value for name, value in flavor.extra_specs.items() if name != spec})
    return Reply(200)


def _need(flavor: Flavor, spec: str) -> str:
    if spec not in flavor.extra_specs:
        raise NotFound(f"Flavor {flavor.id} has no extra spec {spec[:255]}.")
    return flavor.extra_specs[spec]


def _keep(compute: ComputeService, flavor: Flavor, specs: dict[str, str]) -> None:
    compute.records.flavors.put(replace(flavor, extra_specs=specs))


_ALL = "/flavors/{flavor_id}/os-extra_specs"

ROUTES = (
    ComputeRoute("GET", _ALL, list_specs, readers),
    ComputeRoute("POST", _ALL, add_specs, admins),
    ComputeRoute("GET", f"{_ALL}/{{spec}}", get_spec, readers),
    ComputeRoute("PUT", f"{_ALL}/{{spec}}", set_spec, admins),
    ComputeRoute("DELETE", f"{_ALL}/{{spec}}", remove_spec, admins),
)
