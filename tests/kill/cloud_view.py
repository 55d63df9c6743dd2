"""The objects of a project in the cloud, to compare with its stacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.kill.cloud_parts import (
    ATTACHMENT,
    FLOATING_IP,
    INTERFACE,
    KEY,
    NET,
    PORT,
    ROUTER,
    SECURITY,
    SERVER,
    SERVER_GROUP,
    SUBNET,
    VOLUME,
    Part,
)

Object = dict[str, Any]
See = Callable[[Object], Any]


def _member(name: str) -> See:
    return lambda shown: shown[name]


def _rules(shown: Object) -> list[dict[str, Any]]:
    """Those that let something in, as templates write them."""
    rules = [rule for rule in shown["security_group_rules"] if rule["protocol"] is not None]
    names = ("protocol", "port_range_min", "port_range_max")
    return sorted(({name: rule[name] for name in names} for rule in rules), key=str)


@dataclass(frozen=True)
class Kind:
    """Objects that stand for resources of a type."""

    path: str
    key: str
    seen: dict[str, See] = field(default_factory=dict)
    """How an object shows properties."""
    id: str = "id"
    """The member that is its id."""
    wrapped: str | None = None
    """What each object of a list is wrapped in."""
    states: tuple[str, ...] = ()
    """The statuses of an object that is as it shall be."""


KINDS = {
    NET: Kind("network/v2.0/networks", "networks", {"name": _member("name")}),
    SUBNET: Kind(
        "network/v2.0/subnets",
        "subnets",
        {
            **{name: _member(name) for name in ("name", "cidr", "enable_dhcp", "dns_nameservers")},
            "network": _member("network_id"),
        },
    ),
    ROUTER: Kind("network/v2.0/routers", "routers", {"name": _member("name")}),
    PORT: Kind(
        "network/v2.0/ports",
        "ports",
        {
            "name": _member("name"),
            "network": _member("network_id"),
            "fixed_ips": lambda shown: [{"subnet": each["subnet_id"]} for each in shown["fixed_ips"]],
            "security_groups": _member("security_groups"),
        },
    ),
    SECURITY: Kind(
        "network/v2.0/security-groups",
        "security_groups",
        {"name": _member("name"), "description": _member("description"), "rules": _rules},
    ),
    FLOATING_IP: Kind("network/v2.0/floatingips", "floatingips", {"port_id": _member("port_id")}),
    SERVER: Kind(
        "compute/v2.1/servers/detail",
        "servers",
        {
            "name": _member("name"),
            "metadata": _member("metadata"),
            "flavor": lambda shown: shown["flavor"]["original_name"],
            "image": _member("image_name"),
            "key_name": _member("key_name"),
        },
        states=("ACTIVE",),
    ),
    KEY: Kind(
        "compute/v2.1/os-keypairs", "keypairs", {"name": _member("name")}, id="name", wrapped="keypair"
    ),
    SERVER_GROUP: Kind("compute/v2.1/os-server-groups", "server_groups", {"name": _member("name")}),
    VOLUME: Kind(
        "volume/v3/{project}/volumes/detail",
        "volumes",
        {name: _member(name) for name in ("name", "size", "description")},
        states=("available", "in-use"),
    ),
}


@dataclass(frozen=True)
class Claim:
    """A resource that says of an object that it stands for it, or joins two."""

    path: str
    part: Part
    physical_id: str
    ids: Mapping[str, str]
    """The physical ids of what the part may refer to."""

    def wanted(self, name: str) -> Any:
        return self._resolved(self.part.properties[name])

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, dict):
            if value.keys() == {"get_resource"}:
                return self.ids[value["get_resource"]]
            return {name: self._resolved(one) for name, one in value.items()}
        return [self._resolved(one) for one in value] if isinstance(value, list) else value


Objects = dict[str, dict[str, Object]]
"""By type and id."""


def differences(claims: list[Claim], there: Objects) -> list[str]:
    """In what the cloud is other than the stacks say."""
    found: list[str] = []
    claimed: dict[str, dict[str, Claim]] = {type: {} for type in (*KINDS, INTERFACE, ATTACHMENT)}
    for claim in claims:
        same = claimed[claim.part.type].setdefault(claim.physical_id, claim)
        if same is not claim:
            found.append(f"{claim.path} and {same.path} are the same {claim.part.type}")
    for type, kind in KINDS.items():
        objects, own = there[type], claimed[type]
        found += [f"lost: {own[id].path}, {type} {id}" for id in own.keys() - objects.keys()]
        left = {id: objects[id] for id in objects.keys() - own.keys()}
        if type == PORT:
            left = {id: port for id, port in left.items() if not _belongs(port, claimed)}
        found += [f"left over: {type} {id} {shown}" for id, shown in left.items()]
        for id in own.keys() & objects.keys():
            found += _unlike(own[id], objects[id], kind)
    found += _joined_otherwise(claimed, there)
    return found


def _belongs(port: Object, claimed: Mapping[str, Mapping[str, Claim]]) -> bool:
    """Whether a port was made for a server or router of a stack. How many each has is another question."""
    owner = {"network:router_interface": ROUTER, "network:dhcp": NET}.get(port["device_owner"], SERVER)
    if owner == NET:
        return port["network_id"] in claimed[NET]
    return port["device_id"] in claimed[owner]


def _unlike(claim: Claim, shown: Object, kind: Kind) -> list[str]:
    unlike = []
    for name in claim.part.properties.keys() & kind.seen.keys():
        wanted, seen = claim.wanted(name), kind.seen[name](shown)
        if name == "rules":
            wanted = sorted(wanted, key=str)
        if wanted != seen:
            unlike.append(f"{claim.path} has {name} {seen}, not {wanted}")
    if kind.states and shown["status"] not in kind.states:
        unlike.append(f"{claim.path} is {shown['status']}")
    return unlike


def _joined_otherwise(claimed: Mapping[str, Mapping[str, Claim]], there: Objects) -> list[str]:
    """What is wrong with what joins others: ports of servers, interfaces of routers, attached volumes."""
    found = []
    ports: dict[str, list[Object]] = {}
    for port in there[PORT].values():
        ports.setdefault(port["device_id"], []).append(port)
    for id, server in claimed[SERVER].items():
        own = ports.get(id, [])
        wanted = server.wanted("networks")
        named = {one["port"] for one in wanted if "port" in one}
        subnets = sorted(one["subnet"] for one in wanted if "subnet" in one)
        others = [port for port in own if port["id"] not in named]
        seen = sorted(address["subnet_id"] for port in others for address in port["fixed_ips"])
        if not named <= {port["id"] for port in own} or seen != subnets:
            found.append(f"{server.path} has ports {own}, not {wanted}")
    joined = {
        f"{port['device_id']}:subnet_id={address['subnet_id']}"
        for port in there[PORT].values()
        if port["device_owner"] == "network:router_interface"
        for address in port["fixed_ips"]
    }
    if joined != claimed[INTERFACE].keys():
        found.append(f"routers are joined to {joined}, not {claimed[INTERFACE].keys()}")
    attached = {
        (server["id"], volume["id"])
        for server in there[SERVER].values()
        for volume in server["os-extended-volumes:volumes_attached"]
    }
    wanted = {
        (claim.wanted("instance_uuid"), claim.wanted("volume_id")) for claim in claimed[ATTACHMENT].values()
    }
    if attached != wanted:
        found.append(f"attached are {attached}, not {wanted}")
    in_use = {id for id, volume in there[VOLUME].items() if volume["status"] == "in-use"}
    if in_use != {volume for _, volume in wanted}:
        found.append(f"in use are {in_use}, attached {wanted}")
    return found
