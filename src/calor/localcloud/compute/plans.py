"""What the machinery is told of a server."""

from __future__ import annotations

import base64
from contextlib import suppress

from calor.localcloud.compute.metadata import drive_files
from calor.localcloud.compute.personality import decoded
from calor.localcloud.compute.records import Disk, Server
from calor.localcloud.compute.state import Compute, owner_of
from calor.localcloud.machinery import ServerPlan, VolumePlan
from calor.localcloud.neighbours import UsableImage
from calor.localcloud.problems import NotFound


def plan_of(compute: Compute, server: Server) -> ServerPlan:
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
        files=tuple(decoded(server.files)),
        config_drive=drive_files(compute, server, ports) if server.config_drive else None,
    )


def volume_plan(compute: Compute, server: Server, disk: Disk) -> VolumePlan:
    volume = compute.volumes.need_volume(owner_of(server), disk.volume_id)
    return VolumePlan(disk.volume_id, volume.file, disk.device, volume.uploaded)


def _image_of(compute: Compute, server: Server, disks: list[Disk]) -> UsableImage | None:
    """The image it boots from. One that was deleted since is not needed: the server has its own disk by then."""
    caller = owner_of(server)
    with suppress(NotFound):
        image_id: str | None = server.pending.get("image_id") or server.shelved_image or server.image_id
        if not image_id:
            roots = [disk.volume_id for disk in disks if disk.boot_index == 0 and disk.volume_id]
            image_id = compute.volumes.need_volume(caller, roots[0]).image_id if roots else None
        return compute.images.need_image(caller, image_id) if image_id else None
    return None
