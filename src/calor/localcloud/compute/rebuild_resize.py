"""Rebuilds, resizes and rescues servers."""

from __future__ import annotations

import secrets
from dataclasses import asdict, replace

from calor.localcloud.compute.actions import ACCEPTED, Action, accept
from calor.localcloud.compute.claims import not_found_as_bad_request
from calor.localcloud.compute.creation import check_fit
from calor.localcloud.compute.disks import boots_from_volume
from calor.localcloud.compute.flavors import usable_flavor
from calor.localcloud.compute.microversions import Version, version_of
from calor.localcloud.compute.personality import PERSONALITY, check_files
from calor.localcloud.compute.plans import plan_of
from calor.localcloud.compute.power import RUNS, reboot, stop
from calor.localcloud.compute.preconditions import require_state
from calor.localcloud.compute.quotas import check_limit, limits_of, resize_quota
from calor.localcloud.compute.records import Flavor, Server
from calor.localcloud.compute.requests import address, flag, items, plain_name, strict
from calor.localcloud.compute.server_requests import host_name, user_data
from calor.localcloud.compute.servers import show_after_change
from calor.localcloud.compute.service import ComputeService, owner_of
from calor.localcloud.compute.statuses import RUNNING
from calor.localcloud.compute.tasks import Changes, Task, begin
from calor.localcloud.compute.views import links_of
from calor.localcloud.problems import BadRequest, Problem
from calor.localcloud.requests import Reader, identifier, listing, nullable, one_of, text
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply


async def _rebuild(compute: ComputeService, server: Server) -> Changes:
    """A stopped server is stopped again afterwards."""
    backend = compute.context.backend
    await backend.halt(server.id)
    await backend.boot(plan_of(compute, server), fresh=True)
    if server.pending.get("was") == "stopped":
        return await stop(compute, server)
    return {**RUNS, "launched": compute.stamp()}


async def _resize(compute: ComputeService, server: Server) -> Changes:
    flavor: Json = server.pending["flavor"]
    if flavor["disk"] < server.flavor["disk"]:
        raise Problem("The disk cannot be shrunk.")
    await _boot_with(compute, replace(server, flavor=flavor))
    with compute.records.store.transaction():
        resize_quota(compute, server.project_id, server.flavor, flavor)
        return {
            "vm_state": "resized",
            "flavor": flavor,
            "former_flavor": server.flavor,
            "pending": {"was": server.vm_state},
        }


async def _revert(compute: ComputeService, server: Server) -> Changes:
    former = server.former_flavor
    assert former is not None
    await _boot_with(compute, replace(server, flavor=former))
    with compute.records.store.transaction():
        resize_quota(compute, server.project_id, server.flavor, former)
        return {"vm_state": _state_before(server), "flavor": former, "former_flavor": None}


async def _boot_with(compute: ComputeService, server: Server) -> None:
    """A stopped server gets its new size when it starts."""
    if server.power_state == RUNNING:
        await reboot(compute, server)


async def _rescue(compute: ComputeService, server: Server) -> Changes:
    await reboot(compute, server)
    return {"vm_state": "rescued", "power_state": RUNNING}


REBUILD = Task("rebuilding", "rebuild", "compute_rebuild_instance", _rebuild)
RESIZE = Task("resize_prep", "resize", "compute_prep_resize", _resize, may_fail=True)
REVERT = Task("resize_reverting", "revertResize", "compute_revert_resize", _revert)
RESCUE = Task("rescuing", "rescue", "compute_rescue_instance", _rescue)
UNRESCUE = Task("unrescuing", "unrescue", "compute_unrescue_instance", reboot)
TASKS = (REBUILD, RESIZE, REVERT, RESCUE, UNRESCUE)


