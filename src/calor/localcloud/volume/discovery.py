"""What the service says of itself: versions, zones, services, pools, extensions, filters."""

from __future__ import annotations

from typing import Any

from calor.localcloud.problems import NotFound
from calor.localcloud.volume.routing import NEWEST, VolumeRoute, admins, readers
from calor.localcloud.volume.state import ZONE, VolumeService
from calor.localcloud.volume.views import HOST, POOL
from calor.localcloud.web import Call, Reply, Route

_RESOURCES = {
    "volume": ["name", "status", "metadata", "bootable", "availability_zone", "size"],
    "snapshot": ["name", "status", "volume_id", "metadata"],
    "backup": ["name", "status", "volume_id"],
    "attachment": ["volume_id", "status", "instance_id"],
    "volume_type": ["is_public"],
}
_EXTENSIONS = (
    "backups",
    "encryption",
    "os-availability-zone",
    "os-extended-snapshot-attributes",
    "os-quota-class-sets",
    "os-quota-sets",
    "os-services",
    "os-types-extra-specs",
    "os-types-manage",
    "os-vol-host-attr",
    "os-vol-image-meta",
    "os-vol-tenant-attr",
    "os-volume-actions",
    "os-volume-transfer",
    "os-volume-type-access",
    "qos-specs",
    "scheduler-stats",
)


def list_choices(call: Call) -> Reply:
    return Reply(300, {"versions": [_version(call)]})


def get_version(call: Call) -> Reply:
    return Reply(body={"versions": [_version(call)]})


def _version(call: Call) -> dict[str, Any]:
    return {
        "id": "v3.0",
        "status": "CURRENT",
        "version": f"3.{NEWEST}",
        "min_version": "3.0",
        "updated": "2023-08-31T00:00:00Z",
        "links": [{"rel": "self", "href": f"{call.base}/v3/"}],
        "media-types": [
            {"base": "application/json", "type": "application/vnd.openstack.volume+json;version=3"}
        ],
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
    """A host is asked for by its whole name, or by the part before its backend's."""
    return asked in (None, host, host.partition("@")[0])


def list_pools(service: VolumeService, call: Call) -> Reply:
    pool: dict[str, Any] = {"name": POOL}
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
    told = {
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
    return Reply(body=told)


def list_extensions(service: VolumeService, call: Call) -> Reply:
    shown = [
        {
            "alias": alias,
            "name": alias.removeprefix("os-").replace("-", " ").capitalize(),
            "description": "",
            "links": [],
            "updated": "2023-08-31T00:00:00+00:00",
        }
        for alias in _EXTENSIONS
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


OPEN_ROUTES = (
    Route("GET", "/", list_choices, None),
    Route("GET", "/v3", get_version, None),
    Route("GET", "/v3/", get_version, None),
)

ROUTES = (
    VolumeRoute("GET", "/os-availability-zone", list_zones, readers),
    VolumeRoute("GET", "/os-services", list_services, admins),
    VolumeRoute("GET", "/scheduler-stats/get_pools", list_pools, admins),
    VolumeRoute("GET", "/capabilities/{host}", get_capabilities, admins),
    VolumeRoute("GET", "/extensions", list_extensions, readers),
    VolumeRoute("GET", "/resource_filters", list_filters, readers, since=33),
    VolumeRoute("GET", "/messages", list_messages, readers, since=3),
)
