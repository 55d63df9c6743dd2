"""Which versions of the API there are: one."""

from __future__ import annotations

from typing import Any

from calor.localcloud.network.resources import NetworkRoute
from calor.localcloud.network.state import Networking
from calor.localcloud.web import Call, Reply

_COLLECTIONS = ("networks", "subnets", "ports", "routers", "floatingips", "extensions")


def list_versions(networking: Networking, call: Call) -> Reply:
    version: dict[str, Any] = {
        "id": "v2.0",
        "status": "CURRENT",
        "links": [{"rel": "self", "href": f"{call.base}/v2.0/"}],
    }
    return Reply(body={"versions": [version]})


def list_collections(networking: Networking, call: Call) -> Reply:
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
    NetworkRoute("GET", "/", list_versions, None),
    NetworkRoute("GET", "/v2.0", list_collections, None),
    NetworkRoute("GET", "/v2.0/", list_collections, None),
)
