"""Import methods, stores, and tasks, of which there are none."""

from __future__ import annotations

from calor.localcloud.image.images import IMPORT_METHODS
from calor.localcloud.image.service import ImageService
from calor.localcloud.image.views import STORE
from calor.localcloud.policy import admins, anyone
from calor.localcloud.problems import NotFound
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.web import Call, Reply


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
    ServiceRoute("GET", "/v2/info/import", import_info, anyone),
    ServiceRoute("GET", "/v2/info/stores", stores_info, anyone),
    ServiceRoute("GET", "/v2/tasks", list_tasks, admins),
    ServiceRoute("GET", "/v2/tasks/{task_id}", get_task, admins),
)
