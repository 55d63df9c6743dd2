"""Plans of servers for the backend."""

from __future__ import annotations

import base64
from contextlib import suppress

from calor.localcloud.backend import ServerPlan, VolumePlan
from calor.localcloud.compute.metadata_service import drive_files
from calor.localcloud.compute.personality import decode_files
from calor.localcloud.compute.records import Disk, Server
from calor.localcloud.compute.service import ComputeService, owner_of
from calor.localcloud.peers import UsableImage
from calor.localcloud.problems import NotFound


def plan_of(compute: ComputeService, server: Server) -> ServerPlan:
    disks = compute.records.disks.find(server_id=server.id)
    image = _image_of(compute, server, disks)
    ports = compute.networks.ports_of(server.id)
    return ServerPlan(
        id=server.id,
        name=server.name,
        host_name=server.host_name,
        image=image.file if image else None,
        image_name=image.name if image else "",
        vcpus=server.flavor["vcpus"],
        memory_mb=server.flavor["ram"],
        disk_gb=server.flavor["disk"],
        ports=tuple(compute.networks.plan_of(port.id) for port in ports),
        volumes=tuple(
            volume_plan(compute, server, disk) for disk in disks if disk.volume_id and disk.boot_index != 0
        ),
        root_volume=next(
            (volume_plan(compute, server, disk) for disk in disks if disk.volume_id and disk.boot_index == 0),
            None,
        ),
        user_data=base64.b64decode(server.user_data) if server.user_data else None,
        public_keys=(server.public_key,) if server.public_key else (),
        admin_password=server.admin_password,
        files=tuple(decode_files(server.files)),
        config_drive=drive_files(compute, server, ports) if server.config_drive else None,
        project=server.project_id,
    )


def volume_plan(compute: ComputeService, server: Server, disk: Disk) -> VolumePlan:
    volume = compute.volumes.need_volume(owner_of(server), disk.volume_id)
    return VolumePlan(disk.volume_id, volume.file, disk.device)


def _image_of(compute: ComputeService, server: Server, disks: list[Disk]) -> UsableImage | None:
    """The image it boots from. It may have been deleted since: the server has its own disk then."""
    caller = owner_of(server)
    with suppress(NotFound):
        image_id: str | None = server.pending.get("image_id") or server.shelved_image or server.image_id
        if not image_id:
            roots = [disk.volume_id for disk in disks if disk.boot_index == 0 and disk.volume_id]
            image_id = compute.volumes.need_volume(caller, roots[0]).image_id if roots else None
        return compute.images.need_image(caller, image_id) if image_id else None
    return None
