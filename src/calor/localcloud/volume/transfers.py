"""Volumes handed over from one project to another."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import replace
from uuid import uuid4

from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.reading import identifier, nullable, text, truth
from calor.localcloud.volume.forms import display_text, flag, strict
from calor.localcloud.volume.paging import page_of, paged
from calor.localcloud.volume.quotas import give_back, take
from calor.localcloud.volume.records import Snapshot, Transfer, Volume
from calor.localcloud.volume.routing import VolumeRoute, microversion, readers, writers
from calor.localcloud.volume.state import VolumeService
from calor.localcloud.volume.views import brief_transfer, show_transfer
from calor.localcloud.web import Call, Reply

_NEW = strict({"volume_id": identifier}, {"name": display_text, "no_snapshots": nullable(flag)})
_ACCEPT = strict({"auth_key": text(255, shortest=1)})


def list_transfers(service: VolumeService, call: Call) -> Reply:
    page, links = page_of(call, _found(service, call))
    return Reply(body=paged("transfers", [brief_transfer(call, each) for each in page], links))


def list_details(service: VolumeService, call: Call) -> Reply:
    page, links = page_of(call, _found(service, call))
    return Reply(body=paged("transfers", [show_transfer(call, each) for each in page], links))


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
        secret_hash=_hashed(key),
        no_snapshots=bool(given.get("no_snapshots")),
    )
    with service.records.store.transaction():
        # One whose volume an admin reset may be left.
        service.records.transfers.remove_where(volume_id=volume.id)
        service.records.transfers.add(transfer)
        service.keep(replace(volume, status="awaiting-transfer"))
    # The only time that the key is told.
    return Reply(202, {"transfer": {**show_transfer(call, transfer), "auth_key": key}})


def _check_alone(service: VolumeService, volume: Volume) -> None:
    """Nothing may be left by which the giver could still reach the volume."""
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
            service.keep(replace(volume, status="available"))
    return Reply(202)


def accept_transfer(service: VolumeService, call: Call) -> Reply:
    """Whoever knows the key gets the volume, and pays for it from their own quota."""
    key = call.read_in("accept", _ACCEPT)["auth_key"]
    transfer = service.records.transfers.get(call.path["transfer_id"])
    if transfer is None:
        raise NotFound(f"Transfer {call.path['transfer_id'][:255]} could not be found.")
    if not hmac.compare_digest(transfer.secret_hash, _hashed(key)):
        raise BadRequest("Invalid auth key")
    volume = service.records.volumes.get(transfer.volume_id)
    if volume is None or not _waits(volume, transfer):
        raise BadRequest("Invalid volume: it does not wait for this transfer.")
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
    take(records, project, kind, **moved)
    give_back(records, volume.project_id, kind, **moved)
    for snapshot in snapshots:
        records.snapshots.put(replace(snapshot, project_id=project, user_id=user, group_snapshot_id=None))
    service.keep(replace(volume, status="available", project_id=project, user_id=user))


def _own(service: VolumeService, call: Call) -> Transfer:
    found = service.records.transfers.get(call.path["transfer_id"])
    if found is None or not (call.caller.is_admin or found.project_id == call.caller.project_id):
        raise NotFound(f"Transfer {call.path['transfer_id'][:255]} could not be found.")
    return found


def _hashed(key: str) -> str:
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


# Once as it began, and once as it has been since snapshots go along.
ROUTES = (*_routes("/os-volume-transfer", 0), *_routes("/volume-transfers", 55))
