"""Which versions of the API there are, and which extensions: all of them, as they are one with it by now."""

from __future__ import annotations

from typing import Any

from calor.localcloud.compute.microversions import FIRST, LAST, written
from calor.localcloud.compute.rules import ComputeRoute, readers
from calor.localcloud.compute.state import Compute
from calor.localcloud.problems import NotFound
from calor.localcloud.web import Call, Reply

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


def list_versions(compute: Compute, call: Call) -> Reply:
    return Reply(body={"versions": [_first_version(call), _version(call)]})


def get_first_version(compute: Compute, call: Call) -> Reply:
    return Reply(body={"version": {**_first_version(call), "media-types": [_media("2")]}})


def get_version(compute: Compute, call: Call) -> Reply:
    return Reply(body={"version": {**_version(call), "media-types": [_media("2.1")]}})


def list_extensions(compute: Compute, call: Call) -> Reply:
    return Reply(body={"extensions": [_extension(alias) for alias in _EXTENSIONS]})


def get_extension(compute: Compute, call: Call) -> Reply:
    if call.path["alias"] not in _EXTENSIONS:
        raise NotFound.of("extension", call.path["alias"])
    return Reply(body={"extension": _extension(call.path["alias"])})


def _media(version: str) -> dict[str, str]:
    kind = f"application/vnd.openstack.compute+json;version={version}"
    return {"base": "application/json", "type": kind}


def _first_version(call: Call) -> dict[str, Any]:
    """What was there before microversions: the same, without them."""
    return {
        "id": "v2.0",
        "status": "SUPPORTED",
        "version": "",
        "min_version": "",
        "updated": "2011-01-21T11:33:21Z",
        "links": [{"rel": "self", "href": f"{call.base}/v2/"}],
    }


def _version(call: Call) -> dict[str, Any]:
    return {
        "id": "v2.1",
        "status": "CURRENT",
        "version": written(LAST),
        "min_version": written(FIRST),
        "updated": "2013-07-23T11:33:21Z",
        "links": [{"rel": "self", "href": f"{call.base}/v2.1/"}],
    }


def _extension(alias: str) -> dict[str, Any]:
    return {
        "alias": alias,
        "name": _EXTENSIONS[alias],
        "description": "",
        "namespace": "http://docs.openstack.org/compute/ext/fake_xml",
        "updated": "2014-12-03T00:00:00Z",
        "links": [],
    }


ROUTES = (
    ComputeRoute("GET", "/extensions", list_extensions, readers),
    ComputeRoute("GET", "/extensions/{alias}", get_extension, readers),
)
