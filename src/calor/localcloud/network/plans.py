"""Plans for the backend, derived from the store."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import cache
from ipaddress import ip_network

from calor.localcloud.backend import (
    Address,
    Leg,
    NetworkPlan,
    Permission,
    PortPlan,
    RouterPlan,
    SubnetPlan,
)
from calor.localcloud.network.records import COMPUTE, Port, Records, SecurityGroupRule, by_id

log = logging.getLogger("calor.localcloud")

_MOST_REMOTES = 100_000
"""Remote addresses in all permissions of one port."""


class Planner:
    """Creates plans, and reads shared data only once."""

    def __init__(self, records: Records, *, permissions: bool = True) -> None:
        """Without `permissions` ports have none: those of a group are read from all of its members."""
        self._records = records
        self._with_permissions = permissions
        self._subnet = cache(records.subnets.get)
        self._network = cache(records.networks.get)
        self._addresses = cache(self._read_addresses)
        self._permissions = cache(self._read_permissions)

    def network(self, id: str) -> NetworkPlan | None:
        network = self._network(id)
        if network is None:
            return None
        subnets = self._records.subnets.find(network_id=id)
        return NetworkPlan(
            id,
            tuple(SubnetPlan(subnet.cidr, subnet.gateway_ip) for subnet in subnets),
            external=network.external,
            mtu=network.mtu,
        )

    def router(self, id: str) -> RouterPlan | None:
        records = self._records
        router = records.routers.get(id)
        if router is None:
            return None
        ports = records.ports.find(device_id=id)
        legs = [leg for port in ports if router.has_interface(port) for leg in self._legs(port)]
        gateways = [leg for port in ports if port.id == router.gateway_port_id for leg in self._legs(port)]
        gateway = next((leg for leg in gateways if ":" not in leg.address), next(iter(gateways), None))
        return RouterPlan(
            id,
            tuple(legs),
            gateway=gateway,
            next_hop=self._next_hop(ports, gateway),
            masquerades=router.enable_snat,
            floating=tuple(
                (each.floating_ip_address, each.fixed_ip_address)
                for each in records.floating_ips.find(router_id=id)
                if each.fixed_ip_address
            ),
            routes=_pairs(router.routes),
        )

    def server_port(self, id: str) -> PortPlan | None:
        """None if the port has no server."""
        port = self._records.ports.get(id)
        return self.port(port) if port and port.device_owner.startswith(COMPUTE) else None

    def port(self, port: Port) -> PortPlan:
        network = self._network(port.network_id)
        subnets = [
            subnet for fixed in port.fixed_ips if (subnet := self._subnet(fixed["subnet_id"])) is not None
        ]
        return PortPlan(
            port.id,
            port.network_id,
            port.mac_address,
            tuple(
                Address(fixed["ip_address"], ip_network(subnet.cidr).prefixlen, subnet.gateway_ip)
                for fixed, subnet in zip(port.fixed_ips, subnets, strict=True)
            ),
            name_servers=tuple(dict.fromkeys(s for subnet in subnets for s in subnet.dns_nameservers)),
            routes=tuple(route for subnet in subnets for route in _pairs(subnet.host_routes)),
            guarded=port.port_security_enabled,
            permissions=tuple(
                _limited(port, [each for group in port.security_groups for each in self._permissions(group)])
            ),
            further_sources=tuple(pair["ip_address"] for pair in port.allowed_address_pairs),
            up=port.admin_state_up and (network is None or network.admin_state_up),
            mtu=network.mtu if network else 1500,
        )

    def members(self, group_id: str) -> Iterable[str]:
        """The ports in a security group."""
        return [each.port_id for each in self._records.memberships.find(group_id=group_id)]

    def ports_referring_to(self, group_id: str) -> Iterable[str]:
        """The ports in groups that have a rule which names the group."""
        rules = self._records.rules.find(remote_group_id=group_id)
        groups = dict.fromkeys(rule.security_group_id for rule in rules)
        return [port_id for group in groups for port_id in self.members(group)]

    def server_ports_on(self, network_id: str) -> Iterable[str]:
        ports = self._records.ports.find(network_id=network_id)
        return [port.id for port in ports if port.device_owner.startswith(COMPUTE)]

    def _legs(self, port: Port) -> Iterable[Leg]:
        for fixed in port.fixed_ips:
            if subnet := self._subnet(fixed["subnet_id"]):
                prefix = ip_network(subnet.cidr).prefixlen
                yield Leg(port.id, port.network_id, port.mac_address, fixed["ip_address"], prefix)

    def _next_hop(self, ports: Iterable[Port], gateway: Leg | None) -> str | None:
        for port in ports:
            for fixed in port.fixed_ips:
                if gateway and fixed["ip_address"] == gateway.address and port.id == gateway.port_id:
                    subnet = self._subnet(fixed["subnet_id"])
                    return subnet.gateway_ip if subnet else None
        return None

    def _read_permissions(self, group_id: str) -> tuple[Permission, ...]:
        if not self._with_permissions:
            return ()
        rules = self._records.rules.find(security_group_id=group_id)
        return tuple(self._permission(rule) for rule in rules)

    def _permission(self, rule: SecurityGroupRule) -> Permission:
        family = 4 if rule.ethertype == "IPv4" else 6
        return Permission(rule.direction, family, rule.protocol, _ports_of(rule), self._remotes(rule, family))

    def _remotes(self, rule: SecurityGroupRule, family: int) -> tuple[str, ...] | None:
        if rule.remote_group_id:
            return self._addresses(rule.remote_group_id, family)
        if rule.remote_address_group_id:
            group = self._records.address_groups.get(rule.remote_address_group_id)
            return tuple(each for each in (group.addresses if group else ()) if _is_of(each, family))
        return (rule.remote_ip_prefix,) if rule.remote_ip_prefix else None

    def _read_addresses(self, group_id: str, family: int) -> tuple[str, ...]:
        """All source addresses of members of the group."""
        ports = by_id(self._records.ports, set(self.members(group_id))).values()
        own = [fixed["ip_address"] for port in ports for fixed in port.fixed_ips]
        pairs = [pair["ip_address"] for port in ports for pair in port.allowed_address_pairs]
        return tuple(dict.fromkeys(each for each in (*own, *pairs) if _is_of(each, family)))


def _limited(port: Port, permissions: Iterable[Permission]) -> Iterable[Permission]:
    """As many of the permissions as a backend is given for one port. Each rule repeats the addresses of its remote
    group, whose members are limited by a quota only."""
    left = _MOST_REMOTES
    for permission in permissions:
        left -= len(permission.remotes or ())
        if left < 0:
            log.warning("Rules of port %s name too many remote addresses: some do not apply", port.id)
            return
        yield permission


def _is_of(address: str, family: int) -> bool:
    return (":" in address) == (family == 6)


def _pairs(routes: Iterable[dict[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((route["destination"], route["nexthop"]) for route in routes)


def _ports_of(rule: SecurityGroupRule) -> tuple[int, int] | None:
    if rule.port_range_min is None:
        return None
    if rule.protocol and "icmp" in rule.protocol:
        return rule.port_range_min, -1 if rule.port_range_max is None else rule.port_range_max
    most = rule.port_range_max
    return rule.port_range_min, rule.port_range_min if most is None else most
