"""What the image service offers to the other services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from calor.localcloud.caller import Caller
from calor.localcloud.image.policy import check_reach
from calor.localcloud.image.records import Image
from calor.localcloud.image.requests import check_property_count, is_free, read_attribute
from calor.localcloud.image.service import ImageService
from calor.localcloud.peers import UsableImage


class ImagePeer:
    """Implements `Images`."""

    def __init__(self, service: ImageService) -> None:
        self._service = service

    def need_image(self, caller: Caller, image_id: str) -> UsableImage:
        image = self._service.need(caller, image_id)
        return UsableImage(
            id=image.id,
            name=image.name or "",
            status=image.status,
            min_disk=image.min_disk,
            min_ram=image.min_ram,
            size=image.size or 0,
            properties=image.properties,
            file=self._service.file_of(image.id) if image.has_data else None,
            container_format=image.container_format or "bare",
            disk_format=image.disk_format or "raw",
            checksum=image.checksum,
        )

    def image_names(self, image_ids: Sequence[str]) -> Mapping[str, str]:
        found = self._service.records.images.find_in("id", list(dict.fromkeys(image_ids)))
        return {image.id: image.name or "" for image in found}

    def create_image(
        self,
        caller: Caller,
        name: str,
        properties: Mapping[str, object],
        *,
        visibility: str = "private",
        protected: bool = False,
        container_format: str = "bare",
        disk_format: str = "raw",
    ) -> str:
        check_reach(caller, for_others=False, to_everyone=visibility == "public")
        now = self._service.stamp()
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
            properties=check_property_count(
                {
                    name: str(value)
                    for name, value in properties.items()
                    if is_free(name) and value is not None
                }
            ),
        )
        return self._service.records.images.add(image).id

    def upload_image(self, image_id: str, file: Path | None) -> None:
        image = self._service.records.images.get(image_id)
        if image is None:
            if file is not None:
                file.unlink(missing_ok=True)
            return
        target = self._service.file_of(image_id)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file is None:
            target.touch()
        else:
            file.replace(target)
        self._service.save(replace(image, status="saving"))
        self._service.fill_later(image_id)

    def remove_image(self, image_id: str) -> None:
        if image := self._service.records.images.get(image_id):
            self._service.remove(image)
