"""Images that the service fetches from the web by itself."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from calor.localcloud.image.records import Image
from calor.localcloud.image.state import FAILED_IMPORT, ImageService
from calor.localcloud.problems import BadRequest, Conflict


def begin_fetching(service: ImageService, image: Image, uri: object) -> None:
    if not isinstance(uri, str) or not _is_web_address(uri):
        raise BadRequest("web-download needs the uri of an http or https address.")
    if image.status != "queued":
        raise Conflict(f"Image {image.id} takes no data: it is {image.status}.")
    project = image.owner or ""
    service.downloads.claim(project)
    kept = {name: value for name, value in image.properties.items() if name != FAILED_IMPORT}
    service.keep(replace(image, status="importing", properties=kept))
    service.ground.life.later(0, lambda: _fetch(service, project, image.id, uri))


def _is_web_address(uri: str) -> bool:
    try:
        return urlsplit(uri).scheme in ("http", "https")
    except ValueError:
        return False


async def _fetch(service: ImageService, project: str, image_id: str, uri: str) -> None:
    arriving = service.arriving_file_of(image_id)
    try:
        await service.downloads.download(project, service.ground.fetcher, uri, arriving)
    except OSError:
        arriving.unlink(missing_ok=True)
        service.fail_import(image_id)
        return
    await service.complete_with(image_id, arriving)
