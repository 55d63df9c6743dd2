"""Version discovery."""

from __future__ import annotations

from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.volume.routes import MICROVERSIONS
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.web import Call, Reply


def list_versions(service: VolumeService, call: Call) -> Reply:
    return Reply(300, {"versions": [_version(call)]})


def get_version(service: VolumeService, call: Call) -> Reply:
    return Reply(body={"versions": [_version(call)]})


def _version(call: Call) -> Json:
    return {
        "id": "v3.0",
        "status": "CURRENT",
        "version": f"3.{MICROVERSIONS.newest}",
        "min_version": "3.0",
        "updated": "2023-08-31T00:00:00Z",
        "links": [{"rel": "self", "href": f"{call.base}/v3/"}],
        "media-types": [
            {"base": "application/json", "type": "application/vnd.openstack.volume+json;version=3"}
        ],
    }


ROUTES = (
    ServiceRoute("GET", "/", list_versions, None),
    ServiceRoute("GET", "/v3", get_version, None),
    ServiceRoute("GET", "/v3/", get_version, None),
)
