"""Images that the service fetches from the web by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from calor.localcloud.image.records import Image
from calor.localcloud.image.state import FAILED_IMPORT, ImageService
from calor.localcloud.problems import BadRequest, Conflict

TIMEOUT = 30.0
"""Seconds to wait for a connection, and then for the next piece."""
PIECE = 1 << 20


def begin_fetching(service: ImageService, image: Image, uri: object) -> None:
    if not isinstance(uri, str) or urlsplit(uri).scheme not in ("http", "https"):
        raise BadRequest("web-download needs the uri of an http or https address.")
    if image.status != "queued":
        raise Conflict(f"Image {image.id} takes no data: it is {image.status}.")
    kept = {name: value for name, value in image.properties.items() if name != FAILED_IMPORT}
    service.keep(replace(image, status="importing", properties=kept))
    service.ground.life.later(0, lambda: _fetch(service, image.id, uri))


async def _fetch(service: ImageService, image_id: str, uri: str) -> None:
    arriving = service.arriving_file_of(image_id)
    try:
        await service.ground.life.aside(_download, uri, arriving)
    except OSError:
        arriving.unlink(missing_ok=True)
        service.fail_import(image_id)
        return
    await service.complete_with(image_id, arriving)


def _download(uri: str, target: Path) -> None:
    """Raises OSError."""
    import requests

    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with requests.get(uri, timeout=TIMEOUT, stream=True) as answer, target.open("wb") as file:
            answer.raise_for_status()
            for piece in answer.iter_content(PIECE):
                file.write(piece)
    except (requests.RequestException, ValueError) as error:
        raise OSError(str(error)) from None
