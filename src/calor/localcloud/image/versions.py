"""Version discovery."""

from __future__ import annotations

from calor.localcloud.image.service import ImageService
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

# Later versions add usage and cache APIs, which are not supported.
_NEWEST = 11


def list_choices(service: ImageService, call: Call) -> Reply:
    return Reply(300, {"versions": _versions(call)})


def list_versions(service: ImageService, call: Call) -> Reply:
    return Reply(body={"versions": _versions(call)})


def _versions(call: Call) -> list[Json]:
    return [
        {
            "id": f"v2.{minor}",
            "status": "CURRENT" if minor == _NEWEST else "SUPPORTED",
            "links": [{"rel": "self", "href": f"{call.base}/v2/"}],
        }
        for minor in range(_NEWEST, -1, -1)
    ]


ROUTES = (
    ServiceRoute("GET", "/", list_choices, None),
    ServiceRoute("GET", "/v2", list_choices, None),
    ServiceRoute("GET", "/v2/", list_choices, None),
    ServiceRoute("GET", "/versions", list_versions, None),
)
