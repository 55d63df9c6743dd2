"""What the service says of itself: versions, ways to import, stores, tasks (of which there are none)."""

from __future__ import annotations

from typing import Any

from calor.localcloud.image.images import IMPORT_METHODS
from calor.localcloud.image.rules import admins, anyone
from calor.localcloud.image.state import ImageService
from calor.localcloud.image.views import STORE
from calor.localcloud.problems import NotFound
from calor.localcloud.routes import RouteOf
from calor.localcloud.web import Call, Reply

# Later ones tell of the tasks of an image, of usage and of caches, which there are not.
_NEWEST = 11


def list_choices(service: ImageService, call: Call) -> Reply:
    return Reply(300, {"versions": _versions(call)})


def list_versions(service: ImageService, call: Call) -> Reply:
    return Reply(body={"versions": _versions(call)})


def _versions(call: Call) -> list[dict[str, Any]]:
    return [
        {
            "id": f"v2.{minor}",
            "status": "CURRENT" if minor == _NEWEST else "SUPPORTED",
            "links": [{"rel": "self", "href": f"{call.base}/v2/"}],
        }
        for minor in range(_NEWEST, -1, -1)
    ]


def import_info(service: ImageService, call: Call) -> Reply:
    methods = {"description": "Import methods available.", "type": "array", "value": list(IMPORT_METHODS)}
    return Reply(body={"import-methods": methods})


def stores_info(service: ImageService, call: Call) -> Reply:
    return Reply(body={"stores": [{"id": STORE, "default": "true", "description": "Files of the cloud"}]})


def list_tasks(service: ImageService, call: Call) -> Reply:
    return Reply(body={"tasks": [], "first": "/v2/tasks", "schema": "/v2/schemas/tasks"})


def get_task(service: ImageService, call: Call) -> Reply:
    raise NotFound.of("task", call.path["task_id"])


ROUTES = (
    RouteOf("GET", "/", list_choices, None),
    RouteOf("GET", "/v2", list_choices, None),
    RouteOf("GET", "/v2/", list_choices, None),
    RouteOf("GET", "/versions", list_versions, None),
    RouteOf("GET", "/v2/info/import", import_info, anyone),
    RouteOf("GET", "/v2/info/stores", stores_info, anyone),
    RouteOf("GET", "/v2/tasks", list_tasks, admins),
    RouteOf("GET", "/v2/tasks/{task_id}", get_task, admins),
)
