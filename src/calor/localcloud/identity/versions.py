"""Which versions of the API there are: one."""

from __future__ import annotations

from typing import Any

from calor.localcloud.identity.rules import IdentityRoute
from calor.localcloud.identity.state import Identity
from calor.localcloud.web import Call, Reply


def list_versions(identity: Identity, call: Call) -> Reply:
    return Reply(300, {"versions": {"values": [_version(call)]}}, {"Location": f"{call.base}/v3/"})


def get_version(identity: Identity, call: Call) -> Reply:
    return Reply(body={"version": _version(call)})


def _version(call: Call) -> dict[str, Any]:
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
    IdentityRoute("GET", "/", list_versions, None),
    IdentityRoute("GET", "/v3", get_version, None),
    IdentityRoute("GET", "/v3/", get_version, None),
)
