"""What the volume service offers to the other services."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from calor.localcloud.caller import Caller
from calor.localcloud.peers import UsableVolume
from calor.localcloud.problems import Conflict, NotFound
from calor.localcloud.volume import attaching
from calor.localcloud.volume.creation import VolumeSpec, new_volume, remove_volume
from calor.localcloud.volume.records import Attachment, Volume
from calor.localcloud.volume.service import ZONE, VolumeService


class VolumePeer:
    """Implements `Volumes`."""

    def __init__(self, service: VolumeService) -> None:
        self._service = service

    def need_volume(self, caller: Caller, volume_id: str) -> UsableVolume:
        volume = self._service.volume(caller, volume_id)
        return UsableVolume(
            id=volume.id,
            name=volume.name or "",
            status=volume.status,
            size=volume.size,
            bootable=volume.bootable,
            image_id=volume.image_id,
            file=self._service.file_of(volume.id),
            multiattach=volume.multiattach,
        )

    def create_volume(
        self,
        caller: Caller,
        *,
        size: int,
        image_id: str | None = None,
        snapshot_id: str | None = None,
        name: str = "",
        volume_type: str | None = None,
        zone: str | None = None,
    ) -> str:
        wanted = VolumeSpec(
            size=size,
            name=name,
            image_id=image_id,
            snapshot_id=snapshot_id,
            volume_type=volume_type,
            availability_zone=zone or ZONE,
        )
        return new_volume(self._service, caller, wanted).id

    def reserve(self, volume_id: str, server_id: str) -> None:
        volume = self._known(volume_id)
        if self._claim(volume_id, server_id) is not None:
            return
        attaching.check_attachable(volume)
        claim = Attachment(
            id=str(uuid4()),
            volume_id=volume.id,
            project_id=volume.project_id,
            status="reserved",
            server_id=server_id,
            by_compute=True,
        )
        with self._service.records.store.transaction():
            self._service.records.attachments.add(claim)
            if volume.status == "available":
                self._service.save(replace(volume, status="reserved"))

    def attach(self, volume_id: str, server_id: str, device: str) -> None:
        volume = self._known(volume_id)
        claim = self._claim(volume_id, server_id)
        if claim is None:
            raise Conflict(f"Volume {volume_id} is not reserved for server {server_id}.")
        attaching.complete(self._service, volume, replace(claim, device=device))

    def detach(self, volume_id: str, server_id: str) -> None:
        volume = self._service.records.volumes.get(volume_id)
        if volume is None:
            return
        for attachment in self._service.records.attachments.find(volume_id=volume_id):
            if attachment.server_id == server_id:
                self._service.records.attachments.remove(attachment.id)
        attaching.settle(self._service, volume)

    def delete_volume(self, project_id: str, volume_id: str) -> None:
        volume = self._service.records.volumes.get(volume_id)
        if volume is None or volume.project_id != project_id or volume.status == "deleting":
            return
        if not self._service.records.attachments.count(volume_id=volume_id):
            remove_volume(self._service, volume)

    def _claim(self, volume_id: str, server_id: str) -> Attachment | None:
        found = self._service.records.attachments.find(volume_id=volume_id)
        return next((each for each in found if each.by_compute and each.server_id == server_id), None)

    def _known(self, volume_id: str) -> Volume:
        volume = self._service.records.volumes.get(volume_id)
        if volume is None:
            raise NotFound(f"Volume {volume_id} could not be found.")
        return volume
