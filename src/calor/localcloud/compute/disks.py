"""The volumes of a server: made for it, waited for, attached, detached."""

from __future__ import annotations

import asyncio
import string
from collections.abc import Collection
from dataclasses import replace

from calor.localcloud.compute.records import Server
from calor.localcloud.compute.service import ComputeService, owner_of
from calor.localcloud.compute.tasks import check_not_deleted
from calor.localcloud.problems import BadRequest, Problem

_POLL = 0.02
_PATIENCE = 600.0


def next_device(taken: Collection[str]) -> str:
    """The first free device name after that of the root disk."""
    for letter in string.ascii_lowercase[1:]:
        if f"/dev/vd{letter}" not in taken:
            return f"/dev/vd{letter}"
    raise BadRequest("The maximum number of volumes is attached to the server.")


def boots_from_volume(compute: ComputeService, server: Server) -> bool:
    return any(disk.boot_index == 0 for disk in compute.records.disks.find(server_id=server.id))


async def attach_disks(compute: ComputeService, server: Server) -> None:
    """Creates missing volumes of the server, and attaches all volumes."""
    for disk in compute.records.disks.find(server_id=server.id):
        if disk.attached:
            continue
        if not disk.volume_id:
            volume_id = compute.volumes.create_volume(
                owner_of(server),
                size=disk.source["size"],
                image_id=disk.source["image_id"],
                snapshot_id=disk.source["snapshot_id"],
                volume_type=disk.source["volume_type"],
                zone=server.zone,
            )
            disk = compute.records.disks.put(replace(disk, volume_id=volume_id))
        if disk.source:
            await _wait_until_available(compute, server, disk.volume_id)
            compute.volumes.reserve(disk.volume_id, server.id)
        compute.volumes.attach(disk.volume_id, server.id, disk.device)
        compute.records.disks.put(replace(disk, attached=True))


def detach_disks(compute: ComputeService, server: Server) -> None:
    """Detaches all volumes, and deletes those with delete_on_termination."""
    for disk in compute.records.disks.find(server_id=server.id):
        if disk.volume_id:
            compute.volumes.detach(disk.volume_id, server.id)
            if disk.delete_on_termination:
                compute.volumes.delete_volume(server.project_id, disk.volume_id)
    compute.records.disks.remove_where(server_id=server.id)


async def _wait_until_available(compute: ComputeService, server: Server, volume_id: str) -> None:
    waited = 0.0
    while waited < _PATIENCE:
        check_not_deleted(compute, server)
        status = compute.volumes.need_volume(owner_of(server), volume_id).status
        if status in ("available", "reserved"):
            return
        if status.startswith("error"):
            break
        await asyncio.sleep(_POLL)
        waited += _POLL
    raise Problem(f"Volume {volume_id} did not become available.")
