from __future__ import annotations

from collections.abc import Iterator

from calor.language.constraints import custom
from calor.language.schema import (
    SHOW,
    Attribute,
    Peer,
    Peers,
    Property,
    Replace,
    Requires,
    Resolve,
    deprecated,
    hidden,
    supported,
)
from calor.resources.context import Context
from calor.resources.values import Properties
from calor.types.cloud_objects import Object
from calor.types.neutron.network_object import NetworkObject
from calor.types.neutron.networks import implied_dependencies
from calor.types.neutron.shared_schema import updated_by

TARGET = frozenset({"port_id", "fixed_ip_address"})


class FloatingIP(NetworkObject):
    """An address of an external network, which can lead to a port inside and be moved to another.

    With port_id it leads there from the start; without, it is only reserved, for an
    OS::Neutron::FloatingIPAssociation. A router must join the port's subnet to the external network: when the
    template makes that connection, the floating IP waits for it.
    """

    type_name = "OS::Neutron::FloatingIP"
    collection = ("floatingips",)
    wrapper = "floatingip"
    # Associations apart from it lead it elsewhere.
    volatile = True
    members = {"floating_network": "floating_network_id", "floating_subnet": "subnet_id"}
    likened = ("floating_network_id", "port_id", "floating_ip_address")
    properties = {
        "floating_network_id": Property(
            str,
            "Use floating_network.",
            constraints=[custom("neutron.network")],
            support=hidden("5.0.0", deprecated("2014.2")),
        ),
        "floating_network": Property(
            str,
            "The external network, by name or id, to get the address of.",
            required=True,
            constraints=[custom("neutron.network")],
            support=supported("2014.2"),
        ),
        "floating_subnet": Property(
            str,
            "The subnet of the external network, by name or id, to get the address of. Any when left out.",
            constraints=[custom("neutron.subnet")],
            support=supported("9.0.0"),
        ),
        "value_specs": Property(
            dict,
            "Further attributes, passed unchanged to the network service, for its extensions.",
            default={},
        ),
        "port_id": Property(
            str,
            "The id of the port that it leads to. By default, it leads nowhere yet.",
            update_allowed=True,
            constraints=[custom("neutron.port")],
        ),
        "fixed_ip_address": Property(
            str,
            "The port's address to map to, if there are several. Needs port_id.",
            update_allowed=True,
            constraints=[custom("ip_addr")],
        ),
        "floating_ip_address": Property(
            str,
            "The very address to have, which may be for administrators only. Any free one when left out.",
            constraints=[custom("ip_addr")],
            support=supported("5.0.0"),
        ),
        "dns_name": Property(
            str,
            "The host name under which the address is published. Needs the DNS extension.",
            update_allowed=True,
            constraints=[custom("rel_dns_name")],
            support=supported("7.0.0"),
        ),
        "dns_domain": Property(
            str,
            "The domain that dns_name is put in.",
            update_allowed=True,
            constraints=[custom("dns_domain")],
            support=supported("7.0.0"),
        ),
    }
    attributes = {
        "router_id": Attribute(str, "The id of the router for it; null if it is not associated."),
        "tenant_id": Attribute(str, "The id of the project that owns it."),
        "floating_network_id": Attribute(
            str, "The id of the external network, also when the template names it."
        ),
        "fixed_ip_address": Attribute(str, "The inner address that it leads to at present.", live=True),
        "floating_ip_address": Attribute(str, "The outer address, which is what users connect to."),
        "port_id": Attribute(str, "The id of the port that it leads to at present.", live=True),
        "show": SHOW,
    }
    stable_attributes = updated_by(
        tenant_id=(),
        floating_network_id=(),
        fixed_ip_address=("port_id", "fixed_ip_address"),
        floating_ip_address=(),
        port_id=("port_id",),
    )
    translations = [
        Replace(("floating_network",), source=("floating_network_id",)),
        Resolve(("floating_network",), "neutron.network"),
        Resolve(("floating_subnet",), "neutron.subnet"),
    ]
    rules = [Requires("fixed_ip_address", "port_id")]

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """Everything between the external network and the port is created first."""
        network = me.value("floating_network")
        for gateway in peers.having("OS::Neutron::RouterGateway", "network", network):
            yield gateway.name
        for router in peers.of_type("OS::Neutron::Router"):
            way_out = router.value("external_gateway_info")
            if way_out and way_out.get("network") == network:
                yield router.name
        port = implied_dependencies.find_port(peers, me.value("port_id"))
        if port is None:
            return
        subnets = implied_dependencies.subnets_of_port(port)
        for subnet in dict.fromkeys(subnets):
            yield from implied_dependencies.interfaces_to(peers, subnet)
        if not subnets:
            # The port may end up on any subnet.
            for interface in peers.of_type("OS::Neutron::RouterInterface"):
                yield interface.name

    @classmethod
    async def change(cls, ctx: Context, props: Properties, changed: frozenset[str]) -> Object:
        return await super().change(ctx, props, changed | TARGET if changed & TARGET else changed)
