"""What the handlers of the image service work with, and what it does for its neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from calor.localcloud.caller import Caller
from calor.localcloud.files import Summary, summarise
from calor.localcloud.ground import Ground
from calor.localcloud.image.attributes import is_free, limited, read_attribute
from calor.localcloud.image.downloads import Downloads
from calor.localcloud.image.records import DeletedImage, Image, Records
from calor.localcloud.image.rules import check_reach, may_change, may_see
from calor.localcloud.neighbours import UsableImage
from calor.localcloud.problems import Forbidden, NotFound

_HASHED_BY = "sha512"
_HASHED_UP_TO = 256 << 20
FAILED_IMPORT = "os_glance_failed_import"
"""The property of an image that names the stores which did not get its data."""


class ImageService:
    """The state of the service; a neighbour's `Images`."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.records = Records(ground.store)
        self.downloads = Downloads()
        self._folder = ground.folder / "images"
        ground.life.later(0, self._resume)

    def stamp(self) -> str:
        """Now, to the microsecond, so that lists keep the order in which images were made."""
        return f"{self.ground.clock():%Y-%m-%dT%H:%M:%S.%fZ}"

    def file_of(self, image_id: str) -> Path:
        return self._folder / image_id

    def arriving_file_of(self, image_id: str) -> Path:
        """Where an upload is written until it is complete."""
        return self._folder / f"{image_id}.part"

    def staged_file_of(self, image_id: str) -> Path:
        """Data that waits for its import."""
        return self._folder / f"{image_id}.staged"

    def need(self, caller: Caller, image_id: str) -> Image:
        """The image, if the caller may see it: another's private one is as good as none."""
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

    def keep(self, image: Image) -> Image:
        return self.records.images.put(replace(image, updated_at=self.stamp()))

    def remove(self, image: Image) -> None:
        with self.records.store.transaction():
            self.records.images.remove(image.id)
            self.records.deleted.put(DeletedImage(image.id, image.owner))
            self.records.members.remove_where(image_id=image.id)
        for file in (self.file_of(image.id), self.staged_file_of(image.id), self.arriving_file_of(image.id)):
            file.unlink(missing_ok=True)

    def complete(self, image_id: str, arrived: Path, summary: Summary | None) -> None:
        """The data is all there: the image becomes active. One that was deleted meanwhile stays so."""
        image = self.records.images.get(image_id)
        if image is None:
            arrived.unlink(missing_ok=True)
            return
        size = arrived.stat().st_size
        arrived.replace(self.file_of(image_id))
        self.keep(
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

    async def complete_with(self, image_id: str, arrived: Path) -> None:
        """The same for a file that was not hashed while it was written. A very large one stays without hashes, as
        in a store that takes disks over without reading them."""
        small = arrived.stat().st_size <= _HASHED_UP_TO
        self.complete(image_id, arrived, await self.ground.life.aside(summarise, arrived) if small else None)

    def _resume(self) -> None:
        """An upload that the end of the process has cut off can be begun again; what was written goes on."""
        for image in self.records.images.find(status="saving"):
            self.arriving_file_of(image.id).unlink(missing_ok=True)
            if self.file_of(image.id).exists():
                self._fill_later(image.id)
            else:
                self.keep(replace(image, status="queued"))
        for image in self.records.images.find(status="uploading"):
            self.arriving_file_of(image.id).unlink(missing_ok=True)
            if not self.staged_file_of(image.id).exists():
                self.keep(replace(image, status="queued"))
        for image in self.records.images.find(status="importing"):
            if self.staged_file_of(image.id).exists():
                self.import_later(image.id)
            else:
                self.fail_import(image.id)

    def import_later(self, image_id: str) -> None:
        staged = self.staged_file_of(image_id)
        self.ground.life.later(0.01, lambda: self.complete_with(image_id, staged))

    def fail_import(self, image_id: str) -> None:
        """The image waits for data again, and tells that it could not be had."""
        if image := self.records.images.get(image_id):
            told = {**image.properties, FAILED_IMPORT: "file"}
            self.keep(replace(image, status="queued", properties=told))

    def _fill_later(self, image_id: str) -> None:
        self.ground.life.later(0, lambda: self.complete_with(image_id, self.file_of(image_id)))

    def need_image(self, caller: Caller, image_id: str) -> UsableImage:
        image = self.need(caller, image_id)
        return UsableImage(
            id=image.id,
            name=image.name or "",
            status=image.status,
            min_disk=image.min_disk,
            min_ram=image.min_ram,
            size=image.size or 0,
            properties=image.properties,
            file=self.file_of(image.id) if image.has_data else None,
            container_format=image.container_format or "bare",
            disk_format=image.disk_format or "raw",
            checksum=image.checksum,
        )

    def image_names(self, image_ids: Sequence[str]) -> Mapping[str, str]:
        found = self.records.images.find_in("id", list(dict.fromkeys(image_ids)))
        return {image.id: image.name or "" for image in found}

    def make_image(
        self,
        caller: Caller,
        name: str,
        properties: Mapping[str, Any],
        *,
        visibility: str = "private",
        protected: bool = False,
        container_format: str = "bare",
        disk_format: str = "raw",
    ) -> str:
        check_reach(caller, for_others=False, to_everyone=visibility == "public")
        now = self.stamp()
        image = Image(
            id=str(uuid4()),
            owner=caller.project_id,
            created_at=now,
            updated_at=now,
            name=name,
            visibility=visibility,
            protected=protected,
            container_format=read_attribute("container_format", container_format),
            disk_format=read_attribute("disk_format", disk_format),
            properties=limited(
                {
                    name: str(value)
                    for name, value in properties.items()
                    if is_free(name) and value is not None
                }
            ),
        )
        return self.records.images.add(image).id

    def fill_image(self, image_id: str, file: Path | None) -> None:
        image = self.records.images.get(image_id)
        if image is None:
            if file is not None:
                file.unlink(missing_ok=True)
            return
        target = self.file_of(image_id)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file is None:
            target.touch()
        else:
            file.replace(target)
        self.keep(replace(image, status="saving"))
        self._fill_later(image_id)

    def remove_image(self, image_id: str) -> None:
        if image := self.records.images.get(image_id):
            self.remove(image)
