"""Version discovery."""

from __future__ import annotations

from calor.localcloud.placement.routes import MICROVERSIONS
from calor.localcloud.placement.service import PlacementService
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.web import Call, Reply


def list_versions(service: PlacementService, call: Call) -> Reply:
    version = {
        "id": "v1.0",
        "max_version": f"1.{MICROVERSIONS.newest}",
        "min_version": "1.0",
        "status": "CURRENT",
        "links": [{"rel": "self", "href": ""}],
    }
    return Reply(body={"versions": [version]})


ROUTES = (ServiceRoute("GET", "/", list_versions, None),)
