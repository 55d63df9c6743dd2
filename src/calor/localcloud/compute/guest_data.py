"""The metadata documents of a server, for the metadata service and the config drive. Pure functions."""

from __future__ import annotations

import base64
import ipaddress
import json
from collections.abc import Mapping, Sequence

from calor.localcloud.backend import PortPlan
from calor.localcloud.compute.records import Disk, Server
from calor.localcloud.peers import ServerPort
from calor.localcloud.types import Json

Tree = Mapping[str, "Tree | str"]


def meta_data(server: Server, ports: Sequence[ServerPort], disks: Sequence[Disk]) -> Json:
    result: Json = {
        "uuid": server.id,
        "name": server.name,
        "hostname": full_host_name(server),
        "availability_zone": server.zone,
        "launch_index": server.launch_index,
        "project_id": server.project_id,
        "meta": server.metadata,
        "devices": _devices(server, ports, disks),
        "dedicated_cpus": [],
    }
    if server.public_key and server.key_name:
        result["public_keys"] = {server.key_name: server.public_key}
        result["keys"] = [{"name": server.key_name, "type": "ssh", "data": server.public_key}]
    if server.admin_password:
        result["admin_pass"] = server.admin_password
    return result


def network_data(plans: Sequence[PortPlan]) -> Json:
    links: list[Json] = []
    networks: list[Json] = []
    for plan in plans:
        link = f"tap{plan.id[:11]}"
        links.append(
            {
                "id": link,
                "vif_id": plan.id,
                "type": "ovs",
                "mtu": plan.mtu,
                "ethernet_mac_address": plan.mac,
            }
        )
        networks += [
            _network(plan, link, number, address.address, address.prefix, address.gateway)
            for number, address in enumerate(plan.addresses, start=len(networks))
        ]
    servers = dict.fromkeys(server for plan in plans for server in plan.name_servers)
    return {"links": links, "networks": networks, "services": [_dns(server) for server in servers]}


def user_data(server: Server) -> bytes | None:
    return base64.b64decode(server.user_data) if server.user_data else None


def full_host_name(server: Server) -> str:
    return f"{server.host_name}.novalocal"


def ec2_data(server: Server, ports: Sequence[ServerPort]) -> Tree:
    """The EC2 metadata tree."""
    fixed = [each.address for port in ports for each in port.addresses]
    fours = [address for address in fixed if ipaddress.ip_address(address).version == 4]
    floating = [address for port in ports for address in port.floating]
    result: dict[str, Tree | str] = {
        "ami-id": f"ami-{server.image_id[:8] or '00000000'}",
        "ami-launch-index": str(server.launch_index),
        "ami-manifest-path": "unknown",
        "block-device-mapping": {"ami": "vda", "root": "/dev/vda"},
        "hostname": full_host_name(server),
        "instance-action": "none",
        "instance-id": f"i-{server.id[:8]}",
        "instance-type": str(server.flavor["name"]),
        "local-hostname": full_host_name(server),
        "local-ipv4": fours[0] if fours else "",
        "placement": {"availability-zone": server.zone},
        "public-hostname": full_host_name(server),
        "public-ipv4": floating[0] if floating else "",
        "reservation-id": server.reservation,
        "security-groups": "\n".join(sorted({group for port in ports for group in port.security_groups})),
    }
    if server.public_key:
        result["public-keys"] = {"0": {"openssh-key": server.public_key}}
    return result


def as_json(document: object) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


def _devices(server: Server, ports: Sequence[ServerPort], disks: Sequence[Disk]) -> list[Json]:
    """Tagged devices only."""
    nics = [
        {"type": "nic", "bus": "none", "address": "none", "mac": port.mac, "tags": [server.nic_tags[port.id]]}
        for port in ports
        if port.id in server.nic_tags
    ]
    return nics + [
        {
            "type": "disk",
            "bus": "none",
            "address": "none",
            "serial": disk.volume_id,
            "path": disk.device,
            "tags": [disk.tag],
        }
        for disk in disks
        if disk.tag
    ]


def _network(plan: PortPlan, link: str, number: int, address: str, prefix: int, gateway: str | None) -> Json:
    family = ipaddress.ip_address(address).version
    result: Json = {
        "id": f"network{number}",
        "type": f"ipv{family}",
        "link": link,
        "network_id": plan.network_id,
        "ip_address": address,
        "netmask": _netmask(f"{address}/{prefix}"),
        "routes": [_route(destination, hop) for destination, hop in plan.routes if _family(hop) == family],
        "services": [_dns(server) for server in plan.name_servers if _family(server) == family],
    }
    if gateway:
        result["routes"].insert(0, _route("0.0.0.0/0" if family == 4 else "::/0", gateway))
    return result


def _route(destination: str, hop: str) -> dict[str, str]:
    network = ipaddress.ip_network(destination, strict=False)
    return {"network": str(network.network_address), "netmask": str(network.netmask), "gateway": hop}


def _netmask(cidr: str) -> str:
    return str(ipaddress.ip_interface(cidr).network.netmask)


def _family(address: str) -> int:
    return ipaddress.ip_address(address).version


def _dns(address: str) -> dict[str, str]:
    return {"type": "dns", "address": address}
