"""Volume attachments of servers."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.backend import BackendError
from calor.localcloud.compute.claims import check_sharing, claim_volume
from calor.localcloud.compute.disks import next_device
from calor.localcloud.compute.lists import STYLE
from calor.localcloud.compute.microversions import Version, version_of
from calor.localcloud.compute.plans import volume_plan
from calor.localcloud.compute.policy import members
from calor.localcloud.compute.preconditions import need_server, require_state, require_unlocked
from calor.localcloud.compute.records import Disk, new_id
from calor.localcloud.compute.requests import device, flag, strict, tag, uuid
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.server_requests import MOST_DISKS
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.policy import readers
from calor.localcloud.problems import BadRequest, Forbidden, NotFound
from calor.localcloud.requests import Reader, identifier, nullable
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

_RUNNING = ("active", "paused", "resized")
_STATES = (*_RUNNING, "stopped", "suspended")
_SHELVED = ("shelved", "shelved_offloaded")


def list_attachments(compute: ComputeService, call: Call) -> Reply:
    server = need_server(compute, call)
    disks = [disk for disk in compute.records.disks.find(server_id=server.id) if disk.volume_id]
    page = STYLE.page(call, disks, lambda disk: disk.volume_id)
    return Reply(body={"volumeAttachments": [_show(call, disk) for disk in page.items]})


def get_attachment(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"volumeAttachment": _show(call, _need(compute, call))})


async def add_attachment(compute: ComputeService, call: Call) -> Reply:
    version = version_of(call)
    given = call.read_in("volumeAttachment", _form(version))
    async with compute.server_locks.of(call.path["server_id"]):
        server = need_server(compute, call)
        require_unlocked(call, server)
        states = _STATES if version < (2, 20) else (*_STATES, *_SHELVED)
        require_state(server, "attach a volume to", *states)
        volume_id = given["volumeId"]
        compute.volumes.need_volume(call.caller, volume_id)
        check_sharing(compute, call.caller, [volume_id], version)
        disks = compute.records.disks.find(server_id=server.id)
        if any(disk.volume_id == volume_id for disk in disks):
            raise BadRequest(f"Volume {volume_id} is already attached to server {server.id}.")
        if len(disks) >= MOST_DISKS:
            raise BadRequest(f"A server has at most {MOST_DISKS} volumes.")
        taken = {disk.device for disk in disks}
        place = given.get("device") or next_device(taken)
        if place in taken:
            raise BadRequest(f"Device {place} of server {server.id} is already in use.")
        claim_volume(compute, call.caller, volume_id, server.id)
        disk = compute.records.disks.add(
            Disk(
                id=new_id(),
                server_id=server.id,
                volume_id=volume_id,
                device=place,
                delete_on_termination=given.get("delete_on_termination", False),
                tag=given.get("tag"),
                attached=True,
            )
        )
        compute.volumes.attach(volume_id, server.id, place)
        if server.vm_state in _RUNNING:
            try:
                await compute.context.backend.attach(server.id, volume_plan(compute, server, disk))
            except BackendError:
                _forget(compute, disk)
                raise
    return Reply(body={"volumeAttachment": _show(call, disk)})


def update_attachment(compute: ComputeService, call: Call) -> Reply:
    disk = _need(compute, call)
    given = call.read_in(
        "volumeAttachment",
        strict(
            {"volumeId": uuid},
            {
                "delete_on_termination": flag,
                "id": identifier,
                "device": nullable(device),
                "serverId": uuid,
                "tag": nullable(tag),
            },
        ),
    )
    if given["volumeId"] != disk.volume_id:
        raise BadRequest("Swapping volumes is not supported.")
    whether = given.get("delete_on_termination", disk.delete_on_termination)
    compute.records.disks.put(replace(disk, delete_on_termination=whether))
    return Reply(202)


async def remove_attachment(compute: ComputeService, call: Call) -> Reply:
    async with compute.server_locks.of(call.path["server_id"]):
        server = need_server(compute, call)
        require_unlocked(call, server)
        disk = _need(compute, call)
        if disk.boot_index == 0:
            raise Forbidden("Cannot detach a root device volume.")
        require_state(server, "detach a volume from", *_STATES, *_SHELVED)
        if server.vm_state in _RUNNING:
            await compute.context.backend.detach(server.id, disk.volume_id)
        _forget(compute, disk)
    return Reply(202)


def _forget(compute: ComputeService, disk: Disk) -> None:
    with compute.records.store.transaction():
        compute.volumes.detach(disk.volume_id, disk.server_id)
        compute.records.disks.remove(disk.id)


def _need(compute: ComputeService, call: Call) -> Disk:
    server, volume_id = need_server(compute, call), call.path["volume_id"]
    for disk in compute.records.disks.find(server_id=server.id):
        if disk.volume_id == volume_id:
            return disk
    raise NotFound(f"Volume {volume_id[:255]} is not attached to server {server.id}.")


def _form(version: Version) -> Reader[Json]:
    optional: dict[str, Reader[object]] = {"device": nullable(device)}
    if version >= (2, 49):
        optional["tag"] = tag
    if version >= (2, 79):
        optional["delete_on_termination"] = flag
    return strict({"volumeId": uuid}, optional)


def _show(call: Call, disk: Disk) -> Json:
    version = version_of(call)
    shown: Json = {
        "volumeId": disk.volume_id,
        "serverId": disk.server_id,
        "device": disk.device,
    }
    if version < (2, 89):
        shown["id"] = disk.volume_id
    else:
        shown |= {"attachment_id": disk.id, "bdm_uuid": disk.id}
    if version >= (2, 70):
        shown["tag"] = disk.tag
    if version >= (2, 79):
        shown["delete_on_termination"] = disk.delete_on_termination
    return shown


_ALL = "/servers/{server_id}/os-volume_attachments"
_ONE = f"{_ALL}/{{volume_id}}"

ROUTES = (
    ComputeRoute("GET", _ALL, list_attachments, readers),
    ComputeRoute("POST", _ALL, add_attachment, members),
    ComputeRoute("GET", _ONE, get_attachment, readers),
    ComputeRoute("PUT", _ONE, update_attachment, members, since=(2, 85)),
    ComputeRoute("DELETE", _ONE, remove_attachment, members),
)
