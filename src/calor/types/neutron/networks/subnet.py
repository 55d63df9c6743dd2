from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator

from calor.language.constraints import custom, one_of, range_
from calor.language.schema import (
    SHOW,
    Attribute,
    Problem,
    Property,
    Replace,
    Resolve,
    deprecated,
    hidden,
    supported,
)
from calor.language.values import Unknown, bare
from calor.resources.context import Context
from calor.resources.values import Properties
from calor.types.cloud_objects import Object
from calor.types.neutron.network_object import NetworkObject
from calor.types.neutron.shared_schema import ROUTE, TAGS, updated_by

NO_GATEWAY = ("", "~")
ANY_GATEWAY = (None, "auto")


class AddressRange:
    """A subnet's range is either given or taken from a pool."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        cidr, pool = given.get("cidr"), given.get("subnetpool")
        if bare(cidr):
            if pool is not None:
                yield Problem("ResourcePropertyConflict", "subnetpool and cidr are mutually exclusive")
            if bare(given.get("prefixlen")):
                yield Problem("ResourcePropertyConflict", "prefixlen is for a subnetpool: cidr has its own")
        elif pool is None and not isinstance(cidr, Unknown):
            yield Problem("PropertyUnspecifiedError", "one of subnetpool, cidr must be given")


class AddressModes:
    """Both modes are of IPv6, and have to agree."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        modes = [given.get("ipv6_ra_mode"), given.get("ipv6_address_mode")]
        seen = {mode for mode in modes if isinstance(mode, str) and mode}
        if given.get("ip_version") == 4 and any(map(bare, modes)):
            yield Problem("StackValidationFailed", "ipv6_ra_mode and ipv6_address_mode need ip_version 6")
        elif len(seen) > 1:
            yield Problem("StackValidationFailed", "ipv6_ra_mode and ipv6_address_mode differ")


