"""Version discovery."""

from __future__ import annotations

from calor.localcloud.network.service import NetworkService
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

_COLLECTIONS = ("networks", "subnets", "ports", "routers", "floatingips", "extensions")


def list_versions(networking: NetworkService, call: Call) -> Reply:
    version: Json = {
        "id": "v2.0",
        "status": "CURRENT",
        "links": [{"rel": "self", "href": f"{call.base}/v2.0/"}],
    }
    return Reply(body={"versions": [version]})


def list_collections(networking: NetworkService, call: Call) -> Reply:
    resources = [
        {
            "name": name,
            "collection": name,
            "links": [{"rel": "self", "href": f"{call.base}/v2.0/{name}"}],
        }
        for name in _COLLECTIONS
    ]
    return Reply(body={"resources": resources})


ROUTES = (
    ServiceRoute("GET", "/", list_versions, None),
    ServiceRoute("GET", "/v2.0", list_collections, None),
    ServiceRoute("GET", "/v2.0/", list_collections, None),
)
