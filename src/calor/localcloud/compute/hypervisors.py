"""The hypervisor and the compute services on the host."""

from __future__ import annotations

import os
import platform
from dataclasses import replace
from typing import Any

from calor.localcloud.compute.infrastructure import INTERNAL_ZONE, zone_names
from calor.localcloud.compute.lists import STYLE
from calor.localcloud.compute.microversions import version_of
from calor.localcloud.compute.records import HostService
from calor.localcloud.compute.requests import flag, strict
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.service import HOST, ComputeService, with_microseconds
from calor.localcloud.lists import list_body
from calor.localcloud.policy import admins
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.requests import identifier, one_of, text, truth
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply

# Constant, since there is only one.
HYPERVISOR_ID = "6c6f6361-6c00-4000-8000-686f73740001"
_GIB = 1024**3


def list_hypervisors(compute: ComputeService, call: Call) -> Reply:
    return _hypervisors(compute, call, lambda: _brief(compute, call))


def list_hypervisors_in_detail(compute: ComputeService, call: Call) -> Reply:
    return _hypervisors(compute, call, lambda: _full(compute, call))


def get_hypervisor(compute: ComputeService, call: Call) -> Reply:
    if call.path["hypervisor_id"] != _id(call):
        raise NotFound.of("hypervisor", call.path["hypervisor_id"])
    return Reply(body={"hypervisor": _full(compute, call)})


def get_uptime(compute: ComputeService, call: Call) -> Reply:
    if call.path["hypervisor_id"] != _id(call):
        raise NotFound.of("hypervisor", call.path["hypervisor_id"])
    return Reply(body={"hypervisor": {**_brief(compute, call), "uptime": _uptime()}})


def get_statistics(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"hypervisor_statistics": {"count": 1, **sizes(compute)}})


def search_hypervisors(compute: ComputeService, call: Call) -> Reply:
    if call.path["hypervisor_id"] not in HOST:
        raise NotFound.of("hypervisor", call.path["hypervisor_id"])
    return Reply(body={"hypervisors": [_brief(compute, call)]})


def list_servers_of_hypervisors(compute: ComputeService, call: Call) -> Reply:
    if call.path["hypervisor_id"] not in HOST:
        raise NotFound.of("hypervisor", call.path["hypervisor_id"])
    return Reply(body={"hypervisors": [{**_brief(compute, call), "servers": _servers(compute)}]})


def list_services(compute: ComputeService, call: Call) -> Reply:
    found = [
        service
        for service in compute.records.services.find()
        if call.query.get("binary", service.binary) == service.binary and call.query.get("host", HOST) == HOST
    ]
    return Reply(body={"services": [_show(compute, call, service) for service in found]})


def update_service(compute: ComputeService, call: Call) -> Reply:
    """Updates a service by its id (2.53 and later)."""
    service = compute.records.services.get(call.path["service_id"])
    if service is None:
        raise NotFound.of("compute service", call.path["service_id"])
    given = call.read(
        strict(
            optional={
                "status": one_of("enabled", "disabled"),
                "disabled_reason": text(255, shortest=1),
                "forced_down": flag,
            }
        )
    )
    if not given:
        raise BadRequest("The request contains no changes.")
    if "disabled_reason" in given and given.get("status") != "disabled":
        raise BadRequest("disabled_reason is allowed only when a service is disabled.")
    kept = _update_service(compute, service, given)
    return Reply(body={"service": _show(compute, call, kept)})


def act_on_service(compute: ComputeService, call: Call) -> Reply:
    """Updates a service by host and binary (before 2.53)."""
    given = call.read(
        strict(
            {"host": identifier, "binary": identifier},
            {"disabled_reason": text(255, shortest=1), "forced_down": flag},
        )
    )
    service = compute.records.services.first(binary=given["binary"])
    if service is None or given["host"] != HOST:
        raise NotFound.of("compute service", given["binary"])
    action = call.path["service_id"]
    changes: dict[str, Json] = {
        "enable": {"status": "enabled"},
        "disable": {"status": "disabled"},
        "disable-log-reason": {"status": "disabled", "disabled_reason": given.get("disabled_reason")},
        "force-down": {"forced_down": given.get("forced_down")},
    }
    if action not in changes or None in changes[action].values():
        raise BadRequest(f"Unknown action, or incomplete body: {action[:255]}.")
    kept = _update_service(compute, service, changes[action])
    shown = _show(compute, call, kept)
    result = ("host", "binary", "status", "disabled_reason", "forced_down")
    return Reply(body={"service": {name: shown[name] for name in result if name in shown}})


def delete_service(compute: ComputeService, call: Call) -> Reply:
    if not compute.records.services.remove(call.path["service_id"]):
        raise NotFound.of("compute service", call.path["service_id"])
    return NO_CONTENT


def _update_service(compute: ComputeService, service: HostService, given: Json) -> HostService:
    if "status" in given:
        service = replace(
            service, disabled=given["status"] == "disabled", disabled_reason=given.get("disabled_reason")
        )
    return compute.records.services.put(
        replace(service, forced_down=given.get("forced_down", service.forced_down))
    )