class GatewayAddress:
    """Besides an address, the gateway may be one of the words for none and for any."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        gateway = given.get("gateway_ip")
        if (
            isinstance(gateway, str)
            and gateway not in (*NO_GATEWAY, *ANY_GATEWAY)
            and not is_address(gateway)
        ):
            yield Problem("StackValidationFailed", f"gateway_ip {gateway!r} is not an IP address")


def is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return is_short_address(text)
    return True


def is_short_address(text: str) -> bool:
    """Tells whether it is an IPv4 address in one of the old forms, such as 10.1 for 10.0.0.1."""
    try:
        socket.inet_aton(text)
    except OSError:
        return False
    # What follows a space is not looked at.
    return not any(map(str.isspace, text))


class Subnet(NetworkObject):
    """A range of addresses on a network, with the settings for its ports: gateway, name servers, routes.

    A network may have several, of both IP versions. The range is given as cidr, or carved out of a
    subnetpool.
    """

    type_name = "OS::Neutron::Subnet"
    collection = ("subnets",)
    wrapper = "subnet"
    unwatched = frozenset({"gateway_ip"})
    members = {"network": "network_id", "subnetpool": "subnetpool_id", "segment": "segment_id"}
    likened = ("network_id",)
    properties = {
        "network_id": Property(
            str,
            "Use network.",
            constraints=[custom("neutron.network")],
            support=hidden("5.0.0", deprecated("2014.2")),
        ),
        "network": Property(
            str,
            "The network, by name or id, that the addresses are for.",
            required=True,
            constraints=[custom("neutron.network")],
            support=supported("2014.2"),
        ),
        "subnetpool": Property(
            str,
            "The pool, by name or id, to allocate a range from. Excludes cidr.",
            constraints=[custom("neutron.subnetpool")],
            support=supported("6.0.0"),
        ),
        "prefixlen": Property(
            int,
            "The prefix length of the range to allocate from the subnetpool. By default, it is the "
            "pool's default.",
            constraints=[range_(min=0)],
            support=supported("6.0.0"),
        ),
        "cidr": Property(
            str,
            "The range in CIDR notation, such as 10.1.0.0/24. It must not overlap with other subnets of the "
            "network.",
            constraints=[custom("net_cidr")],
        ),
        "value_specs": Property(
            dict,
            "Further attributes, passed unchanged to the network service, for its extensions.",
            default={},
            update_allowed=True,
        ),
        "name": Property(
            str, "Generated from the names of the stack and the resource by default.", update_allowed=True
        ),
        "ip_version": Property(int, "It must be that of the cidr.", default=4, constraints=[one_of(4, 6)]),
        "dns_nameservers": Property(
            list,
            "Addresses of the name servers announced by DHCP. Left out or empty, it is the network "
            "service's own.",
            default=[],
            update_allowed=True,
        ),
        "gateway_ip": Property(
            str,
            "The address announced as way out, which a router takes that joins the subnet. Left out or "
            "auto, it is the first address of the range; null or empty means no gateway. In an update auto "
            "changes nothing, and a missing gateway is removed.",
            update_allowed=True,
        ),
        "enable_dhcp": Property(
            bool,
            "False leaves it to the servers to configure their addresses.",
            default=True,
            update_allowed=True,
        ),
        "allocation_pools": Property(
            list,
            "The parts of the range from which ports get addresses by themselves; the rest is had by asking "
            "for it. By default, it is the whole range but the gateway.",
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "start": Property(
                        str, "The lowest address of the part.", required=True, constraints=[custom("ip_addr")]
                    ),
                    "end": Property(
                        str,
                        "The highest address of the part, itself included.",
                        required=True,
                        constraints=[custom("ip_addr")],
                    ),
                },
            ),
        ),
        "tenant_id": Property(
            str, "The project to own the subnet, the stack's own by default. Others are for administrators."
        ),
        "host_routes": Property(
            list,
            "Routes announced by DHCP, in addition to the one through the gateway.",
            update_allowed=True,
            items=ROUTE,
        ),
        "ipv6_ra_mode": Property(
            str,
            "How the router's announcements make servers find their address: by slaac, or by DHCPv6 "
            "for the address (stateful) or only the rest (stateless). By default, nothing is announced.",
            constraints=[one_of("dhcpv6-stateful", "dhcpv6-stateless", "slaac")],
            support=supported("2015.1"),
        ),
        "ipv6_address_mode": Property(
            str,
            "How addresses are assigned, with the meanings of ipv6_ra_mode. When both are given they must "
            "agree.",
            constraints=[one_of("dhcpv6-stateful", "dhcpv6-stateless", "slaac")],
            support=supported("2015.1"),
        ),
        "segment": Property(
            str,
            "The segment of a routed network that the range is for. It can be added later, but not changed.",
            update_allowed=True,
            constraints=[custom("neutron.segment")],
            support=supported("11.0.0", supported("9.0.0")),
        ),
        "tags": TAGS,
    }
    attributes = {
        "name": Attribute(str, "The name, including a generated one."),
        "network_id": Attribute(str, "The id of the network, also when the template names it."),
        "tenant_id": Attribute(str, "The id of the project that owns it."),
        "allocation_pools": Attribute(list, "The ranges ports get addresses from: maps of start and end."),
        "gateway_ip": Attribute(str, "The gateway's address, chosen or given; null without one."),
        "host_routes": Attribute(list, "The routes announced: maps of destination and nexthop."),
        "ip_version": Attribute(str, "4 or 6."),
        "cidr": Attribute(str, "The range, also when it was taken from a pool."),
        "dns_nameservers": Attribute(list, "The name servers announced."),
        "enable_dhcp": Attribute(str, "Whether DHCP serves the subnet."),
        "show": SHOW,
    }
    stable_attributes = updated_by(
        name=("name",),
        network_id=(),
        tenant_id=(),
        allocation_pools=("allocation_pools",),
        gateway_ip=("gateway_ip",),
        host_routes=("host_routes",),
        ip_version=(),
        cidr=(),
        dns_nameservers=("dns_nameservers",),
        enable_dhcp=("enable_dhcp",),
    )
    translations = [
        Replace(("network",), source=("network_id",)),
        Resolve(("network",), "neutron.network"),
        Resolve(("subnetpool",), "neutron.subnetpool"),
        Resolve(("segment",), "neutron.segment"),
    ]
    rules = [AddressRange(), AddressModes(), GatewayAddress()]

    @classmethod
    def matches(cls, shown: Object, body: Object) -> bool:
        """The service has set the bits of the host to zero."""
        if not super().matches(shown, body):
            return False
        wanted = body.get("cidr")
        return not wanted or ipaddress.ip_network(wanted, strict=False) == ipaddress.ip_network(shown["cidr"])

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        return _with_gateway(await super().new(ctx, props), props["gateway_ip"])

    @classmethod
    async def change(cls, ctx: Context, props: Properties, changed: frozenset[str]) -> Object:
        body = await super().change(ctx, props, changed)
        if "gateway_ip" not in changed:
            return body
        # Any gateway would do for a new subnet; one that is no longer given is taken away.
        return _with_gateway(body, "" if props["gateway_ip"] is None else props["gateway_ip"])


def _with_gateway(body: Object, gateway: str | None) -> Object:
    """Without a gateway in the request, the service chooses one for a new subnet and keeps that of an existing one."""
    rest = {name: value for name, value in body.items() if name != "gateway_ip"}
    if gateway in ANY_GATEWAY:
        return rest
    return {**rest, "gateway_ip": None if gateway in NO_GATEWAY else gateway}
