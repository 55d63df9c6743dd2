"""Volumes put into servers and taken out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from calor.localcloud.compute.claims import check_sharing, claim_volume
from calor.localcloud.compute.disks import next_device
from calor.localcloud.compute.forms import device, flag, strict, tag, uuid
from calor.localcloud.compute.guards import need_server, require_state, require_unlocked
from calor.localcloud.compute.microversions import Version, version_of
from calor.localcloud.compute.paging import page_of
from calor.localcloud.compute.plans import volume_plan
from calor.localcloud.compute.records import Disk, new_id
from calor.localcloud.compute.rules import ComputeRoute, members, readers
from calor.localcloud.compute.state import Compute
from calor.localcloud.machinery import MachineryFailed
from calor.localcloud.problems import BadRequest, Forbidden, NotFound
from calor.localcloud.reading import Reader, identifier, nullable
from calor.localcloud.web import Call, Reply

_RUNNING = ("active", "paused", "resized")
_STATES = (*_RUNNING, "stopped", "suspended")
_SHELVED = ("shelved", "shelved_offloaded")


def list_attachments(compute: Compute, call: Call) -> Reply:
    server = need_server(compute, call)
    disks = [disk for disk in compute.records.disks.find(server_id=server.id) if disk.volume_id]
    page, _ = page_of(call, disks, lambda disk: disk.volume_id)
    return Reply(body={"volumeAttachments": [_show(call, disk) for disk in page]})


def get_attachment(compute: Compute, call: Call) -> Reply:
    return Reply(body={"volumeAttachment": _show(call, _need(compute, call))})


async def add_attachment(compute: Compute, call: Call) -> Reply:
    version = version_of(call)
    given = call.read_in("volumeAttachment", _form(version))
    async with compute.turns.of(call.path["server_id"]):
        server = need_server(compute, call)
        require_unlocked(call, server)
        states = _STATES if version < (2, 20) else (*_STATES, *_SHELVED)
        require_state(server, "attach a volume to", *states)
        volume_id = given["volumeId"]
        compute.volumes.need_volume(call.caller, volume_id)
        check_sharing(compute, call.caller, [volume_id], version)
        disks = compute.records.disks.find(server_id=server.id)
        if any(disk.volume_id == volume_id for disk in disks):
            raise BadRequest(f"The server {server.id} has the volume {volume_id} already.")
        taken = {disk.device for disk in disks}
        place = given.get("device") or next_device(taken)
        if place in taken:
            raise BadRequest(f"The server {server.id} has something at {place} already.")
        claim_volume(compute, call.caller, volume_id)
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
                await compute.ground.machinery.attach(server.id, volume_plan(compute, server, disk))
            except MachineryFailed:
                _forget(compute, disk)
                raise
    return Reply(body={"volumeAttachment": _show(call, disk)})


def update_attachment(compute: Compute, call: Call) -> Reply:
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
        raise BadRequest("A volume cannot be exchanged for another here.")
    whether = given.get("delete_on_termination", disk.delete_on_termination)
    compute.records.disks.put(replace(disk, delete_on_termination=whether))
    return Reply(202)


async def remove_attachment(compute: Compute, call: Call) -> Reply:
    async with compute.turns.of(call.path["server_id"]):
        server = need_server(compute, call)
        require_unlocked(call, server)
        disk = _need(compute, call)
        if disk.boot_index == 0:
            raise Forbidden("The volume that a server boots from cannot be detached.")
        require_state(server, "detach a volume from", *_STATES, *_SHELVED)
        if server.vm_state in _RUNNING:
            await compute.ground.machinery.detach(server.id, disk.volume_id)
        _forget(compute, disk)
    return Reply(202)


def _forget(compute: Compute, disk: Disk) -> None:
    with compute.records.store.transaction():
        compute.volumes.detach(disk.volume_id, disk.server_id)
        compute.records.disks.remove(disk.id)


def _need(compute: Compute, call: Call) -> Disk:
    server, volume_id = need_server(compute, call), call.path["volume_id"]
    for disk in compute.records.disks.find(server_id=server.id):
        if disk.volume_id == volume_id:
            return disk
    raise NotFound(f"The server {server.id} has no volume {volume_id[:255]}.")


def _form(version: Version) -> Reader:
    optional: dict[str, Reader] = {"device": nullable(device)}
    if version >= (2, 49):
        optional["tag"] = tag
    if version >= (2, 79):
        optional["delete_on_termination"] = flag
    return strict({"volumeId": uuid}, optional)


def _show(call: Call, disk: Disk) -> dict[str, Any]:
    version = version_of(call)
    shown: dict[str, Any] = {
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
