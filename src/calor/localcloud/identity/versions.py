"""Version discovery."""

from __future__ import annotations

from calor.localcloud.identity.service import IdentityService
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply


def list_versions(identity: IdentityService, call: Call) -> Reply:
    return Reply(300, {"versions": {"values": [_version(call)]}}, {"Location": f"{call.base}/v3/"})


def get_version(identity: IdentityService, call: Call) -> Reply:
    return Reply(body={"version": _version(call)})


def _version(call: Call) -> Json:
    return {
        "id": "v3.14",
        "status": "stable",
        "updated": "2020-04-07T00:00:00Z",
        "links": [{"rel": "self", "href": f"{call.base}/v3/"}],
        "media-types": [
            {"base": "application/json", "type": "application/vnd.openstack.identity-v3+json"},
        ],
    }


ROUTES = (
    ServiceRoute("GET", "/", list_versions, None),
    ServiceRoute("GET", "/v3", get_version, None),
    ServiceRoute("GET", "/v3/", get_version, None),
)
