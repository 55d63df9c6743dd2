"""The networks of a server: what Nova is asked for, and what has to change when the template does."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from calor.types.cloud_objects import Object

Network = Mapping[str, Any]

_PLACE = ("network", "subnet", "port", "fixed_ip", "tag", "allocate_network")
"""What tells one interface from another; the rest of an entry can be changed where it is."""


@dataclass(frozen=True, slots=True)
class Rewiring:
    """What leads from the interfaces that a server has to those that it shall have."""

    detached: tuple[str, ...]
    """Ids of ports."""
    attached: tuple[tuple[int, Network], ...]
    """Entries, each with its position in the list."""
    kept: tuple[tuple[Network, Network, str], ...]
    """Entries as they were and as they shall be, and the port of each."""


def allocation(networks: Sequence[Network] | None) -> str | None:
    """What is said in place of networks: `none`, `auto`, or nothing."""
    return next((str(one["allocate_network"]) for one in networks or () if one.get("allocate_network")), None)


def needs_own_port(network: Network) -> bool:
    """Whether a port is made before the server: Nova makes simple ones itself."""
    return not network.get("port") and bool(
        network.get("subnet") or network.get("port_extra_properties") is not None
    )


def port_body(network: Network, network_id: str, name: str, groups: Sequence[str]) -> Object:
    extras = network.get("port_extra_properties") or {}
    body: Object = {"name": name, "network_id": network_id, **port_extras(extras)}
    address = {
        **({"subnet_id": network["subnet"]} if network.get("subnet") else {}),
        **({"ip_address": network["fixed_ip"]} if network.get("fixed_ip") else {}),
    }
    if extras.get("no_fixed_ips"):
        body["fixed_ips"] = []
    elif address:
        body["fixed_ips"] = [address]
    if groups and body.get("port_security_enabled") is not False:
        body["security_groups"] = list(groups)
    return body


def port_extras(extras: Mapping[str, Any]) -> Object:
    """The members of a port that an entry's further properties stand for. QoS policies are ids by now."""
    names = (
        "admin_state_up",
        "mac_address",
        "binding:vnic_type",
        "port_security_enabled",
        "propagate_uplink_status",
    )
    found: Object = {name: extras[name] for name in names if extras.get(name) is not None}
    if extras.get("allowed_address_pairs") is not None:
        found["allowed_address_pairs"] = [
            {name: value for name, value in pair.items() if value is not None}
            for pair in extras["allowed_address_pairs"]
        ]
    if extras.get("qos_policy"):
        found["qos_policy_id"] = extras["qos_policy"]
    return {**found, **(extras.get("value_specs") or {})}


def entry(network: Network, port: str | None) -> Object:
    """What the request for a server says of an interface."""
    tag = {"tag": network["tag"]} if network.get("tag") else {}
    if port is not None:
        return {"port": port, **tag}
    address = {"fixed_ip": network["fixed_ip"]} if network.get("fixed_ip") else {}
    return {"uuid": network["network"], **address, **tag}


def attachment(network: Network, port: str | None) -> Object:
    """What the request for a further interface says."""
    tag = {"tag": network["tag"]} if network.get("tag") else {}
    if port is not None:
        return {"port_id": port, **tag}
    # Without a network, Nova takes the project's only one.
    place = {"net_id": network["network"]} if network.get("network") else {}
    address = {"fixed_ips": [{"ip_address": network["fixed_ip"]}]} if network.get("fixed_ip") else {}
    return {**place, **address, **tag}


def rewiring(
    before: Sequence[Network] | None,
    after: Sequence[Network] | None,
    present: Iterable[Object],
    own: Collection[str],
) -> Rewiring:
    """What has to be done, given the interfaces as Nova shows them now and the ports that were made for the server.
    Asked again half-way, it tells the rest."""
    if not before and not after:
        return Rewiring((), (), ())
    left = list(present)
    wanted: list[tuple[int, Network]] = [] if allocation(after) == "none" else list(enumerate(after or ({},)))
    going = [one for one in before or () if not one.get("allocate_network")]
    kept: list[tuple[Network, Network, str]] = []
    fresh: list[tuple[int, Network]] = []
    for position, network in wanted:
        same = next((one for one in going if _place(one) == _place(network)), None)
        found = _take(left, network, own) if same is not None else None
        if same is not None:
            going.remove(same)
        if found is not None:
            kept.append((same or {}, network, found))
        else:
            fresh.append((position, network))
    detached = [found for one in going if (found := _take(left, one, own)) is not None]
    attached: list[tuple[int, Network]] = []
    for position, network in fresh:
        found = _take(left, network, own) if network else None
        if found is not None:
            kept.append(({}, network, found))
        else:
            attached.append((position, network))
    detached += [str(one["port_id"]) for one in left]
    return Rewiring(tuple(detached), tuple(attached), tuple(kept))


def _place(network: Network) -> tuple[Any, ...]:
    return (*(network.get(name) or None for name in _PLACE), needs_own_port(network))


def _take(left: list[Object], network: Network, own: Collection[str]) -> str | None:
    """Takes the interface that an entry stands for out of those that are left."""
    for interface in left:
        made_here = interface.get("port_id") in own
        if _stands_for(network, interface) and made_here == needs_own_port(network):
            left.remove(interface)
            return str(interface["port_id"])
    return None


def _stands_for(network: Network, interface: Object) -> bool:
    if network.get("port"):
        return bool(network["port"] == interface.get("port_id"))
    if network.get("network") and network["network"] != interface.get("net_id"):
        return False
    addresses = interface.get("fixed_ips") or ()
    if network.get("fixed_ip") and network["fixed_ip"] not in [one.get("ip_address") for one in addresses]:
        return False
    return not network.get("subnet") or network["subnet"] in [one.get("subnet_id") for one in addresses]