def _show(compute: ComputeService, call: Call, service: HostService) -> Json:
    version = version_of(call)
    zone = zone_names(compute)[0] if service.binary == "nova-compute" else INTERNAL_ZONE
    shown: Json = {
        "id": service.id if version >= (2, 53) else service.number,
        "binary": service.binary,
        "host": HOST,
        "zone": zone,
        "status": "disabled" if service.disabled else "enabled",
        "state": "down" if service.forced_down else "up",
        "updated_at": with_microseconds(compute.stamp()),
        "disabled_reason": service.disabled_reason,
    }
    return shown | {"forced_down": service.forced_down} if version >= (2, 11) else shown


def _hypervisors(compute: ComputeService, call: Call, show: Any) -> Reply:
    pattern = call.query.get("hypervisor_hostname_pattern")
    if pattern is not None and pattern not in HOST:
        raise NotFound.of("hypervisor", pattern)
    shown = show()
    if version_of(call) >= (2, 53) and truth(call.query.get("with_servers", "false")):
        shown["servers"] = _servers(compute)
    if version_of(call) < (2, 33):
        return Reply(body={"hypervisors": [shown]})
    page = STYLE.page(call, [shown], lambda one: str(one["id"]))
    return Reply(body=list_body("hypervisors", page.items, page.links(call)))


def _id(call: Call) -> str:
    return HYPERVISOR_ID if version_of(call) >= (2, 53) else "1"


def _brief(compute: ComputeService, call: Call) -> Json:
    service = _worker(compute)
    return {
        "id": HYPERVISOR_ID if version_of(call) >= (2, 53) else 1,
        "hypervisor_hostname": HOST,
        "state": "down" if service and service.forced_down else "up",
        "status": "disabled" if service and service.disabled else "enabled",
    }


def _full(compute: ComputeService, call: Call) -> Json:
    version, service = version_of(call), _worker(compute)
    number = service.number if service else 0
    shown = {
        **_brief(compute, call),
        "hypervisor_type": "QEMU",
        "hypervisor_version": 8_002_000,
        "host_ip": "127.0.0.1",
        "service": {
            "id": (service.id if service else "") if version >= (2, 53) else number,
            "host": HOST,
            "disabled_reason": service.disabled_reason if service else None,
        },
    }
    if version >= (2, 88):
        return shown | {"uptime": _uptime(), "servers": _servers(compute)}
    cpu = {"arch": platform.machine(), "model": "host", "topology": {"cores": os.cpu_count() or 1}}
    return shown | sizes(compute) | {"cpu_info": cpu if version >= (2, 28) else str(cpu)}


def sizes(compute: ComputeService) -> dict[str, int]:
    """The capacity and usage of the host. It does not limit servers: only quotas do."""
    used = compute.records.consumption.find()
    instances, cores, ram = (
        sum(getattr(each, name) for each in used) for name in ("instances", "cores", "ram")
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1024**2
    room = os.statvfs(compute.context.folder.parent)
    disk, free = room.f_blocks * room.f_frsize // _GIB, room.f_bavail * room.f_frsize // _GIB
    return {
        "vcpus": os.cpu_count() or 1,
        "vcpus_used": cores,
        "memory_mb": memory,
        "memory_mb_used": ram,
        "free_ram_mb": memory - ram,
        "local_gb": disk,
        "local_gb_used": disk - free,
        "free_disk_gb": free,
        "disk_available_least": free,
        "running_vms": instances,
        "current_workload": 0,
    }


def _servers(compute: ComputeService) -> list[dict[str, str]]:
    return [{"name": server.name, "uuid": server.id} for server in compute.records.servers.find()]


def _worker(compute: ComputeService) -> HostService | None:
    return compute.records.services.first(binary="nova-compute")


def _uptime() -> str:
    one, five, fifteen = os.getloadavg()
    return f"up, load average: {one:.2f}, {five:.2f}, {fifteen:.2f}"


_HYPERVISORS = "/os-hypervisors"
_ONE = f"{_HYPERVISORS}/{{hypervisor_id}}"
_SERVICE = "/os-services/{service_id}"

ROUTES = (
    ComputeRoute("GET", _HYPERVISORS, list_hypervisors, admins),
    ComputeRoute("GET", f"{_HYPERVISORS}/detail", list_hypervisors_in_detail, admins),
    ComputeRoute("GET", f"{_HYPERVISORS}/statistics", get_statistics, admins, until=(2, 87)),
    ComputeRoute("GET", _ONE, get_hypervisor, admins),
    ComputeRoute("GET", f"{_ONE}/uptime", get_uptime, admins, until=(2, 87)),
    ComputeRoute("GET", f"{_ONE}/search", search_hypervisors, admins, until=(2, 52)),
    ComputeRoute("GET", f"{_ONE}/servers", list_servers_of_hypervisors, admins, until=(2, 52)),
    ComputeRoute("GET", "/os-services", list_services, admins),
    ComputeRoute("PUT", _SERVICE, act_on_service, admins, until=(2, 52)),
    ComputeRoute("PUT", _SERVICE, update_service, admins, since=(2, 53)),
    ComputeRoute("DELETE", _SERVICE, delete_service, admins),
)
