"""Parts that are added to random templates."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tests.kill.cloud_parts import (
    ATTACHMENT,
    FLAVORS,
    FLOATING_IP,
    IMAGES,
    INTERFACE,
    KEY,
    MEMBERS,
    NESTED,
    NET,
    PORT,
    ROUTER,
    SECURITY,
    SERVER,
    SERVER_GROUP,
    SUBNET,
    VOLUME,
    Chooser,
    Part,
    Parts,
    to,
)


def _net(choose: Chooser) -> Parts:
    net, subnet = choose.fresh("net"), choose.fresh("subnet")
    return {
        net: Part(NET, {"name": choose.name()}),
        subnet: Part(SUBNET, {"network": to(net), "cidr": choose.cidr(), "name": choose.name()}),
    }


def _router(choose: Chooser) -> Parts:
    outside = {"external_gateway_info": {"network": "public"}}
    made = {choose.fresh("router"): Part(ROUTER, {"name": choose.name(), **outside})}
    return made | _interface(Chooser({**choose.parts, **made}, choose.before, choose.random))


def _interface(choose: Chooser) -> Parts:
    router = choose.one(ROUTER)
    subnet = choose.some(choose.free(SUBNET, INTERFACE))
    if router is None or subnet is None:
        return {}
    return {choose.fresh("interface"): Part(INTERFACE, {"router": to(router), "subnet": to(subnet)})}


def _port(choose: Chooser) -> Parts:
    subnet = choose.one(SUBNET)
    return {} if subnet is None else {choose.fresh("port"): Part(PORT, on(choose, subnet))}


def on(choose: Chooser, subnet: str) -> dict[str, Any]:
    """The properties of a port on a subnet."""
    guard = choose.one(SECURITY)
    return {
        "network": choose.parts[subnet].properties["network"],
        "fixed_ips": [{"subnet": to(subnet)}],
        "name": choose.name(),
        **({"security_groups": [to(guard)]} if guard else {}),
    }


def rule(choose: Chooser) -> dict[str, Any]:
    port = choose.random.randrange(1, 10_000)
    return {"protocol": "tcp", "port_range_min": port, "port_range_max": port}


def _security(choose: Chooser) -> Parts:
    rules = [rule(choose) for _ in range(choose.random.randint(0, 2))]
    properties = {"name": choose.name(), "description": choose.fresh("text"), "rules": rules}
    return {choose.fresh("security"): Part(SECURITY, properties)}


def _floating_ip(choose: Chooser) -> Parts:
    port = choose.some([one for one in choose.free(PORT, FLOATING_IP) if choose.interfaced(one)])
    if port is None:
        return {}
    properties = {"floating_network": "public", "port_id": to(port)}
    return {choose.fresh("address"): Part(FLOATING_IP, properties, tuple(choose.interfaced(port)))}


def _server_properties(choose: Chooser, subnet: str) -> dict[str, Any]:
    network = choose.parts[subnet].properties["network"]
    return {
        "name": choose.name(),
        "flavor": choose.random.choice(FLAVORS),
        "image": choose.random.choice(IMAGES),
        "metadata": {"mark": choose.fresh("m")},
        "user_data_format": "RAW",
        "networks": [{"network": network, "subnet": to(subnet)}],
    }


def _server(choose: Chooser) -> Parts:
    subnet = choose.one(SUBNET)
    if subnet is None:
        return {}
    properties = _server_properties(choose, subnet)
    free = choose.free(PORT, SERVER)
    if free and choose.random.random() < 0.7:
        properties["networks"] = [
            {"port": to(one)} for one in choose.random.sample(free, k=min(len(free), 2))
        ]
    if (key := choose.one(KEY)) is not None:
        properties["key_name"] = to(key)
    if (group := choose.one(SERVER_GROUP)) is not None:
        properties["scheduler_hints"] = {"group": to(group)}
    return {choose.fresh("server"): Part(SERVER, properties)}


def _volume(choose: Chooser) -> Parts:
    properties = {"size": 1, "name": choose.name(), "description": choose.fresh("text")}
    return {choose.fresh("volume"): Part(VOLUME, properties)}


def _attachment(choose: Chooser) -> Parts:
    server = choose.one(SERVER)
    volume = choose.some(choose.free(VOLUME, ATTACHMENT))
    if server is None or volume is None:
        return {}
    properties = {"instance_uuid": to(server), "volume_id": to(volume)}
    return {choose.fresh("attachment"): Part(ATTACHMENT, properties)}


def _key(choose: Chooser) -> Parts:
    return {choose.fresh("key"): Part(KEY, {"name": choose.fresh("key-")})}


def _server_group(choose: Chooser) -> Parts:
    properties = {"name": choose.name(), "policies": ["soft-anti-affinity"]}
    return {choose.fresh("together"): Part(SERVER_GROUP, properties)}


def _members(choose: Chooser) -> Parts:
    subnet = choose.one(SUBNET)
    if subnet is None:
        return {}
    member = {"type": SERVER, "properties": _server_properties(choose, subnet)}
    properties = {"count": choose.random.randint(0, 3), "resource_def": member}
    return {choose.fresh("members"): Part(MEMBERS, properties)}


def _nested(choose: Chooser) -> Parts:
    return {choose.fresh("nested"): Part(NESTED, {"name": choose.name(), "cidr": choose.cidr()})}


ADDITIONS: dict[Callable[[Chooser], Parts], int] = {
    _net: 2,
    _router: 1,
    _interface: 2,
    _port: 4,
    _security: 2,
    _floating_ip: 3,
    _server: 4,
    _volume: 2,
    _attachment: 3,
    _key: 1,
    _server_group: 1,
    _members: 1,
    _nested: 1,
}
"""What is added, and how often. What cannot be added to a template is not."""
MOST = 22
"""Parts of a template, so that a round does not take for ever."""


def added(parts: Parts, before: Parts, random: Random) -> Parts:
    choose = Chooser(parts, before, random)
    if not choose.of(SUBNET):
        return {**parts, **_net(choose)}
    if len(parts) >= MOST:
        return parts
    [addition] = random.choices(list(ADDITIONS), list(ADDITIONS.values()))
    return {**parts, **addition(choose)}
