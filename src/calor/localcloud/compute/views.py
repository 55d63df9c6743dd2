"""Servers as the API shows them, depending on the microversion and the caller."""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Iterable, Mapping, Sequence

from calor.localcloud.compute.microversions import Version, version_of
from calor.localcloud.compute.records import Disk, Server
from calor.localcloud.compute.service import HOST, ComputeService, with_microseconds
from calor.localcloud.compute.statuses import progress_of, status_of
from calor.localcloud.peers import ServerPort
from calor.localcloud.types import Json
from calor.localcloud.web import Call

Shown = Json


def links_of(call: Call, path: str) -> list[dict[str, str]]:
    return [
        {"rel": "self", "href": f"{call.base}/v2.1/{path}"},
        {"rel": "bookmark", "href": f"{call.base}/{path}"},
    ]


def bookmark_of(call: Call, path: str) -> list[dict[str, str]]:
    return links_of(call, path)[1:]


def show_reference(call: Call, server: Server) -> Shown:
    return {"id": server.id, "name": server.name, "links": links_of(call, f"servers/{server.id}")}


def show_servers(compute: ComputeService, call: Call, servers: Sequence[Server]) -> list[Shown]:
    """Many servers in detail, with one query to each other service."""
    ids = [server.id for server in servers]
    ports = compute.networks.ports_of_all(ids)
    disks: dict[str, list[Disk]] = {}
    for disk in compute.records.disks.find_in("server_id", ids):
        disks.setdefault(disk.server_id, []).append(disk)
    version = version_of(call)
    return [
        show_server(call, server, ports.get(server.id, ()), disks.get(server.id, ()), version)
        for server in servers
    ]


def show_one(compute: ComputeService, call: Call, server: Server) -> Shown:
    shown = show_servers(compute, call, [server])[0]
    # Lists do not show server groups.
    if version_of(call) >= (2, 71):
        shown["server_groups"] = [server.group_id] if server.group_id else []
    return shown


def show_server(
    call: Call,
    server: Server,
    ports: Sequence[ServerPort],
    disks: Sequence[Disk],
    version: Version,
) -> Shown:
    shown = show_changed(call, server, ports, version)
    shown |= {
        "addresses": show_addresses(ports),
        "OS-EXT-AZ:availability_zone": server.zone if host_of(server) else "",
        "OS-EXT-STS:vm_state": server.vm_state,
        "OS-EXT-STS:task_state": server.task_state,
        "OS-EXT-STS:power_state": server.power_state,
        "OS-SRV-USG:launched_at": with_microseconds(server.launched) if server.launched else None,
        "OS-SRV-USG:terminated_at": None,
        "config_drive": "True" if server.config_drive else "",
        "key_name": server.key_name,
        "os-extended-volumes:volumes_attached": [
            _show_volume(disk, version) for disk in disks if disk.volume_id
        ],
    }
    if groups := sorted({group for port in ports for group in port.security_groups}):
        shown["security_groups"] = [{"name": group} for group in groups]
    if call.caller.is_admin:
        shown |= _for_admins(server, version)
    elif version >= (2, 90):
        shown["OS-EXT-SRV-ATTR:hostname"] = server.host_name
    if version >= (2, 96):
        shown["pinned_availability_zone"] = server.pinned_zone
    return shown


def show_changed(call: Call, server: Server, ports: Sequence[ServerPort], version: Version) -> Shown:
    """The shorter form of a changed server in older microversions."""
    status = status_of(server)
    shown: Shown = {
        "id": server.id,
        "name": server.name,
        "status": status,
        "tenant_id": server.project_id,
        "user_id": server.user_id,
        "metadata": server.metadata,
        "hostId": _anonymous_host(server),
        "image": {"id": server.image_id, "links": bookmark_of(call, f"images/{server.image_id}")}
        if server.image_id
        else "",
        "flavor": _show_flavor(call, server, version),
        "created": server.created,
        "updated": server.updated,
        "addresses": show_addresses(ports, kinds=False),
        "accessIPv4": server.access_v4,
        "accessIPv6": server.access_v6,
        "OS-DCF:diskConfig": server.disk_config,
        "links": links_of(call, f"servers/{server.id}"),
    }
    if (progress := progress_of(status)) is not None:
        shown["progress"] = progress
    if server.fault and status == "ERROR":
        shown["fault"] = server.fault
    since: tuple[tuple[Version, str, object], ...] = (
        ((2, 9), "locked", server.locked_by is not None),
        ((2, 19), "description", server.description),
        ((2, 26), "tags", server.tags),
        ((2, 63), "trusted_image_certificates", server.certificates),
        ((2, 73), "locked_reason", server.locked_reason),
    )
    return shown | {name: value for first, name, value in since if version >= first}


def show_addresses(ports: Iterable[ServerPort], kinds: bool = True) -> dict[str, list[Shown]]:
    """By the name of the network; floating addresses stand after the fixed ones."""
    found: dict[str, list[Shown]] = {}
    for port in ports:
        result = [(fixed.address, "fixed") for fixed in port.addresses]
        result += [(address, "floating") for address in port.floating]
        for address, kind in result:
            shown: Shown = {"addr": address, "version": ipaddress.ip_address(address).version}
            if kinds:
                shown |= {"OS-EXT-IPS:type": kind, "OS-EXT-IPS-MAC:mac_addr": port.mac}
            found.setdefault(port.network_name, []).append(shown)
    return found


def host_of(server: Server) -> str | None:
    """The host, unless the server has none yet or is shelved."""
    waits = server.task_state == "scheduling" or server.vm_state == "shelved_offloaded"
    return None if waits or (server.vm_state == "error" and not server.launched) else HOST


def instance_name(server: Server) -> str:
    """What the host calls the server."""
    return f"instance-{server.id[:8]}"


def _anonymous_host(server: Server) -> str:
    """A hash of the host and the project."""
    host = host_of(server)
    return hashlib.sha224(f"{server.project_id}{host}".encode()).hexdigest() if host else ""


def _show_flavor(call: Call, server: Server, version: Version) -> Shown:
    flavor = server.flavor
    if version < (2, 47):
        return {"id": flavor["id"], "links": bookmark_of(call, f"flavors/{flavor['id']}")}
    return {
        "original_name": flavor["name"],
        **{name: flavor[name] for name in ("vcpus", "ram", "disk", "ephemeral", "swap", "extra_specs")},
    }


def _show_volume(disk: Disk, version: Version) -> Shown:
    result: Shown = {"id": disk.volume_id}
    return result | {"delete_on_termination": disk.delete_on_termination} if version >= (2, 3) else result


def _for_admins(server: Server, version: Version) -> Mapping[str, object]:
    host = host_of(server)
    shown: Shown = {
        "OS-EXT-SRV-ATTR:host": host,
        "OS-EXT-SRV-ATTR:hypervisor_hostname": host,
        "OS-EXT-SRV-ATTR:instance_name": instance_name(server),
    }
    if version >= (2, 3):
        shown |= {
            "OS-EXT-SRV-ATTR:hostname": server.host_name,
            "OS-EXT-SRV-ATTR:kernel_id": "",
            "OS-EXT-SRV-ATTR:launch_index": server.launch_index,
            "OS-EXT-SRV-ATTR:ramdisk_id": "",
            "OS-EXT-SRV-ATTR:reservation_id": server.reservation,
            "OS-EXT-SRV-ATTR:root_device_name": "/dev/vda",
            "OS-EXT-SRV-ATTR:user_data": server.user_data,
        }
    if version >= (2, 16):
        shown["host_status"] = "UP" if host else ""
    return shown
