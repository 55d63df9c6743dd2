from __future__ import annotations

from collections.abc import Iterator

from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Problem, Property, Resolve, supported
from calor.language.values import bare
from calor.resources.values import Properties
from calor.types.neutron.networks.network_base import NetworkType
from calor.types.neutron.shared_schema import NETWORK_TYPES


class FitsNetworkType:
    """Not every kind of network has a number, nor a physical network below it."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        kind = bare(given.get("network_type"))
        if bare(given.get("segmentation_id")) and kind in ("local", "flat"):
            yield Problem("StackValidationFailed", f"a {kind} network has no segmentation_id")
        if bare(given.get("physical_network")) and kind in ("vxlan", "gre", "geneve", "local"):
            yield Problem("StackValidationFailed", f"a {kind} network has no physical_network")


class ProviderNet(NetworkType):
    """A network that is bound to one of the data centre's own, such as a certain VLAN.

    They are created by administrators, often as shared or external networks. For an ordinary
    network use OS::Neutron::Net.
    """

    type_name = "OS::Neutron::ProviderNet"
    support = supported("2014.1")
    extension = "provider"
    members = {
        "network_type": "provider:network_type",
        "physical_network": "provider:physical_network",
        "segmentation_id": "provider:segmentation_id",
        "router_external": "router:external",
    }
    properties = {
        "name": Property(
            str, "Generated from the names of the stack and the resource by default.", update_allowed=True
        ),
        "network_type": Property(
            str,
            "How its packets travel: untagged (flat) or tagged (vlan) on a physical network, in a tunnel "
            "(vxlan, gre, geneve), or within one host only (local).",
            required=True,
            update_allowed=True,
            constraints=[NETWORK_TYPES],
        ),
        "physical_network": Property(
            str,
            "The physical network below, by the name it has in the network service's configuration. For flat "
            "and vlan.",
            update_allowed=True,
        ),
        "segmentation_id": Property(
            str,
            "The VLAN's or tunnel's number. By default, the network service takes a free one; flat and local "
            "networks have none.",
            update_allowed=True,
        ),
        "admin_state_up": Property(
            bool, "False stops all traffic on the network.", default=True, update_allowed=True
        ),
        "shared": Property(
            bool, "Whether every project may attach to the network.", default=True, update_allowed=True
        ),
        "port_security_enabled": Property(
            bool,
            "The default for ports: False disables security groups and lets ports send from any address.",
            update_allowed=True,
            support=supported("8.0.0"),
        ),
        "router_external": Property(
            bool,
            "True makes it an external network: routers can have their gateway on it, and it has floating "
            "IPs.",
            default=False,
            update_allowed=True,
            support=supported("6.0.0"),
        ),
        "tags": Property(
            list,
            "Tags in the network service. An update replaces all of them.",
            update_allowed=True,
            support=supported("12.0.0"),
            items=Property(str),
        ),
        "dns_domain": Property(
            str,
            "The domain in which ports with a dns_name are published. Needs the DNS extension.",
            update_allowed=True,
            constraints=[custom("dns_domain")],
            support=supported("15.0.0"),
        ),
        "availability_zone_hints": Property(
            list,
            "Availability zones in which to run what serves the network, such as DHCP.",
            update_allowed=True,
            support=supported("19.0.0"),
        ),
        "tenant_id": Property(
            str, "The project to own the network, the stack's own by default.", support=supported("24.0.0")
        ),
    }
    attributes = {
        "status": Attribute(str, "ACTIVE once ports can use it, else BUILD, DOWN or ERROR."),
        "subnets": Attribute(list, "Ids of the subnets on the network."),
        "segments": Attribute(
            list, "The segments of the network, those without a name first.", support=supported("16.0.0")
        ),
        "show": SHOW,
    }
    translations = [Resolve(("qos_policy",), "neutron.qos_policy")]
    rules = [FitsNetworkType()]
