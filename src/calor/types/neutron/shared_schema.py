"""Shapes and rules that several types share."""

from collections.abc import Iterator

from calor.language.constraints import custom, one_of
from calor.language.schema import Problem, Property, supported
from calor.resources.values import Properties


def updated_by(**causes: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Attributes by name, each with the properties that can change it. `value_specs` can change anything."""
    return {name: (*properties, "value_specs") for name, properties in causes.items()}


TAGS = Property(
    list,
    "Tags in the network service. An update replaces all of them.",
    update_allowed=True,
    support=supported("9.0.0"),
    items=Property(str),
)

ROUTE = Property(
    dict,
    fields={
        "destination": Property(
            str,
            "The destination network in CIDR notation.",
            required=True,
            constraints=[custom("net_cidr")],
        ),
        "nexthop": Property(
            str,
            "The address of the router to hand that traffic to.",
            required=True,
            constraints=[custom("ip_addr")],
        ),
    },
)

IP_PROTOCOLS = one_of(
    *range(256),
    "ah",
    "dccp",
    "egp",
    "esp",
    "gre",
    "icmp",
    "icmpv6",
    "igmp",
    "ipv6-encap",
    "ipv6-frag",
    "ipv6-icmp",
    "ipv6-nonxt",
    "ipv6-opts",
    "ipv6-route",
    "ospf",
    "pgm",
    "rsvp",
    "sctp",
    "tcp",
    "udp",
    "udplite",
    "vrrp",
)

NETWORK_TYPES = one_of("local", "vlan", "vxlan", "gre", "geneve", "flat")

PORT_EXTRAS = {
    "value_specs": Property(
        dict,
        "Further attributes, passed unchanged to the network service, for its extensions.",
        default={},
        update_allowed=True,
    ),
    "admin_state_up": Property(
        bool, "False stops all traffic through the port.", default=True, update_allowed=True
    ),
    "mac_address": Property(
        str,
        "The port's hardware address. The network service picks one when it is left out.",
        constraints=[custom("mac_addr")],
    ),
    "allowed_address_pairs": Property(
        list,
        "Addresses besides its own that the port may send from: for a virtual address that moves between "
        "servers, or a server that forwards for others.",
        update_allowed=True,
        items=Property(
            dict,
            fields={
                "mac_address": Property(
                    str,
                    "The hardware address that belongs to it; the port's own when left out.",
                    constraints=[custom("mac_addr")],
                ),
                "ip_address": Property(
                    str,
                    "An address, or a range of them in CIDR notation.",
                    required=True,
                    constraints=[custom("ip_or_cidr")],
                ),
            },
        ),
    ),
    "binding:vnic_type": Property(
        str,
        "How a server is connected to the port: normal goes through the host's virtual switch, direct, "
        "macvtap, direct-physical and virtio-forwarder use a network card of the host (SR-IOV) or a part "
        "of it, baremetal and smart-nic are for physical servers.",
        default="normal",
        update_allowed=True,
        constraints=[
            one_of(
                "normal", "direct", "macvtap", "direct-physical", "baremetal", "virtio-forwarder", "smart-nic"
            )
        ],
        support=supported("2015.1"),
    ),
    "port_security_enabled": Property(
        bool,
        "False disables security groups and lets the port send from any address. By default, the setting "
        "of the network applies.",
        update_allowed=True,
        support=supported("5.0.0"),
    ),
    "qos_policy": Property(
        str,
        "The QoS policy, by name or id, whose limits hold for the port in place of the network's.",
        update_allowed=True,
        constraints=[custom("neutron.qos_policy")],
        support=supported("6.0.0"),
    ),
    "propagate_uplink_status": Property(
        bool,
        "Whether a port on a network card of the host (SR-IOV) goes down when the card loses its link.",
        update_allowed=True,
        support=supported("15.0.0"),
    ),
    "no_fixed_ips": Property(
        bool,
        "True gives the port no address, even though its network has subnets. Excludes fixed_ips.",
        default=False,
        update_allowed=True,
        support=supported("16.0.0"),
    ),
}


class ValueSpecsAddOnly:
    """value_specs are for what a type has no property for."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        specs = given.get("value_specs")
        if not isinstance(specs, dict):
            return
        clashes = sorted(specs.keys() & {"shared", "tenant_id", *given})
        if clashes:
            yield Problem("StackValidationFailed", f"value_specs must not set {', '.join(clashes)}")
