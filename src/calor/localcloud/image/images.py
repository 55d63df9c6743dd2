"""Images: create, show, update, delete; tags and deactivation."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from calor.localcloud.image.lists import list_images
from calor.localcloud.image.patches import apply_patch
from calor.localcloud.image.policy import check_reach
from calor.localcloud.image.records import Image
from calor.localcloud.image.requests import read_attributes
from calor.localcloud.image.service import ImageService
from calor.localcloud.image.views import show_image
from calor.localcloud.policy import readers, writers
from calor.localcloud.problems import BadRequest, Conflict, Forbidden, NotFound
from calor.localcloud.requests import parse_json, text
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.web import NO_CONTENT, Call, Reply

IMPORT_METHODS = ("glance-direct", "web-download")


def create_image(service: ImageService, call: Call) -> Reply:
    given = call.read(read_attributes)
    now = service.stamp()
    image = Image(
        **{"id": str(uuid4()), "owner": call.caller.project_id, **given}, created_at=now, updated_at=now
    )
    check_reach(
        call.caller,
        for_others=image.owner != call.caller.project_id,
        to_everyone=image.visibility == "public",
    )
    deleted = service.records.deleted.get(image.id)
    if service.records.images.get(image.id) or (deleted and deleted.owner != image.owner):
        raise Conflict(f"Image ID {image.id} already exists!")
    service.records.images.add(image)
    headers = {
        "Location": f"{call.base}/v2/images/{image.id}",
        "OpenStack-image-import-methods": ",".join(IMPORT_METHODS),
    }
    return Reply(201, show_image(image), headers)


def get_image(service: ImageService, call: Call) -> Reply:
    return Reply(body=show_image(service.need(call.caller, call.path["image_id"])))


def update_image(service: ImageService, call: Call) -> Reply:
    image = service.need_own(call.caller, call.path["image_id"])
    changed = apply_patch(image, call.headers.get("content-type", ""), parse_json(call.raw))
    check_reach(
        call.caller,
        for_others=changed.owner != image.owner,
        to_everyone=changed.visibility == "public" and image.visibility != "public",
    )
    return Reply(body=show_image(service.save(changed)))


def delete_image(service: ImageService, call: Call) -> Reply:
    image = service.need_own(call.caller, call.path["image_id"])
    if image.protected:
        raise Forbidden(f"Image {image.id} is protected and cannot be deleted.")
    service.remove(image)
    return NO_CONTENT


def add_tag(service: ImageService, call: Call) -> Reply:
    image = service.need_own(call.caller, call.path["image_id"])
    tag = text(255, shortest=1)(call.path["tag"], "The tag")
    service.save(replace(image, tags=tuple(dict.fromkeys((*image.tags, tag)))))
    return NO_CONTENT


def remove_tag(service: ImageService, call: Call) -> Reply:
    image = service.need_own(call.caller, call.path["image_id"])
    if call.path["tag"] not in image.tags:
        raise NotFound.of("tag", call.path["tag"])
    service.save(replace(image, tags=tuple(tag for tag in image.tags if tag != call.path["tag"])))
    return NO_CONTENT


def deactivate(service: ImageService, call: Call) -> Reply:
    return _set_status(service, call, "active", "deactivated")


def reactivate(service: ImageService, call: Call) -> Reply:
    return _set_status(service, call, "deactivated", "active")


def _set_status(service: ImageService, call: Call, before: str, after: str) -> Reply:
    image = service.need_own(call.caller, call.path["image_id"])
    if image.status not in (before, after):
        raise BadRequest(f"Not allowed to change the status from {image.status} to {after}.")
    service.save(replace(image, status=after))
    return NO_CONTENT


_ONE = "/v2/images/{image_id}"

ROUTES = (
    ServiceRoute("GET", "/v2/images", list_images, readers),
    ServiceRoute("POST", "/v2/images", create_image, writers),
    ServiceRoute("GET", _ONE, get_image, readers),
    ServiceRoute("PATCH", _ONE, update_image, writers),
    ServiceRoute("DELETE", _ONE, delete_image, writers),
    ServiceRoute("PUT", f"{_ONE}/tags/{{tag}}", add_tag, writers),
    ServiceRoute("DELETE", f"{_ONE}/tags/{{tag}}", remove_tag, writers),
    ServiceRoute("POST", f"{_ONE}/actions/deactivate", deactivate, writers),
    ServiceRoute("POST", f"{_ONE}/actions/reactivate", reactivate, writers),
)
