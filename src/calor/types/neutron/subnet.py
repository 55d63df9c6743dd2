from calor.language.constraints import custom, one_of, range_
from calor.language.schema import SHOW, Attribute, Property, Replace, Resolve, deprecated, hidden, supported
from calor.types.neutron.base import NeutronType
from calor.types.neutron.common import ROUTE, TAGS


class Subnet(NeutronType):
    type_name = "OS::Neutron::Subnet"
    entity = "subnet"
    properties = {
        "network_id": Property(
            str, constraints=[custom("neutron.network")], support=hidden("5.0.0", deprecated("2014.2"))
        ),
        "network": Property(
            str, required=True, constraints=[custom("neutron.network")], support=supported("2014.2")
        ),
        "subnetpool": Property(str, constraints=[custom("neutron.subnetpool")], support=supported("6.0.0")),
        "prefixlen": Property(int, constraints=[range_(min=0)], support=supported("6.0.0")),
        "cidr": Property(str, constraints=[custom("net_cidr")]),
        "value_specs": Property(dict, default={}, update_allowed=True),
        "name": Property(str, update_allowed=True),
        "ip_version": Property(int, default=4, constraints=[one_of(4, 6)]),
        "dns_nameservers": Property(list, default=[], update_allowed=True),
        "gateway_ip": Property(str, update_allowed=True),
        "enable_dhcp": Property(bool, default=True, update_allowed=True),
        "allocation_pools": Property(
            list,
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "start": Property(str, required=True, constraints=[custom("ip_addr")]),
                    "end": Property(str, required=True, constraints=[custom("ip_addr")]),
                },
            ),
        ),
        "tenant_id": Property(str),
        "host_routes": Property(list, update_allowed=True, items=ROUTE),
        "ipv6_ra_mode": Property(
            str,
            constraints=[one_of("dhcpv6-stateful", "dhcpv6-stateless", "slaac")],
            support=supported("2015.1"),
        ),
        "ipv6_address_mode": Property(
            str,
            constraints=[one_of("dhcpv6-stateful", "dhcpv6-stateless", "slaac")],
            support=supported("2015.1"),
        ),
        "segment": Property(
            str,
            update_allowed=True,
            constraints=[custom("neutron.segment")],
            support=supported("11.0.0", supported("9.0.0")),
        ),
        "tags": TAGS,
    }
    attributes = {
        "name": Attribute(str),
        "network_id": Attribute(str),
        "tenant_id": Attribute(str),
        "allocation_pools": Attribute(list),
        "gateway_ip": Attribute(str),
        "host_routes": Attribute(list),
        "ip_version": Attribute(str),
        "cidr": Attribute(str),
        "dns_nameservers": Attribute(list),
        "enable_dhcp": Attribute(str),
        "show": SHOW,
    }
    translations = [
        Replace(("network",), source=("network_id",)),
        Resolve(("network",), "find_resourceid_by_name_or_id", "network"),
        Resolve(("subnetpool",), "find_resourceid_by_name_or_id", "subnetpool"),
        Resolve(("segment",), "find_network_segment"),
    ]
