"""The states of volumes during attachment."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.problems import BadRequest, Conflict
from calor.localcloud.volume.records import Attachment, Volume, resting_status
from calor.localcloud.volume.service import VolumeService


def check_attachable(volume: Volume) -> None:
    if volume.status == "available" or (volume.status == "in-use" and volume.multiattach):
        return
    raise BadRequest(
        f"Invalid volume: Volume {volume.id} status must be available or downloading to reserve, but the current"
        f" status is {volume.status}."
    )


def check_detachable(attachment: Attachment) -> None:
    """Raises Conflict if a server uses the volume: it must be detached from the server."""
    if attachment.by_compute:
        raise Conflict(
            f"Attachment {attachment.id} is in use by server {attachment.server_id}: detach the volume from it instead."
        )


def check_unclaimed(service: VolumeService, volume: Volume) -> None:
    """Raises Conflict if a server uses the volume, or will use it alone."""
    if not volume.multiattach:
        for attachment in service.records.attachments.find(volume_id=volume.id):
            check_detachable(attachment)


def check_unattached(service: VolumeService, volume: Volume) -> None:
    """Raises BadRequest for a volume that somebody uses, whatever its status is: work on it may have failed."""
    if service.records.attachments.count(volume_id=volume.id):
        raise BadRequest(f"Invalid volume: Volume {volume.id} is attached.")


def complete(service: VolumeService, volume: Volume, attachment: Attachment) -> Attachment:
    """Completes an attachment: the volume is in use."""
    attached = replace(attachment, status="attached", attached_at=service.stamp())
    with service.records.store.transaction():
        service.records.attachments.put(attached)
        service.save(replace(volume, status="in-use"))
    return attached


def settle(service: VolumeService, volume: Volume) -> None:
    """The state of a volume after an attachment has gone: according to those that are left. A volume that is in none of
    the states of being attached is left alone."""
    if volume.status not in ("in-use", "reserved", "attaching", "detaching"):
        return
    service.save(replace(volume, status=resting_status(service.records, volume.id)))
