"""Availability zones and extensions."""

from __future__ import annotations

from calor.localcloud.compute.records import HostService
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.service import HOST, ComputeService, with_microseconds
from calor.localcloud.policy import admins, readers
from calor.localcloud.problems import NotFound
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

ZONE = "nova"
"""The zone of hosts that are in no aggregate with a zone."""
INTERNAL_ZONE = "internal"

_EXTENSIONS = {
    "NMN": "Multinic",
    "OS-DCF": "DiskConfig",
    "OS-EXT-AZ": "ExtendedAvailabilityZone",
    "OS-EXT-IPS": "ExtendedIps",
    "OS-EXT-SRV-ATTR": "ExtendedServerAttributes",
    "OS-EXT-STS": "ExtendedStatus",
    "OS-FLV-DISABLED": "FlavorDisabled",
    "OS-FLV-EXT-DATA": "FlavorExtraData",
    "OS-SCH-HNT": "SchedulerHints",
    "OS-SRV-USG": "ServerUsage",
    "os-aggregates": "Aggregates",
    "os-attach-interfaces": "AttachInterfaces",
    "os-availability-zone": "AvailabilityZone",
    "os-config-drive": "ConfigDrive",
    "os-console-output": "ConsoleOutput",
    "os-consoles": "Consoles",
    "os-extended-volumes": "ExtendedVolumes",
    "os-flavor-access": "FlavorAccess",
    "os-flavor-extra-specs": "FlavorExtraSpecs",
    "os-flavor-manage": "FlavorManage",
    "os-hosts": "Hosts",
    "os-hypervisors": "Hypervisors",
    "os-instance-actions": "InstanceActions",
    "os-keypairs": "Keypairs",
    "os-lock-server": "LockServer",
    "os-multiple-create": "MultipleCreate",
    "os-pause-server": "PauseServer",
    "os-quota-class-sets": "QuotaClasses",
    "os-quota-sets": "Quotas",
    "os-rescue": "Rescue",
    "os-server-groups": "ServerGroups",
    "os-server-password": "ServerPassword",
    "os-services": "Services",
    "os-shelve": "Shelve",
    "os-simple-tenant-usage": "SimpleTenantUsage",
    "os-suspend-server": "SuspendServer",
    "os-user-data": "UserData",
    "os-volumes": "Volumes",
}


def zone_names(compute: ComputeService) -> list[str]:
    """The zones of servers: those of the aggregates with the host, or the default one."""
    made = [
        aggregate.metadata["availability_zone"]
        for aggregate in compute.records.aggregates.find()
        if HOST in aggregate.hosts and "availability_zone" in aggregate.metadata
    ]
    return sorted(set(made)) or [ZONE]


def list_zones(compute: ComputeService, call: Call) -> Reply:
    shown = [_show_zone(name, available(compute), None) for name in zone_names(compute)]
    return Reply(body={"availabilityZoneInfo": shown})


def list_zones_in_detail(compute: ComputeService, call: Call) -> Reply:
    services = compute.records.services.find()
    workers = [service for service in services if service.binary == "nova-compute"]
    others = [service for service in services if service.binary != "nova-compute"]
    shown = [_show_zone(INTERNAL_ZONE, True, _hosts(compute, others))]
    shown += [_show_zone(name, available(compute), _hosts(compute, workers)) for name in zone_names(compute)]
    return Reply(body={"availabilityZoneInfo": shown})


def available(compute: ComputeService) -> bool:
    return any(
        service.binary == "nova-compute" and not service.disabled
        for service in compute.records.services.find()
    )


def _show_zone(name: str, is_available: bool, hosts: Json | None) -> Json:
    return {"zoneName": name, "zoneState": {"available": is_available}, "hosts": hosts}


def _hosts(compute: ComputeService, services: list[HostService]) -> Json:
    result = {
        service.binary: {
            "active": not service.disabled,
            "available": not service.forced_down,
            "updated_at": with_microseconds(compute.stamp()),
        }
        for service in services
    }
    return {HOST: result}


def list_extensions(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"extensions": [_extension(alias) for alias in _EXTENSIONS]})


def get_extension(compute: ComputeService, call: Call) -> Reply:
    if call.path["alias"] not in _EXTENSIONS:
        raise NotFound.of("extension", call.path["alias"])
    return Reply(body={"extension": _extension(call.path["alias"])})


def _extension(alias: str) -> Json:
    return {
        "alias": alias,
        "name": _EXTENSIONS[alias],
        "description": "",
        "namespace": "http://docs.openstack.org/compute/ext/fake_xml",
        "updated": "2014-12-03T00:00:00Z",
        "links": [],
    }


ROUTES = (
    ComputeRoute("GET", "/os-availability-zone", list_zones, readers),
    ComputeRoute("GET", "/os-availability-zone/detail", list_zones_in_detail, admins),
    ComputeRoute("GET", "/extensions", list_extensions, readers),
    ComputeRoute("GET", "/extensions/{alias}", get_extension, readers),
)
