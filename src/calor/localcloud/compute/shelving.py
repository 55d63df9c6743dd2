"""Servers put on the shelf, where they take up nothing, and images made of servers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from calor.localcloud.compute.actions import Action, accept
from calor.localcloud.compute.disks import boots_from_volume
from calor.localcloud.compute.forms import items, plain_name, strict
from calor.localcloud.compute.guards import require_state
from calor.localcloud.compute.microversions import version_of
from calor.localcloud.compute.power import start
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.rules import admins
from calor.localcloud.compute.state import Compute
from calor.localcloud.compute.statuses import SHUT_DOWN
from calor.localcloud.compute.tasks import Changes, Task, begin, step
from calor.localcloud.problems import BadRequest
from calor.localcloud.reading import identifier, nullable
from calor.localcloud.web import Call, Reply


async def _shelve(compute: Compute, server: Server) -> Changes:
    """The disk stays where it is, so that it is all there when the server comes back."""
    await compute.ground.machinery.halt(server.id)
    step(compute, server, OFFLOAD.state)
    return await _offload(compute, server)


async def _offload(compute: Compute, server: Server) -> Changes:
    return {"vm_state": "shelved_offloaded", "power_state": SHUT_DOWN}


async def _snapshot(compute: Compute, server: Server) -> Changes:
    image_id: str = server.pending["image"]
    if not boots_from_volume(compute, server):
        step(compute, server, "image_uploading")
        file = _room(compute) / image_id
        await compute.ground.machinery.snapshot(server.id, file)
        compute.images.fill_image(image_id, file)
    else:
        compute.images.fill_image(image_id, None)
    return {}


def _room(compute: Compute) -> Path:
    folder = compute.ground.folder / "compute" / "snapshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


SHELVE = Task("shelving", "shelve", "compute_shelve_instance", _shelve)
OFFLOAD = Task("shelving_offloading", "shelveOffload", "compute_shelve_offload_instance", _offload)
UNSHELVE = Task("unshelving", "unshelve", "compute_unshelve_instance", start)
SNAPSHOT = Task("image_snapshot", "createImage", "compute_snapshot_instance", _snapshot, may_fail=True)
TASKS = (SHELVE, OFFLOAD, UNSHELVE, SNAPSHOT)

_ON = ("active", "stopped", "paused", "suspended")
_IMAGE_FORM = strict({"name": plain_name}, {"metadata": items})
_UNSHELVE_FORM = nullable(strict(optional={"availability_zone": nullable(identifier), "host": identifier}))


def _ask_shelve(compute: Compute, call: Call, server: Server, content: Any) -> Reply:
    require_state(server, "shelve", *_ON)
    return accept(compute, call, server, SHELVE)


def _ask_offload(compute: Compute, call: Call, server: Server, content: Any) -> Reply:
    require_state(server, "offload", "shelved")
    return accept(compute, call, server, OFFLOAD)


def _ask_unshelve(compute: Compute, call: Call, server: Server, content: Any) -> Reply:
    if content is not None and version_of(call) < (2, 77):
        raise BadRequest("unshelve must be null.")
    _UNSHELVE_FORM(content, "unshelve")
    require_state(server, "unshelve", "shelved", "shelved_offloaded")
    return accept(compute, call, server, UNSHELVE)


def _create_image(compute: Compute, call: Call, server: Server, content: Any) -> Reply:
    given = _IMAGE_FORM(content, "createImage")
    require_state(server, "make an image of", *_ON)
    properties = {
        "image_type": "snapshot",
        "instance_uuid": server.id,
        "user_id": call.caller.user_id,
        "base_image_ref": server.image_id,
        **given.get("metadata", {}),
    }
    image_id = compute.images.make_image(call.caller, given["name"], properties)
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
