"""The networks of a server: requests to Nova, and changes when the template changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from calor.resources.values import JsonMapping
from calor.types.cloud_objects import Object

Network = JsonMapping

_PLACE = ("network", "subnet", "port", "fixed_ip", "tag", "allocate_network")
"""The keys that distinguish the entries of interfaces."""


@dataclass(frozen=True, slots=True)
class InterfaceChanges:
    """The changes from the interfaces that a server has to the wanted ones."""

    detached: tuple[str, ...]
    """Ids of ports."""
    attached: tuple[tuple[int, Network], ...]
    """Entries, each with its position in the list."""
    kept: tuple[tuple[Network, Network, str], ...]
    """Entries before and after, and the port of each."""


def allocation(networks: Sequence[Network] | None) -> str | None:
    """A keyword in place of networks: `none`, `auto`, or nothing."""
    return next((str(one["allocate_network"]) for one in networks or () if one.get("allocate_network")), None)


def needs_own_port(network: Network) -> bool:
    """Whether a port is created before the server: Nova creates simple ones itself."""
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
    if _is_without_address(network):
        body["fixed_ips"] = []
    elif address:
        body["fixed_ips"] = [address]
    if groups and body.get("port_security_enabled") is not False:
        body["security_groups"] = list(groups)
    return body


def port_extras(extras: JsonMapping) -> Object:
    """The members of a port for the extra properties of an entry. QoS policies are already ids."""
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
    """An interface in the request for a server."""
    tag = {"tag": network["tag"]} if network.get("tag") else {}
    if port is not None:
        return {"port": port, **tag}
    address = {"fixed_ip": network["fixed_ip"]} if network.get("fixed_ip") else {}
    return {"uuid": network["network"], **address, **tag}


def attachment(network: Network, port: str | None) -> Object:
    """The request for attaching an interface."""
    tag = {"tag": network["tag"]} if network.get("tag") else {}
    if port is not None:
        return {"port_id": port, **tag}
    # Without a network, Nova uses the project's only one.
    place = {"net_id": network["network"]} if network.get("network") else {}
    address = {"fixed_ips": [{"ip_address": network["fixed_ip"]}]} if network.get("fixed_ip") else {}
    return {**place, **address, **tag}


def plan_interfaces(
    before: Sequence[Network] | None, after: Sequence[Network] | None, present: Iterable[Object]
) -> InterfaceChanges:
    """The required changes, given the interfaces that Nova shows. An interface is kept if it matches any entry. Called
    again half-way, returns the remaining changes."""
    if not before and not after:
        return InterfaceChanges((), (), ())
    left = list(present)
    origins = _origins([one for one in before or () if not one.get("allocate_network")], left)
    unchanged = [_place(origin) for origin in origins.values()]
    wanted: list[tuple[int, Network]] = [] if allocation(after) == "none" else list(enumerate(after or ({},)))
    # The choosiest choose first, and of those the ones that can have what they had.
    wanted.sort(key=lambda one: (_choice(one[1]), _place(one[1]) not in unchanged))
    kept: list[tuple[Network, Network, str]] = []
    attached: list[tuple[int, Network]] = []
    for position, network in wanted:
        fitting = [one for one in left if _can_become(origins.get(one["port_id"]), network, one)]
        if fitting:
            chosen = min(fitting, key=lambda one: _place(origins.get(one["port_id"], {})) != _place(network))
            left.remove(chosen)
            port = str(chosen["port_id"])
            kept.append((origins.get(port, {}), network, port))
        else:
            attached.append((position, network))
    detached = tuple(str(one["port_id"]) for one in left)
    return InterfaceChanges(detached, tuple(sorted(attached, key=lambda one: one[0])), tuple(kept))


def _origins(entries: Sequence[Network], present: Sequence[Object]) -> dict[str, Network]:
    """The entries of interfaces, by the ids of their ports."""
    found: dict[str, Network] = {}
    for entry in sorted(entries, key=_choice):
        fitting = (str(one["port_id"]) for one in present if matches_entry(entry, one))
        port = next((port for port in fitting if port not in found), None)
        if port is not None:
            found[port] = entry
    return found


def _choice(network: Network) -> int:
    """How many interfaces an entry can choose from, as an order of magnitude."""
    kinds = ("port", "fixed_ip", "subnet", "network")
    return next((rank for rank, kind in enumerate(kinds) if network.get(kind)), len(kinds))


def _place(network: Network) -> tuple[object, ...]:
    return tuple(network.get(name) or None for name in _PLACE)


def _can_become(origin: Network | None, network: Network, interface: Object) -> bool:
    """Whether an interface can be used for another entry than the one that it was created for."""
    if not matches_entry(network, interface):
        return False
    if origin is None or network.get("port"):
        return True
    # The port of an entry may go with its resource; and of any network, Nova chooses one.
    if origin.get("port") or _choice(network) == _choice({}):
        return False
    addressed = not _is_without_address(origin) or _is_without_address(network)
    return addressed and (origin.get("tag") or None) == (network.get("tag") or None)


def _is_without_address(network: Network) -> bool:
    return bool((network.get("port_extra_properties") or {}).get("no_fixed_ips"))


def matches_entry(network: Network, interface: Object) -> bool:
    """Whether an interface, as Nova shows it, matches an entry."""
    if network.get("port"):
        return bool(network["port"] == interface.get("port_id"))
    if network.get("network") and network["network"] != interface.get("net_id"):
        return False
    addresses = interface.get("fixed_ips") or ()
    if network.get("fixed_ip") and network["fixed_ip"] not in [one.get("ip_address") for one in addresses]:
        return False
    return not network.get("subnet") or network["subnet"] in [one.get("subnet_id") for one in addresses]
