"""The import method web-download."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from calor.fetching.connections import AddressNotAllowed, check_host
from calor.localcloud.image.records import Image
from calor.localcloud.image.service import FAILED_IMPORT, ImageService
from calor.localcloud.problems import BadRequest, Conflict


def start_web_download(service: ImageService, image: Image, uri: object) -> None:
    if not isinstance(uri, str) or not _is_web_address(uri):
        raise BadRequest("web-download requires an http or https URI.")
    try:
        check_host(urlsplit(uri).hostname or "", service.context.fetcher.allowed)
    except AddressNotAllowed as error:
        raise BadRequest(f"The image cannot be downloaded: {error}.") from None
    if image.status != "queued":
        raise Conflict(f"Image {image.id} cannot receive data in the state {image.status}.")
    project = image.owner or ""
    service.downloads.claim(project)
    kept = {name: value for name, value in image.properties.items() if name != FAILED_IMPORT}
    service.save(replace(image, status="importing", properties=kept, import_problem=None))
    service.context.background.later(0, lambda: _fetch(service, project, image.id, uri))


def _is_web_address(uri: str) -> bool:
    try:
        return urlsplit(uri).scheme in ("http", "https")
    except ValueError:
        return False


async def _fetch(service: ImageService, project: str, image_id: str, uri: str) -> None:
    arriving = service.upload_file_of(image_id)
    try:
        await service.downloads.download(project, service.context.fetcher, uri, arriving)
    except OSError as error:
        arriving.unlink(missing_ok=True)
        service.fail_import(image_id, str(error))
        return
    await service.complete_with_file(image_id, arriving)
