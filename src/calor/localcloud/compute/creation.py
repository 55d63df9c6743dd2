"""Creates the records of servers, and claims their ports and volumes: all or nothing."""

from __future__ import annotations

import re
import secrets
from contextlib import ExitStack
from dataclasses import asdict, replace

from calor.localcloud.caller import Caller
from calor.localcloud.compute.claims import claim_disks, claim_ports, not_found_as_bad_request
from calor.localcloud.compute.flavors import usable_flavor
from calor.localcloud.compute.infrastructure import ZONE, zone_names
from calor.localcloud.compute.personality import check_files
from calor.localcloud.compute.quotas import check_limit, check_quota, claim_quota
from calor.localcloud.compute.records import Disk, Flavor, Server, new_id
from calor.localcloud.compute.server_requests import RequestedNic, ServerRequest
from calor.localcloud.compute.service import HOST, ComputeService
from calor.localcloud.peers import UsableImage
from calor.localcloud.problems import BadRequest, Conflict, Forbidden

_GIB = 1024**3


def create(compute: ComputeService, caller: Caller, wanted: ServerRequest) -> list[Server]:
    """Creates the records; the build tasks are started by the caller."""
    project_id = caller.project_id
    assert project_id is not None
    flavor = usable_flavor(compute, caller, wanted.flavor)
    image = _image(compute, caller, wanted)
    boots_from_volume = _check_boot_order(wanted)
    if image is not None:
        check_fit(image, flavor, boots_from_volume)
    elif not boots_from_volume:
        raise BadRequest("The request must have an imageRef or a bootable block device.")
    rest = dict(wanted.rest)
    rest.pop("return_reservation_id", None)
    rest |= _key(compute, caller, rest.pop("key_name", None))
    rest |= _zone(compute, caller, rest.pop("zone", None))
    rest["group_id"] = _group(compute, caller, wanted)
    rest.setdefault("admin_password", secrets.token_urlsafe(9))
    check_limit(compute, project_id, "metadata_items", len(rest.get("metadata", {})))
    check_files(compute, project_id, rest.get("files", ()))
    number = check_quota(compute, project_id, asdict(flavor), wanted.least, wanted.most)
    _check_many(wanted)
    networks = _networks(compute, caller, wanted)
    reservation = f"r-{secrets.token_hex(4)}"
    servers = []
    for index in range(number):
        name = wanted.name if wanted.most == 1 else f"{wanted.name}-{index + 1}"
        settled = {
            "id": new_id(),
            "name": name,
            "project_id": project_id,
            "user_id": caller.user_id,
            "created": compute.stamp(),
            "updated": compute.stamp(),
            "flavor": asdict(flavor),
            "image_id": wanted.image,
            "hints": wanted.hints,
            "reservation": reservation,
            "launch_index": index,
        }
        servers.append(Server(**{"host_name": host_name_of(name), **rest, **settled}))
    # Other services have state in memory, and so cannot be part of a transaction of this service.
    with ExitStack() as cleanup:
        disks: list[Disk] = []
        for place, server in enumerate(servers):
            disks += claim_disks(compute, caller, server, wanted.disks, cleanup)
            tags = claim_ports(compute, caller, server, networks, wanted.groups, cleanup)
            servers[place] = replace(server, nic_tags=tags)
        with compute.records.store.transaction():
            claim_quota(compute, project_id, asdict(flavor), number)
            for disk in disks:
                compute.records.disks.add(disk)
            for server in servers:
                compute.records.servers.add(server)
        cleanup.pop_all()
    return servers


def check_fit(image: UsableImage, flavor: Flavor, boots_from_volume: bool = False) -> None:
    if image.status != "active":
        raise BadRequest(f"Image {image.id} is not active.")
    if image.min_ram > flavor.ram:
        raise BadRequest("The flavor's memory is too small for the requested image.")
    # A flavor without a disk gives the server as much as the image needs.
    if not boots_from_volume and flavor.disk and max(image.min_disk, image.size / _GIB) > flavor.disk:
        raise BadRequest("The flavor's disk is too small for the requested image.")


def host_name_of(name: str) -> str:
    """A name as a host may have it."""
    cleaned = re.sub(r"[^a-z0-9-]", "", re.sub(r"[ _.]", "-", name.lower())).strip("-")[:63]
    return cleaned or "server"


def _image(compute: ComputeService, caller: Caller, wanted: ServerRequest) -> UsableImage | None:
    with not_found_as_bad_request():
        return compute.images.need_image(caller, wanted.image) if wanted.image else None


def _check_boot_order(wanted: ServerRequest) -> bool:
    """Whether the server boots from a volume."""
    order = sorted(disk.boot_index for disk in wanted.disks if disk.boot_index is not None)
    if order != list(range(len(order))) or (wanted.disks and not order):
        raise BadRequest(
            "The boot_index values of the block devices must be 0, 1, 2 and so on, without duplicates."
        )
    roots = [disk for disk in wanted.disks if disk.boot_index == 0]
    return bool(roots) and roots[0].destination == "volume"


def _check_many(wanted: ServerRequest) -> None:
    if wanted.most == 1:
        return
    if any(nic.port_id or nic.address for nic in wanted.nics):
        raise BadRequest("A port or a fixed IP cannot be given for more than one server.")
    if any(disk.source == "volume" for disk in wanted.disks):
        raise BadRequest("A volume cannot be given for more than one server.")


def _key(compute: ComputeService, caller: Caller, name: str | None) -> dict[str, str]:
    if name is None:
        return {}
    found = compute.records.keypairs.first(user_id=caller.user_id, name=name)
    if found is None:
        raise BadRequest(f"Keypair {name} could not be found.")
    return {"key_name": name, "public_key": found.public_key}


def _zone(compute: ComputeService, caller: Caller, asked: str | None) -> dict[str, str | None]:
    """The zone; an admin may also name the host in it, after a colon."""
    if asked is None:
        return {"zone": ZONE, "pinned_zone": None}
    zone, _, host = asked.partition(":")
    if host and not caller.is_admin:
        raise Forbidden("Only administrators can choose the host.")
    if zone not in zone_names(compute):
        raise BadRequest(f"The requested availability zone {zone[:255]} is not available.")
    if host.partition(":")[0] not in ("", HOST):
        raise BadRequest(f"Compute host {host[:255]} could not be found.")
    return {"zone": zone, "pinned_zone": zone}


def _group(compute: ComputeService, caller: Caller, wanted: ServerRequest) -> str | None:
    group_id = wanted.hints.get("group")
    if group_id is None:
        return None
    group = compute.records.groups.get(group_id)
    if group is None or group.project_id != caller.project_id:
        raise BadRequest(f"Server group {group_id} could not be found.")
    members = compute.records.servers.count(group_id=group_id) + wanted.most
    check_limit(compute, str(caller.project_id), "server_group_members", members)
    return group.id


def _networks(compute: ComputeService, caller: Caller, wanted: ServerRequest) -> tuple[RequestedNic, ...]:
    if wanted.nics or wanted.no_nics:
        return wanted.nics
    usual = compute.networks.default_networks(caller)
    if len(usual) > 1:
        raise Conflict("Multiple possible networks found, use a Network ID to be more specific.")
    return tuple(RequestedNic(network_id, None, None, None) for network_id in usual)
