"""Shelves servers and creates images of servers."""

from __future__ import annotations

import asyncio
from pathlib import Path

from calor.localcloud.compute.actions import Action, accept
from calor.localcloud.compute.disks import boots_from_volume
from calor.localcloud.compute.microversions import version_of
from calor.localcloud.compute.plans import plan_of
from calor.localcloud.compute.power import RUNS
from calor.localcloud.compute.preconditions import require_state
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.requests import items, plain_name, strict
from calor.localcloud.compute.service import ComputeService, owner_of
from calor.localcloud.compute.statuses import SHUT_DOWN
from calor.localcloud.compute.tasks import Changes, Task, begin, change, check_not_deleted, step
from calor.localcloud.policy import admins
from calor.localcloud.problems import BadRequest
from calor.localcloud.requests import identifier, nullable
from calor.localcloud.web import Call, Reply


async def _shelve(compute: ComputeService, server: Server) -> Changes:
    """Only an image remains, or the volume that the server boots from."""
    backend = compute.context.backend
    image_id = server.shelved_image
    if image_id is None and not boots_from_volume(compute, server):
        image_id = compute.images.create_image(
            owner_of(server), f"{server.name}-shelved", _properties(server, server.user_id)
        )
        await _fill(compute, server, image_id)
        await _wait_until_active(compute, server, image_id)
        change(compute, server.id, shelved_image=image_id)
    step(compute, server, OFFLOAD.state)
    await backend.destroy(server.id)
    return {"vm_state": "shelved_offloaded", "power_state": SHUT_DOWN}


async def _unshelve(compute: ComputeService, server: Server) -> Changes:
    await compute.networks.wait_until_synced()
    await compute.context.backend.boot(plan_of(compute, server), fresh=True)
    if server.shelved_image:
        compute.images.remove_image(server.shelved_image)
    return {**RUNS, "shelved_image": None}


async def _snapshot(compute: ComputeService, server: Server) -> Changes:
    step(compute, server, "image_uploading")
    await _fill(compute, server, server.pending["image"])
    return {}


async def _fill(compute: ComputeService, server: Server, image_id: str) -> None:
    """What is on a volume is not part of the image."""
    if boots_from_volume(compute, server):
        compute.images.upload_image(image_id, None)
        return
    file = _room(compute) / image_id
    await compute.context.backend.snapshot(server.id, file)
    compute.images.upload_image(image_id, file)


async def _wait_until_active(compute: ComputeService, server: Server, image_id: str) -> None:
    while compute.images.need_image(owner_of(server), image_id).status != "active":
        check_not_deleted(compute, server)
        await asyncio.sleep(_POLL)


def _properties(server: Server, user_id: str) -> dict[str, str]:
    return {
        "image_type": "snapshot",
        "instance_uuid": server.id,
        "user_id": user_id,
        "base_image_ref": server.image_id,
    }


def _room(compute: ComputeService) -> Path:
    folder = compute.context.folder / "compute" / "snapshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


SHELVE = Task("shelving", "shelve", "compute_shelve_instance", _shelve)
OFFLOAD = Task("shelving_offloading", "shelveOffload", "compute_shelve_offload_instance", _shelve)
UNSHELVE = Task("unshelving", "unshelve", "compute_unshelve_instance", _unshelve)
SNAPSHOT = Task("image_snapshot", "createImage", "compute_snapshot_instance", _snapshot, may_fail=True)
TASKS = (SHELVE, OFFLOAD, UNSHELVE, SNAPSHOT)

_POLL = 0.02
_ON = ("active", "stopped", "paused", "suspended")
_IMAGE_FORM = strict({"name": plain_name}, {"metadata": items})
_UNSHELVE_FORM = nullable(strict(optional={"availability_zone": nullable(identifier), "host": identifier}))


def _ask_shelve(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    require_state(server, "shelve", *_ON)
    return accept(compute, call, server, SHELVE)


def _ask_offload(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    require_state(server, "offload", "shelved")
    return accept(compute, call, server, OFFLOAD)


def _ask_unshelve(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    if content is not None and version_of(call) < (2, 77):
        raise BadRequest("unshelve must be null.")
    _UNSHELVE_FORM(content, "unshelve")
    require_state(server, "unshelve", "shelved", "shelved_offloaded")
    return accept(compute, call, server, UNSHELVE)


def _create_image(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    given = _IMAGE_FORM(content, "createImage")
    require_state(server, "create an image of", *_ON)
    properties = {**_properties(server, call.caller.user_id), **given.get("metadata", {})}
    image_id = compute.images.create_image(call.caller, given["name"], properties)
    begin(compute, call, server, SNAPSHOT, pending={"image": image_id})
    if version_of(call) >= (2, 45):
        return Reply(202, {"image_id": image_id})
    return Reply(
        202, headers={"Location": f"{call.base.removesuffix('/compute')}/image/v2/images/{image_id}"}
    )


ACTIONS = {
    "shelve": Action(_ask_shelve),
    "shelveOffload": Action(_ask_offload, admins),
    "unshelve": Action(_ask_unshelve),
    "createImage": Action(_create_image),
}
