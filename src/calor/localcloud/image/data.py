"""Image data: upload, stage, import and download."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.files import Span, pieces, receive, requested_span
from calor.localcloud.image.images import IMPORT_METHODS
from calor.localcloud.image.records import Image
from calor.localcloud.image.service import ImageService
from calor.localcloud.image.views import show_failed_import
from calor.localcloud.image.web_download import start_web_download
from calor.localcloud.policy import readers, writers
from calor.localcloud.problems import (
    BadRequest,
    Conflict,
    Forbidden,
    UnsupportedMedia,
)
from calor.localcloud.requests import name, shape
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.web import NO_CONTENT, Call, Reply

_IMPORT = shape({"method": shape({"name": name}, others=True)}, others=True)


async def upload(service: ImageService, call: Call) -> Reply:
    image = _writable_image(service, call)
    _check_formats(image)
    service.save(replace(image, status="saving"))
    arriving = service.upload_file_of(image.id)
    try:
        summary = await receive(call.stream, arriving)
    except BaseException:
        _back_to_queued(service, image.id)
        raise
    service.complete(image.id, arriving, summary)
    return NO_CONTENT


async def stage(service: ImageService, call: Call) -> Reply:
    image = _writable_image(service, call)
    service.save(replace(image, status="uploading"))
    arriving = service.upload_file_of(image.id)
    try:
        await receive(call.stream, arriving)
    except BaseException:
        _back_to_queued(service, image.id)
        raise
    arriving.replace(service.staged_file_of(image.id))
    return NO_CONTENT


def import_data(service: ImageService, call: Call) -> Reply:
    method = call.read(_IMPORT)["method"]
    image = service.need_own(call.caller, call.path["image_id"])
    if method["name"] not in IMPORT_METHODS:
        raise BadRequest(f"Unknown import method name '{method['name']}'.")
    if method["name"] == "web-download":
        _check_formats(image)
        start_web_download(service, image, method.get("uri"))
        return Reply(202)
    if image.status != "uploading" or not service.staged_file_of(image.id).exists():
        raise Conflict(f"Image {image.id} has no staged data: its status is {image.status}.")
    _check_formats(image)
    service.save(replace(image, status="importing"))
    service.import_later(image.id)
    return Reply(202)


def list_tasks(service: ImageService, call: Call) -> Reply:
    """The last failed import, unless the image has got data since."""
    image = service.need_own(call.caller, call.path["image_id"])
    failed = image.status == "queued" and image.import_problem is not None
    return Reply(body={"tasks": [show_failed_import(image)] if failed else []})


def download(service: ImageService, call: Call) -> Reply:
    image = service.need(call.caller, call.path["image_id"])
    if image.status == "deactivated" and not call.caller.is_admin:
        raise Forbidden("The requested image has been deactivated. Image data download is forbidden.")
    if not image.has_data or image.size is None:
        return NO_CONTENT
    span = requested_span(call.headers.get("range"), image.size)
    part = span or Span(0, image.size)
    headers = {
        "Content-Type": "application/octet-stream",
        "Content-Length": str(part.end - part.start),
        "Accept-Ranges": "bytes",
    }
    if span:
        headers["Content-Range"] = span.content_range(image.size)
    else:
        headers["Content-MD5"] = image.checksum or ""
    return Reply(206 if span else 200, None, headers, pieces(service.file_of(image.id), part.start, part.end))


def _writable_image(service: ImageService, call: Call) -> Image:
    """The image in the path, which must be able to receive data."""
    if call.headers.get("content-type", "").partition(";")[0] != "application/octet-stream":
        raise UnsupportedMedia("The content type must be application/octet-stream.")
    image = service.need_own(call.caller, call.path["image_id"])
    if image.status != "queued":
        raise Conflict(f"Image {image.id} cannot receive data in the state {image.status}.")
    return image


def _check_formats(image: Image) -> None:
    if image.disk_format is None or image.container_format is None:
        raise BadRequest("Properties disk_format, container_format must be set prior to saving data.")


def _back_to_queued(service: ImageService, image_id: str) -> None:
    if image := service.records.images.get(image_id):
        service.save(replace(image, status="queued"))


_ONE = "/v2/images/{image_id}"

ROUTES = (
    ServiceRoute("PUT", f"{_ONE}/file", upload, writers, streams=True),
    ServiceRoute("GET", f"{_ONE}/file", download, readers),
    ServiceRoute("PUT", f"{_ONE}/stage", stage, writers, streams=True),
    ServiceRoute("POST", f"{_ONE}/import", import_data, writers),
    ServiceRoute("GET", f"{_ONE}/tasks", list_tasks, readers),
)
