"""Shapes that several types share."""

from calor.language.constraints import custom, one_of
from calor.language.schema import Property, supported

TAGS = Property(list, update_allowed=True, support=supported("9.0.0"), items=Property(str))

ROUTE = Property(
    dict,
    fields={
        "destination": Property(str, required=True, constraints=[custom("net_cidr")]),
        "nexthop": Property(str, required=True, constraints=[custom("ip_addr")]),
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
    "value_specs": Property(dict, default={}, update_allowed=True),
    "admin_state_up": Property(bool, default=True, update_allowed=True),
    "mac_address": Property(str, constraints=[custom("mac_addr")]),
    "allowed_address_pairs": Property(
        list,
        update_allowed=True,
        items=Property(
            dict,
            fields={
                "mac_address": Property(str, constraints=[custom("mac_addr")]),
                "ip_address": Property(str, required=True, constraints=[custom("ip_or_cidr")]),
            },
        ),
    ),
    "binding:vnic_type": Property(
        str,
        default="normal",
        update_allowed=True,
        constraints=[
            one_of(
                "normal", "direct", "macvtap", "direct-physical", "baremetal", "virtio-forwarder", "smart-nic"
            )
        ],
        support=supported("2015.1"),
    ),
    "port_security_enabled": Property(bool, update_allowed=True, support=supported("5.0.0")),
    "qos_policy": Property(
        str, update_allowed=True, constraints=[custom("neutron.qos_policy")], support=supported("6.0.0")
    ),
    "propagate_uplink_status": Property(bool, update_allowed=True, support=supported("15.0.0")),
    "no_fixed_ips": Property(bool, default=False, update_allowed=True, support=supported("16.0.0")),
}
