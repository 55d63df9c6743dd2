"""The image service: what its handlers work with, and how images get their data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from calor.localcloud.caller import Caller
from calor.localcloud.context import Context
from calor.localcloud.files import Summary, summarise
from calor.localcloud.image.download_pool import DownloadPool
from calor.localcloud.image.policy import may_change, may_see
from calor.localcloud.image.records import DeletedImage, Image, Records
from calor.localcloud.problems import Forbidden, NotFound

_HASHED_BY = "sha512"
_HASHED_UP_TO = 256 << 20
FAILED_IMPORT = "os_glance_failed_import"
"""The property with the stores to which the import has failed."""


class ImageService:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.records = Records(context.store)
        self.downloads = DownloadPool()
        self._folder = context.folder / "images"

    def stamp(self) -> str:
        """Now, to the microsecond, so that lists keep the order in which images were made."""
        return f"{self.context.clock():%Y-%m-%dT%H:%M:%S.%fZ}"

    def file_of(self, image_id: str) -> Path:
        return self._folder / image_id

    def upload_file_of(self, image_id: str) -> Path:
        """The file of an incomplete upload."""
        return self._folder / f"{image_id}.part"

    def staged_file_of(self, image_id: str) -> Path:
        """The file of staged data."""
        return self._folder / f"{image_id}.staged"

    def need(self, caller: Caller, image_id: str) -> Image:
        """The image, if the caller can see it. Raises NotFound."""
        image = self.records.images.get(image_id)
        membership = self.records.member(image_id, caller.project_id or "")
        if image is None or not may_see(caller, image, membership):
            raise NotFound(f"Failed to find image {image_id[:255]}")
        return image

    def need_own(self, caller: Caller, image_id: str) -> Image:
        """The image, if the caller may change it."""
        image = self.need(caller, image_id)
        if not may_change(caller, image):
            raise Forbidden("You are not permitted to modify this image.")
        return image

    def save(self, image: Image) -> Image:
        return self.records.images.put(replace(image, updated_at=self.stamp()))

    def remove(self, image: Image) -> None:
        with self.records.store.transaction():
            self.records.images.remove(image.id)
            self.records.deleted.put(DeletedImage(image.id, image.owner))
            self.records.members.remove_where(image_id=image.id)
        for file in (self.file_of(image.id), self.staged_file_of(image.id), self.upload_file_of(image.id)):
            file.unlink(missing_ok=True)

    def complete(self, image_id: str, arrived: Path, summary: Summary | None) -> None:
        """Makes an image active, unless it was deleted meanwhile."""
        image = self.records.images.get(image_id)
        if image is None:
            arrived.unlink(missing_ok=True)
            return
        size = arrived.stat().st_size
        arrived.replace(self.file_of(image_id))
        self.save(
            replace(
                image,
                status="active",
                has_data=True,
                size=size,
                virtual_size=size if image.disk_format == "raw" else None,
                checksum=summary.md5 if summary else None,
                os_hash_algo=_HASHED_BY if summary else None,
                os_hash_value=summary.sha512 if summary else None,
            )
        )

    async def complete_with_file(self, image_id: str, arrived: Path) -> None:
        """The same for a file that was not hashed while it was written. A very large one stays without hashes, as
        in a store that takes disks over without reading them."""
        image = self.records.images.get(image_id)
        project = image.owner if image is not None else None
        small = arrived.stat().st_size <= _HASHED_UP_TO
        self.complete(
            image_id,
            arrived,
            await self.context.background.in_long_thread(project, summarise, arrived) if small else None,
        )

    def import_later(self, image_id: str) -> None:
        staged = self.staged_file_of(image_id)
        self.context.background.later(0.01, lambda: self.complete_with_file(image_id, staged))

    def fail_import(self, image_id: str, problem: str) -> None:
        """Resets an image to `queued`, and records the error for its task."""
        if image := self.records.images.get(image_id):
            result = {**image.properties, FAILED_IMPORT: "file"}
            self.save(replace(image, status="queued", properties=result, import_problem=problem))

    def fill_later(self, image_id: str) -> None:
        self.context.background.later(0, lambda: self.complete_with_file(image_id, self.file_of(image_id)))