def _ask_rebuild(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    given = _rebuild_form(version_of(call))(content, "rebuild")
    require_state(server, "rebuild", "active", "stopped", "error")
    caller = owner_of(server)
    with not_found_as_bad_request():
        image = compute.images.need_image(caller, given["imageRef"].rsplit("/", 1)[-1])
    check_fit(image, Flavor(**server.flavor))
    if boots_from_volume(compute, server):
        raise BadRequest("A volume-backed server cannot be rebuilt.")
    changes = {field: given[member] for member, field in _REBUILT.items() if member in given}
    check_limit(compute, server.project_id, "metadata_items", len(changes.get("metadata", {})))
    changes["files"] = given.get("personality", ())
    check_files(compute, server.project_id, changes["files"])
    if "key_name" in changes:
        changes["public_key"] = _public_key(compute, server, changes["key_name"])
    changes.setdefault("admin_password", secrets.token_urlsafe(9))
    begun = begin(
        compute,
        call,
        server,
        REBUILD,
        image_id=image.id,
        pending={"was": server.vm_state},
        fault=None,
        **changes,
    )
    shown = {**show_after_change(compute, call, begun), "adminPass": begun.admin_password}
    if version_of(call) >= (2, 54):
        shown["key_name"] = begun.key_name
    if version_of(call) >= (2, 57):
        shown["user_data"] = begun.user_data
    return Reply(202, {"server": shown}, {"Location": links_of(call, f"servers/{server.id}")[0]["href"]})


_REBUILT = {
    "name": "name",
    "adminPass": "admin_password",
    "metadata": "metadata",
    "OS-DCF:diskConfig": "disk_config",
    "accessIPv4": "access_v4",
    "accessIPv6": "access_v6",
    "description": "description",
    "key_name": "key_name",
    "user_data": "user_data",
    "trusted_image_certificates": "certificates",
    "hostname": "host_name",
}


def _rebuild_form(version: Version) -> Reader[Json]:
    optional: dict[str, Reader[object]] = {
        "name": plain_name,
        "adminPass": text(255),
        "metadata": items,
        "OS-DCF:diskConfig": one_of("AUTO", "MANUAL"),
        "accessIPv4": address(4),
        "accessIPv6": address(6),
        "preserve_ephemeral": flag,
    }
    if version < (2, 57):
        optional["personality"] = PERSONALITY
    since: tuple[tuple[Version, str, Reader[object]], ...] = (
        ((2, 19), "description", nullable(text(255))),
        ((2, 54), "key_name", nullable(plain_name)),
        ((2, 57), "user_data", nullable(user_data)),
        ((2, 63), "trusted_image_certificates", nullable(listing(identifier, longest=50))),
        ((2, 90), "hostname", host_name(version)),
    )
    optional |= {name: reader for first, name, reader in since if version >= first}
    return strict({"imageRef": identifier}, optional)


def _public_key(compute: ComputeService, server: Server, name: str | None) -> str | None:
    if name is None:
        return None
    found = compute.records.keypairs.first(user_id=server.user_id, name=name)
    if found is None:
        raise BadRequest(f"Keypair {name} could not be found.")
    return found.public_key


_RESIZE_FORM = strict({"flavorRef": identifier}, {"OS-DCF:diskConfig": one_of("AUTO", "MANUAL")})


def _ask_resize(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    given = _RESIZE_FORM(content, "resize")
    flavor = usable_flavor(compute, call.caller, given["flavorRef"].rsplit("/", 1)[-1])
    if flavor.id == server.flavor["id"]:
        raise BadRequest("When resizing, servers must change flavor.")
    if not flavor.disk and server.flavor["disk"] and not boots_from_volume(compute, server):
        raise BadRequest("A server cannot be resized to a flavor without a disk.")
    require_state(server, "resize", "active", "stopped")
    _check_growth(compute, server, flavor)
    changes = {"disk_config": given["OS-DCF:diskConfig"]} if "OS-DCF:diskConfig" in given else {}
    return accept(compute, call, server, RESIZE, pending={"flavor": asdict(flavor)}, **changes)


def _check_growth(compute: ComputeService, server: Server, flavor: Flavor) -> None:
    used = compute.records.consumption.get(server.project_id)
    if used is None:
        return
    for name, now, more in (
        ("cores", used.cores, flavor.vcpus - server.flavor["vcpus"]),
        ("ram", used.ram, flavor.ram - server.flavor["ram"]),
    ):
        if more > 0 and limits_of(compute, server.project_id)[name] != -1:
            check_limit(compute, server.project_id, name, now + more)


def _confirm_resize(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    require_state(server, "confirm the resize of", "resized")
    compute.records.servers.put(
        replace(
            server,
            vm_state=_state_before(server),
            former_flavor=None,
            pending={},
            updated=compute.stamp(),
        )
    )
    return NO_CONTENT


def _revert_resize(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    require_state(server, "revert the resize of", "resized")
    return accept(compute, call, server, REVERT, pending=dict(server.pending))


def _state_before(server: Server) -> str:
    return str(server.pending.get("was", "active"))


_RESCUE_FORM = strict(optional={"adminPass": text(255), "rescue_image_ref": identifier})


def _ask_rescue(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    given = _RESCUE_FORM({} if content is None else content, "rescue")
    require_state(server, "rescue", "active", "stopped", "error")
    pending = {}
    if "rescue_image_ref" in given:
        with not_found_as_bad_request():
            pending["image_id"] = compute.images.need_image(call.caller, given["rescue_image_ref"]).id
    password = given.get("adminPass") or secrets.token_urlsafe(9)
    begin(compute, call, server, RESCUE, pending=pending)
    return Reply(body={"adminPass": password})


def _ask_unrescue(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    require_state(server, "unrescue", "rescued")
    begin(compute, call, server, UNRESCUE)
    return ACCEPTED


ACTIONS = {
    "rebuild": Action(_ask_rebuild),
    "resize": Action(_ask_resize),
    "confirmResize": Action(_confirm_resize),
    "revertResize": Action(_revert_resize),
    "rescue": Action(_ask_rescue),
    "unrescue": Action(_ask_unrescue),
}
