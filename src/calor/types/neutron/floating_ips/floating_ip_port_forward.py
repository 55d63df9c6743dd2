from __future__ import annotations

from collections.abc import Iterator

from calor.language.constraints import custom, one_of, range_
from calor.language.schema import Peer, Peers, Property, Resolve, supported
from calor.types.neutron.network_subobject import PartType
from calor.types.neutron.networks import implied_dependencies


class FloatingIPPortForward(PartType):
    type_name = "OS::Neutron::FloatingIPPortForward"
    support = supported("19.0.0")
    service = "openstack"
    extension = "floating-ip-port-forwarding"
    collection = ("floatingips",)
    wrapper = "port_forwarding"
    plural = "port_forwardings"
    whole = "floating_ip"
    members = {"internal_port": "internal_port_id", "internal_port_number": "internal_port"}
    likened = ("external_port", "protocol")
    properties = {
        "internal_ip_address": Property(
            str, required=True, update_allowed=True, constraints=[custom("ip_addr")]
        ),
        "internal_port_number": Property(int, update_allowed=True, constraints=[range_(1, 65535)]),
        "external_port": Property(int, required=True, update_allowed=True, constraints=[range_(1, 65535)]),
        "internal_port": Property(
            str, required=True, update_allowed=True, constraints=[custom("neutron.port")]
        ),
        "protocol": Property(
            str,
            required=True,
            update_allowed=True,
            constraints=[one_of("tcp", "udp", "icmp", "icmp6", "sctp", "dccp")],
        ),
        "floating_ip": Property(str, required=True),
    }
    translations = [
        Resolve(("floating_ip",), "neutron.floatingip"),
        Resolve(("internal_port",), "neutron.port"),
    ]

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        return implied_dependencies.first_address_dependencies(peers, me.value("internal_port"))
