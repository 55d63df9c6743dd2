"""From a request for servers to their records, with ports and volumes claimed: all of it or nothing."""

from __future__ import annotations

import re
import secrets
from contextlib import ExitStack
from dataclasses import asdict, replace

from calor.localcloud.caller import Caller
from calor.localcloud.compute.claims import claim_disks, claim_ports, refused
from calor.localcloud.compute.consumption import affordable, check_limit, take_up
from calor.localcloud.compute.flavors import usable_flavor
from calor.localcloud.compute.personality import check_files
from calor.localcloud.compute.records import Disk, Flavor, Server, new_id
from calor.localcloud.compute.requests import Wanted, WantedNic
from calor.localcloud.compute.state import HOST, Compute
from calor.localcloud.compute.zones import ZONE, zone_names
from calor.localcloud.neighbours import UsableImage
from calor.localcloud.problems import BadRequest, Conflict, Forbidden

_GIB = 1024**3


def create(compute: Compute, caller: Caller, wanted: Wanted) -> list[Server]:
    """The new servers. Nothing is begun yet."""
    project_id = caller.project_id
    assert project_id is not None
    flavor = usable_flavor(compute, caller, wanted.flavor)
    image = _image(compute, caller, wanted)
    boots_from_volume = _check_boot_order(wanted)
    if image is not None:
        check_fit(image, flavor, boots_from_volume)
    elif not boots_from_volume:
        raise BadRequest("The server needs an image, or a volume to boot from.")
    rest = dict(wanted.rest)
    rest.pop("return_reservation_id", None)
    rest |= _key(compute, caller, rest.pop("key_name", None))
    rest |= _zone(compute, caller, rest.pop("zone", None))
    rest["group_id"] = _group(compute, caller, wanted)
    rest.setdefault("admin_password", secrets.token_urlsafe(9))
    check_limit(compute, project_id, "metadata_items", len(rest.get("metadata", {})))
    check_files(compute, project_id, rest.get("files", ()))
    number = affordable(compute, project_id, asdict(flavor), wanted.least, wanted.most)
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
    # The neighbours remember more than the store does, and so cannot be part of a transaction of this service.
    with ExitStack() as undoing:
        disks: list[Disk] = []
        for place, server in enumerate(servers):
            disks += claim_disks(compute, caller, server, wanted.disks, undoing)
            tags = claim_ports(compute, caller, server, networks, wanted.groups, undoing)
            servers[place] = replace(server, nic_tags=tags)
        with compute.records.store.transaction():
            take_up(compute, project_id, asdict(flavor), number)
            for disk in disks:
                compute.records.disks.add(disk)
            for server in servers:
                compute.records.servers.add(server)
        undoing.pop_all()
    return servers


def check_fit(image: UsableImage, flavor: Flavor, boots_from_volume: bool = False) -> None:
    if image.status != "active":
        raise BadRequest(f"The image {image.id} is not active.")
    if image.min_ram > flavor.ram:
        raise BadRequest("The image needs more memory than the flavor has.")
    # A flavor without a disk gives the server as much as the image needs.
    if not boots_from_volume and flavor.disk and max(image.min_disk, image.size / _GIB) > flavor.disk:
        raise BadRequest("The image needs a larger disk than the flavor has.")


def host_name_of(name: str) -> str:
    """A name as a host may have it."""
    cleaned = re.sub(r"[^a-z0-9-]", "", re.sub(r"[ _.]", "-", name.lower())).strip("-")[:63]
    return cleaned or "server"


def _image(compute: Compute, caller: Caller, wanted: Wanted) -> UsableImage | None:
    with refused():
        return compute.images.need_image(caller, wanted.image) if wanted.image else None


def _check_boot_order(wanted: Wanted) -> bool:
    """Whether the server boots from a volume."""
    order = sorted(disk.boot_index for disk in wanted.disks if disk.boot_index is not None)
    if order != list(range(len(order))) or (wanted.disks and not order):
        raise BadRequest("The boot_index of the block devices must count from 0, with one device for each.")
    roots = [disk for disk in wanted.disks if disk.boot_index == 0]
    return bool(roots) and roots[0].destination == "volume"


def _check_many(wanted: Wanted) -> None:
    if wanted.most == 1:
        return
    if any(nic.port_id or nic.address for nic in wanted.nics):
        raise BadRequest("Several servers cannot share a port or an address.")
    if any(disk.source == "volume" for disk in wanted.disks):
        raise BadRequest("Several servers cannot share a volume.")


def _key(compute: Compute, caller: Caller, name: str | None) -> dict[str, str]:
    if name is None:
        return {}
    found = compute.records.keypairs.first(user_id=caller.user_id, name=name)
    if found is None:
        raise BadRequest(f"There is no keypair {name}.")
    return {"key_name": name, "public_key": found.public_key}


def _zone(compute: Compute, caller: Caller, asked: str | None) -> dict[str, str | None]:
    """The zone; an admin may also name the host in it, after a colon."""
    if asked is None:
        return {"zone": ZONE, "pinned_zone": None}
    zone, _, host = asked.partition(":")
    if host and not caller.is_admin:
        raise Forbidden("Only an administrator may choose the host.")
    if zone not in zone_names(compute):
        raise BadRequest(f"There is no availability zone {zone[:255]}.")
    if host.partition(":")[0] not in ("", HOST):
        raise BadRequest(f"There is no compute host {host[:255]}.")
    return {"zone": zone, "pinned_zone": zone}


def _group(compute: Compute, caller: Caller, wanted: Wanted) -> str | None:
    group_id = wanted.hints.get("group")
    if group_id is None:
        return None
    group = compute.records.groups.get(group_id)
    if group is None or group.project_id != caller.project_id:
        raise BadRequest(f"There is no server group {group_id}.")
    members = compute.records.servers.count(group_id=group_id) + wanted.most
    check_limit(compute, str(caller.project_id), "server_group_members", members)
    return group.id


def _networks(compute: Compute, caller: Caller, wanted: Wanted) -> tuple[WantedNic, ...]:
    if wanted.nics or wanted.no_nics:
        return wanted.nics
    usual = compute.networks.default_networks(caller)
    if len(usual) > 1:
        raise Conflict("There are several networks: the request must say which one is meant.")
    return tuple(WantedNic(network_id, None, None, None) for network_id in usual)
