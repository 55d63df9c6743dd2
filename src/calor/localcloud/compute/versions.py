"""Version discovery."""

from __future__ import annotations

from calor.localcloud.compute.microversions import FIRST, LAST, format_version
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply


def list_versions(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"versions": [_first_version(call), _version(call)]})


def get_first_version(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"version": {**_first_version(call), "media-types": [_media("2")]}})


def get_version(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"version": {**_version(call), "media-types": [_media("2.1")]}})


def _media(version: str) -> dict[str, str]:
    kind = f"application/vnd.openstack.compute+json;version={version}"
    return {"base": "application/json", "type": kind}


def _first_version(call: Call) -> Json:
    """Version 2.0, without microversions."""
    return {
        "id": "v2.0",
        "status": "SUPPORTED",
        "version": "",
        "min_version": "",
        "updated": "2011-01-21T11:33:21Z",
        "links": [{"rel": "self", "href": f"{call.base}/v2/"}],
    }


def _version(call: Call) -> Json:
    return {
        "id": "v2.1",
        "status": "CURRENT",
        "version": format_version(LAST),
        "min_version": format_version(FIRST),
        "updated": "2013-07-23T11:33:21Z",
        "links": [{"rel": "self", "href": f"{call.base}/v2.1/"}],
    }
