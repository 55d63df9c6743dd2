"""Claims ports and volumes for servers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from calor.localcloud.caller import Caller
from calor.localcloud.compute.disks import next_device
from calor.localcloud.compute.microversions import Version
from calor.localcloud.compute.records import Disk, Server, new_id
from calor.localcloud.compute.server_requests import BlockDevice, RequestedNic
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.peers import ServerPort
from calor.localcloud.problems import BadRequest, Conflict, Forbidden, NotFound, OverLimit, Problem


@contextmanager
def not_found_as_bad_request() -> Iterator[None]:
    """Turns NotFound errors of other services into in the request."""
    try:
        yield
    except NotFound as problem:
        raise BadRequest(problem.message) from None
    except OverLimit as problem:
        raise Forbidden(problem.message) from None


def claim_ports(
    compute: ComputeService,
    caller: Caller,
    server: Server,
    nics: Sequence[RequestedNic],
    groups: Sequence[str] | None,
    cleanup: ExitStack,
) -> dict[str, str]:
    """Claims the ports of a new server. Returns the tags of ports; `cleanup` gets callbacks that release the ports."""
    tags = {}
    for nic in nics:
        with not_found_as_bad_request():
            port = claim_port(compute, caller, server, nic, groups)
        cleanup.callback(compute.networks.release_port, port.id)
        if nic.tag:
            tags[port.id] = nic.tag
    return tags


def claim_port(
    compute: ComputeService,
    caller: Caller,
    server: Server,
    nic: RequestedNic,
    groups: Sequence[str] | None = None,
) -> ServerPort:
    networks = compute.networks
    if nic.port_id:
        port = networks.claim_port(caller, nic.port_id, server.id, server.zone)
    else:
        try:
            port = networks.create_port(
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
        networks.release_port(port.id)
        raise BadRequest(f"Network {port.network_id} requires a subnet in order to boot instances on.")
    return port


def claim_disks(
    compute: ComputeService, caller: Caller, server: Server, wanted: Sequence[BlockDevice], cleanup: ExitStack
) -> list[Disk]:
    """The disks of a new server; `cleanup` gets callbacks that release its volumes."""
    taken = {disk.device for disk in wanted if disk.device}
    disks = []
    for disk in wanted:
        if disk.destination == "local":
            continue
        device = disk.device or ("/dev/vda" if disk.boot_index == 0 else next_device(taken))
        taken.add(device)
        exists = disk.source == "volume"
        if exists:
            # A volume that is not booted from need not be bootable.
            to_boot = disk.boot_index == 0 and not server.image_id
            claim_volume(compute, caller, str(disk.uuid), server.id, to_boot=to_boot)
            cleanup.callback(compute.volumes.detach, str(disk.uuid), server.id)
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
"""The first microversion that can attach multiattach volumes."""


def check_sharing(
    compute: ComputeService, caller: Caller, volume_ids: Iterable[str], version: Version
) -> None:
    if version >= SHARING:
        return
    for volume_id in volume_ids:
        with not_found_as_bad_request():
            volume = compute.volumes.need_volume(caller, volume_id)
        if volume.multiattach:
            raise BadRequest(f"Volume {volume_id} is multiattach: microversion 2.60 or later is required.")


def claim_volume(
    compute: ComputeService, caller: Caller, volume_id: str, server_id: str, *, to_boot: bool = False
) -> None:
    try:
        volume = compute.volumes.need_volume(caller, volume_id)
        if to_boot and not volume.bootable:
            raise BadRequest(f"Volume {volume_id} is not bootable.")
        compute.volumes.reserve(volume_id, server_id)
    except Problem as problem:
        raise BadRequest(problem.message) from None


def _source(disk: BlockDevice) -> dict[str, str | int | None]:
    return {
        "size": disk.size or 0,
        "image_id": disk.uuid if disk.source == "image" else None,
        "snapshot_id": disk.uuid if disk.source == "snapshot" else None,
        "volume_type": disk.volume_type,
    }
