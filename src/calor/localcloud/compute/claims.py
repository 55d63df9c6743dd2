"""Ports and volumes claimed for servers from the services that have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from calor.localcloud.caller import Caller
from calor.localcloud.compute.disks import next_device
from calor.localcloud.compute.microversions import Version
from calor.localcloud.compute.records import Disk, Server, new_id
from calor.localcloud.compute.requests import WantedDisk, WantedNic
from calor.localcloud.compute.state import Compute
from calor.localcloud.neighbours import ServerPort
from calor.localcloud.problems import BadRequest, Conflict, Forbidden, NotFound, OverLimit, Problem


@contextmanager
def refused() -> Iterator[None]:
    """What a request for a server names and other services do not find is a mistake in the request."""
    try:
        yield
    except NotFound as problem:
        raise BadRequest(problem.message) from None
    except OverLimit as problem:
        raise Forbidden(problem.message) from None


def claim_ports(
    compute: Compute,
    caller: Caller,
    server: Server,
    nics: Sequence[WantedNic],
    groups: Sequence[str] | None,
    undoing: ExitStack,
) -> dict[str, str]:
    """The tags of those ports that have one. How to give the ports back is left with `undoing`."""
    tags = {}
    for nic in nics:
        with refused():
            port = claim_port(compute, caller, server, nic, groups)
        undoing.callback(compute.networks.give_back, port.id)
        if nic.tag:
            tags[port.id] = nic.tag
    return tags


def claim_port(
    compute: Compute, caller: Caller, server: Server, nic: WantedNic, groups: Sequence[str] | None = None
) -> ServerPort:
    networks = compute.networks
    if nic.port_id:
        port = networks.take_port(caller, nic.port_id, server.id, server.zone)
    else:
        try:
            port = networks.make_port(
                caller,
                networks.need_network(caller, str(nic.network_id)),
                server.id,
                address=nic.address,
                security_groups=groups,
                zone=server.zone,
            )
        except Conflict as problem:
            raise BadRequest(problem.message) from None
    if not port.addresses:
        networks.give_back(port.id)
        raise BadRequest(f"A server needs an address in the network {port.network_id}.")
    return port


def claim_disks(
    compute: Compute, caller: Caller, server: Server, wanted: Sequence[WantedDisk], undoing: ExitStack
) -> list[Disk]:
    """The disks of a new server. How to let its volumes go is left with `undoing`."""
    taken = {disk.device for disk in wanted if disk.device}
    disks = []
    for disk in wanted:
        if disk.destination == "local":
            continue
        device = disk.device or ("/dev/vda" if disk.boot_index == 0 else next_device(taken))
        taken.add(device)
        exists = disk.source == "volume"
        if exists:
            # With an image, it is the image that tells what the volume holds.
            claim_volume(compute, caller, str(disk.uuid), disk.boot_index == 0 and not server.image_id)
            undoing.callback(compute.volumes.detach, str(disk.uuid), server.id)
        disks.append(
            Disk(
                id=new_id(),
                server_id=server.id,
                volume_id=str(disk.uuid) if exists else "",
                device=device,
                boot_index=disk.boot_index,
                delete_on_termination=disk.delete_on_termination,
                tag=disk.tag,
                source={} if exists else _source(disk),
            )
        )
    return disks


SHARING: Version = (2, 60)
"""The first version in which servers get volumes that several may have."""


def check_sharing(compute: Compute, caller: Caller, volume_ids: Iterable[str], version: Version) -> None:
    if version >= SHARING:
        return
    for volume_id in volume_ids:
        with refused():
            volume = compute.volumes.need_volume(caller, volume_id)
        if volume.multiattach:
            raise BadRequest(
                f"The volume {volume_id} is one that several servers may have: ask for 2.60 or later."
            )


def claim_volume(compute: Compute, caller: Caller, volume_id: str, to_boot: bool = False) -> None:
    try:
        volume = compute.volumes.need_volume(caller, volume_id)
        if to_boot and not volume.bootable:
            raise BadRequest(f"The volume {volume_id} is not bootable.")
        compute.volumes.reserve(volume_id)
    except Problem as problem:
        raise BadRequest(problem.message) from None


def _source(disk: WantedDisk) -> dict[str, str | int | None]:
    return {
        "size": disk.size or 0,
        "image_id": disk.uuid if disk.source == "image" else None,
        "snapshot_id": disk.uuid if disk.source == "snapshot" else None,
        "volume_type": disk.volume_type,
    }
