"""Allocations of servers, and usage by project."""

from __future__ import annotations

from collections.abc import Iterable

from calor.localcloud.peers import Capacity, ServerUsage
from calor.localcloud.placement.routes import PlacementRoute, microversion
from calor.localcloud.placement.service import PlacementService
from calor.localcloud.problems import BadRequest
from calor.localcloud.types import Json
from calor.localcloud.web import Call

RESOURCE_CLASSES = ("VCPU", "MEMORY_MB", "DISK_GB")


def amounts(capacity: Capacity) -> dict[str, int]:
    """By resource class."""
    return {"VCPU": capacity.vcpus, "MEMORY_MB": capacity.memory_mb, "DISK_GB": capacity.disk_gb}


def total(usages: Iterable[ServerUsage]) -> dict[str, int]:
    summed = dict.fromkeys(RESOURCE_CLASSES, 0)
    for usage in usages:
        for name, amount in amounts(usage.taken).items():
            summed[name] += amount
    return summed


def get_allocations(service: PlacementService, call: Call) -> Json:
    usage = service.servers.usage(call.path["consumer"])
    if usage is None:
        return {"allocations": {}}
    allocation = {"resources": amounts(usage.taken), "generation": 1}
    found: Json = {"allocations": {service.servers.host_id: allocation}}
    if microversion(call) >= 12:
        found |= {"project_id": usage.project_id, "user_id": usage.user_id}
    return found


def list_usages_of_project(service: PlacementService, call: Call) -> Json:
    project_id = call.query.get("project_id")
    if not project_id:
        raise BadRequest("'project_id' is a required property")
    usages = service.servers.usages(project_id)
    return {"usages": total(usages) if usages else {}}


ROUTES = (
    PlacementRoute("/allocations/{consumer}", get_allocations),
    PlacementRoute("/usages", list_usages_of_project, 9),
)
