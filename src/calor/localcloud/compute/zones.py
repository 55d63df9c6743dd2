"""Availability zones, and the one host with its services."""

from __future__ import annotations

from typing import Any

from calor.localcloud.compute.records import HostService
from calor.localcloud.compute.rules import ComputeRoute, admins, readers
from calor.localcloud.compute.state import HOST, Compute, with_fractions
from calor.localcloud.web import Call, Reply

ZONE = "nova"
"""The zone of hosts that no aggregate has put into another."""
INTERNAL_ZONE = "internal"


def zone_names(compute: Compute) -> list[str]:
    """The zones that servers can be in: those that aggregates make for the host, or else the usual one."""
    made = [
        aggregate.metadata["availability_zone"]
        for aggregate in compute.records.aggregates.find()
        if HOST in aggregate.hosts and "availability_zone" in aggregate.metadata
    ]
    return sorted(set(made)) or [ZONE]


def list_zones(compute: Compute, call: Call) -> Reply:
    shown = [_show(name, available(compute), None) for name in zone_names(compute)]
    return Reply(body={"availabilityZoneInfo": shown})


def list_zones_in_detail(compute: Compute, call: Call) -> Reply:
    services = compute.records.services.find()
    workers = [service for service in services if service.binary == "nova-compute"]
    others = [service for service in services if service.binary != "nova-compute"]
    shown = [_show(INTERNAL_ZONE, True, _hosts(compute, others))]
    shown += [_show(name, available(compute), _hosts(compute, workers)) for name in zone_names(compute)]
    return Reply(body={"availabilityZoneInfo": shown})


def available(compute: Compute) -> bool:
    return any(
        service.binary == "nova-compute" and not service.disabled
        for service in compute.records.services.find()
    )


def _show(name: str, is_available: bool, hosts: Any) -> dict[str, Any]:
    return {"zoneName": name, "zoneState": {"available": is_available}, "hosts": hosts}


def _hosts(compute: Compute, services: list[HostService]) -> dict[str, Any]:
    told = {
        service.binary: {
            "active": not service.disabled,
            "available": not service.forced_down,
            "updated_at": with_fractions(compute.stamp()),
        }
        for service in services
    }
    return {HOST: told}


ROUTES = (
    ComputeRoute("GET", "/os-availability-zone", list_zones, readers),
    ComputeRoute("GET", "/os-availability-zone/detail", list_zones_in_detail, admins),
)
