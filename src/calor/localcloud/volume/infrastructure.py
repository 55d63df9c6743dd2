"""Availability zones, services, pools, extensions and filters."""

from __future__ import annotations

from calor.localcloud.policy import admins, readers
from calor.localcloud.problems import NotFound
from calor.localcloud.types import Json
from calor.localcloud.volume.routes import VolumeRoute
from calor.localcloud.volume.service import ZONE, VolumeService
from calor.localcloud.volume.views import HOST, POOL
from calor.localcloud.web import Call, Reply

_RESOURCES = {
    "volume": ["name", "status", "metadata", "bootable", "availability_zone", "size"],
    "snapshot": ["name", "status", "volume_id", "metadata"],
    "backup": ["name", "status", "volume_id"],
    "attachment": ["volume_id", "status", "instance_id"],
    "volume_type": ["is_public"],
}
# Clients use the names of some.
_EXTENSIONS = {
    "backups": "Backups",
    "encryption": "VolumeTypeEncryption",
    "os-availability-zone": "AvailabilityZones",
    "os-extended-snapshot-attributes": "ExtendedSnapshotAttributes",
    "os-quota-class-sets": "QuotaClasses",
    "os-quota-sets": "Quotas",
    "os-services": "Services",
    "os-types-extra-specs": "TypesExtraSpecs",
    "os-types-manage": "TypesManage",
    "os-vol-host-attr": "VolumeHostAttribute",
    "os-vol-image-meta": "VolumeImageMetadata",
    "os-vol-tenant-attr": "VolumeTenantAttribute",
    "os-volume-actions": "VolumeActions",
    "os-volume-transfer": "VolumeTransfer",
    "os-volume-type-access": "VolumeTypeAccess",
    "qos-specs": "Qos_specs_manage",
    "scheduler-stats": "Scheduler_stats",
}


def list_zones(service: VolumeService, call: Call) -> Reply:
    zone = {"zoneName": ZONE, "zoneState": {"available": True}}
    return Reply(body={"availabilityZoneInfo": [zone]})


def list_services(service: VolumeService, call: Call) -> Reply:
    hosts = {"cinder-scheduler": "cloud", "cinder-volume": HOST, "cinder-backup": "cloud"}
    shown = [
        {
            "binary": binary,
            "host": host,
            "zone": ZONE,
            "status": "enabled",
            "state": "up",
            "updated_at": service.stamp(),
            "disabled_reason": None,
        }
        for binary, host in hosts.items()
        if call.query.get("binary") in (None, binary) and _is_at(call.query.get("host"), host)
    ]
    return Reply(body={"services": shown})


def _is_at(asked: str | None, host: str) -> bool:
    """Matches the whole name of the host, or the part before `@`."""
    return asked in (None, host, host.partition("@")[0])


def list_pools(service: VolumeService, call: Call) -> Reply:
    pool: Json = {"name": POOL}
    if call.query.get("detail", "").lower() in ("true", "1"):
        pool["capabilities"] = {
            "pool_name": "lvmdriver-1",
            "volume_backend_name": "lvmdriver-1",
            "storage_protocol": "file",
            "vendor_name": "Open Source",
            "driver_version": "1.0",
            "total_capacity_gb": "unknown",
            "free_capacity_gb": "unknown",
            "reserved_percentage": 0,
            "thin_provisioning_support": True,
            "multiattach": True,
            "QoS_support": False,
            "timestamp": service.stamp(),
        }
    return Reply(body={"pools": [pool]})


def get_capabilities(service: VolumeService, call: Call) -> Reply:
    if call.path["host"] not in (HOST, POOL):
        raise NotFound(f"Host {call.path['host'][:255]} could not be found.")
    result = {
        "namespace": f"OS::Storage::Capabilities::{HOST}",
        "vendor_name": "Open Source",
        "volume_backend_name": "lvmdriver-1",
        "pool_name": "lvmdriver-1",
        "driver_version": "1.0",
        "storage_protocol": "file",
        "display_name": "Files",
        "description": "Volumes as files of the cloud",
        "visibility": "public",
        "replication_targets": [],
        "properties": {},
    }
    return Reply(body=result)


def list_extensions(service: VolumeService, call: Call) -> Reply:
    shown = [
        {
            "alias": alias,
            "name": name,
            "description": "",
            "links": [],
            "updated": "2023-08-31T00:00:00+00:00",
        }
        for alias, name in _EXTENSIONS.items()
    ]
    return Reply(body={"extensions": shown})


def list_filters(service: VolumeService, call: Call) -> Reply:
    asked = call.query.get("resource")
    shown = [
        {"resource": resource, "filters": filters}
        for resource, filters in _RESOURCES.items()
        if asked in (None, resource)
    ]
    return Reply(body={"resource_filters": shown})


def list_messages(service: VolumeService, call: Call) -> Reply:
    return Reply(body={"messages": []})


ROUTES = (
    VolumeRoute("GET", "/os-availability-zone", list_zones, readers),
    VolumeRoute("GET", "/os-services", list_services, admins),
    VolumeRoute("GET", "/scheduler-stats/get_pools", list_pools, admins),
    VolumeRoute("GET", "/capabilities/{host}", get_capabilities, admins),
    VolumeRoute("GET", "/extensions", list_extensions, readers),
    VolumeRoute("GET", "/resource_filters", list_filters, readers, since=33),
    VolumeRoute("GET", "/messages", list_messages, readers, since=3),
)
