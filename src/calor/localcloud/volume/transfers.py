"""Transfers of volumes to other projects."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import replace
from uuid import uuid4

from calor.localcloud.lists import by_id, list_body
from calor.localcloud.policy import readers, writers
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.requests import identifier, nullable, text, truth
from calor.localcloud.volume.lists import STYLE
from calor.localcloud.volume.quotas import release, reserve
from calor.localcloud.volume.records import Snapshot, Transfer, Volume
from calor.localcloud.volume.requests import display_text, flag, strict
from calor.localcloud.volume.routes import VolumeRoute, microversion
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.volume.views import brief_transfer, show_transfer
from calor.localcloud.web import Call, Reply

_NEW = strict({"volume_id": identifier}, {"name": display_text, "no_snapshots": nullable(flag)})
_ACCEPT = strict({"auth_key": text(255, shortest=1)})


def list_transfers(service: VolumeService, call: Call) -> Reply:
    page = STYLE.page(call, _found(service, call), by_id)
    return Reply(
        body=list_body("transfers", [brief_transfer(call, each) for each in page.items], page.links(call))
    )


def list_details(service: VolumeService, call: Call) -> Reply:
    page = STYLE.page(call, _found(service, call), by_id)
    return Reply(
        body=list_body("transfers", [show_transfer(call, each) for each in page.items], page.links(call))
    )


def _found(service: VolumeService, call: Call) -> list[Transfer]:
    everyone = call.caller.is_admin and truth(call.query.get("all_tenants", "false"))
    return service.records.transfers.find(**({} if everyone else {"project_id": call.caller.project_id}))


def create_transfer(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("transfer", _NEW)
    volume = service.volume(call.caller, given["volume_id"])
    if volume.status != "available":
        raise BadRequest(f"Invalid volume: status must be available, but it is {volume.status}.")
    _check_alone(service, volume)
    key = secrets.token_hex(8)
    transfer = Transfer(
        id=str(uuid4()),
        project_id=volume.project_id,
        volume_id=volume.id,
        name=given.get("name") or "",
        created_at=service.stamp(),
        secret_hash=_hash_key(key),
        no_snapshots=bool(given.get("no_snapshots")),
    )
    with service.records.store.transaction():
        # A transfer remains if an admin resets the status of its volume.
        service.records.transfers.remove_where(volume_id=volume.id)
        service.records.transfers.add(transfer)
        service.save(replace(volume, status="awaiting-transfer"))
    # The key is shown only here.
    return Reply(202, {"transfer": {**show_transfer(call, transfer), "auth_key": key}})


def _check_alone(service: VolumeService, volume: Volume) -> None:
    """Raises BadRequest if the former owner could still access the volume."""
    if volume.group_id is not None:
        raise BadRequest("Invalid volume: it is in a group.")
    if service.records.attachments.count(volume_id=volume.id):
        raise BadRequest("Invalid volume: it is attached.")


def get_transfer(service: VolumeService, call: Call) -> Reply:
    return Reply(body={"transfer": show_transfer(call, _own(service, call))})


def delete_transfer(service: VolumeService, call: Call) -> Reply:
    transfer = _own(service, call)
    with service.records.store.transaction():
        service.records.transfers.remove(transfer.id)
        volume = service.records.volumes.get(transfer.volume_id)
        if volume is not None and _waits(volume, transfer):
            service.save(replace(volume, status="available"))
    return Reply(202)


def accept_transfer(service: VolumeService, call: Call) -> Reply:
    """Needs the key of the transfer. The volume counts for the quota of the new project."""
    key = call.read_in("accept", _ACCEPT)["auth_key"]
    transfer = service.records.transfers.get(call.path["transfer_id"])
    if transfer is None:
        raise NotFound(f"Transfer {call.path['transfer_id'][:255]} could not be found.")
    if not hmac.compare_digest(transfer.secret_hash, _hash_key(key)):
        raise BadRequest("Invalid auth key")
    volume = service.records.volumes.get(transfer.volume_id)
    if volume is None or not _waits(volume, transfer):
        raise BadRequest("Invalid volume: it is not awaiting this transfer.")
    _check_alone(service, volume)
    with service.records.store.transaction():
        _hand_over(service, call, volume, transfer.no_snapshots)
        service.records.transfers.remove_where(volume_id=volume.id)
    return Reply(202, {"transfer": brief_transfer(call, transfer)})


def _waits(volume: Volume, transfer: Transfer) -> bool:
    return volume.status == "awaiting-transfer" and volume.project_id == transfer.project_id


def _hand_over(service: VolumeService, call: Call, volume: Volume, no_snapshots: bool) -> None:
    records, caller = service.records, call.caller
    snapshots: list[Snapshot] = records.snapshots.find(volume_id=volume.id)
    if snapshots and (no_snapshots or microversion(call) < 55):
        raise BadRequest("Invalid volume: it has snapshots that would stay behind.")
    project, user = caller.project_id or "", caller.user_id
    size = volume.size + sum(snapshot.size for snapshot in snapshots)
    kind = records.types.get(volume.volume_type_id)
    moved = {"volumes": 1, "gigabytes": size, "snapshots": len(snapshots)}
    reserve(records, project, kind, **moved)
    release(records, volume.project_id, kind, **moved)
    for snapshot in snapshots:
        records.snapshots.put(replace(snapshot, project_id=project, user_id=user, group_snapshot_id=None))
    service.save(replace(volume, status="available", project_id=project, user_id=user))


def _own(service: VolumeService, call: Call) -> Transfer:
    found = service.records.transfers.get(call.path["transfer_id"])
    if found is None or not (call.caller.is_admin or found.project_id == call.caller.project_id):
        raise NotFound(f"Transfer {call.path['transfer_id'][:255]} could not be found.")
    return found


def _hash_key(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _routes(root: str, since: int) -> tuple[VolumeRoute, ...]:
    one = f"{root}/{{transfer_id}}"
    return (
        VolumeRoute("GET", root, list_transfers, readers, since),
        VolumeRoute("POST", root, create_transfer, writers, since),
        VolumeRoute("GET", f"{root}/detail", list_details, readers, since),
        VolumeRoute("GET", one, get_transfer, readers, since),
        VolumeRoute("DELETE", one, delete_transfer, writers, since),
        VolumeRoute("POST", f"{one}/accept", accept_transfer, writers, since),
    )


# The old path, and the one since microversion 3.55.
ROUTES = (*_routes("/os-volume-transfer", 0), *_routes("/volume-transfers", 55))
