from __future__ import annotations

from collections.abc import Iterator

from calor.language.constraints import custom, one_of
from calor.language.schema import (
    SHOW,
    Attribute,
    Peer,
    Peers,
    Problem,
    Property,
    Replace,
    Resolve,
    deprecated,
    hidden,
    supported,
)
from calor.language.values import bare
from calor.resources.values import Properties
from calor.types.neutron.networks import implied_dependencies
from calor.types.neutron.ports.port_base import PortLifecycle
from calor.types.neutron.shared_schema import PORT_EXTRAS, TAGS, updated_by


class AddressesOrNone:
    """An empty list of addresses is allowed together with no_fixed_ips."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        if bare(given.get("fixed_ips")) and bare(given.get("no_fixed_ips")):
            yield Problem("ResourcePropertyConflict", "fixed_ips and no_fixed_ips are mutually exclusive")


class Port(PortLifecycle):
    """A connection of a server or another device to a network, with its addresses.

    A server creates its own ports for its networks. Declare one to choose its address, its security groups or
    its kind, to keep the address when the server is replaced, or to put a floating IP on it. It waits for all
    subnets that the template puts on its network.
    """

    type_name = "OS::Neutron::Port"
    properties = {
        "name": Property(
            str, "Generated from the names of the stack and the resource by default.", update_allowed=True
        ),
        "network_id": Property(
            str,
            "Use network.",
            constraints=[custom("neutron.network")],
            support=hidden("5.0.0", deprecated("2014.2")),
        ),
        "network": Property(
            str,
            "The network to be on, by name or id. Another one needs a new port.",
            required=True,
            constraints=[custom("neutron.network")],
            support=supported("2014.2"),
        ),
        "device_id": Property(
            str,
            "The id of what uses the port. The compute service sets it when a server is attached.",
            default="",
            update_allowed=True,
        ),
        "device_owner": Property(
            str,
            "The kind of device that uses the port, such as network:dhcp or compute:nova. It determines "
            "the checks of the network service.",
            default="",
            update_allowed=True,
        ),
        "fixed_ips": Property(
            list,
            "The addresses to have. Left out or empty, the network service allocates one from a subnet of"
            " the network.",
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "subnet_id": Property(
                        str,
                        "Use subnet.",
                        constraints=[custom("neutron.subnet")],
                        support=hidden("5.0.0", deprecated("2014.2 ")),
                    ),
                    "subnet": Property(
                        str,
                        "The subnet, by name or id, to have an address of. Found from ip_address when left "
                        "out.",
                        constraints=[custom("neutron.subnet")],
                        support=supported("2014.2"),
                    ),
                    "ip_address": Property(
                        str,
                        "The very address; any free one of the subnet when left out.",
                        constraints=[custom("ip_addr")],
                    ),
                },
            ),
        ),
        "security_groups": Property(
            list,
            "The security groups, by name or id, whose rules filter the port's traffic. By default, it is the "
            "project's default group; an empty list means no group at all.",
            update_allowed=True,
        ),
        "replacement_policy": Property(
            str,
            "REPLACE_ALWAYS replaces the port with every update of the stack, AUTO only when a change needs it.",
            default="AUTO",
            update_allowed=True,
            constraints=[one_of("REPLACE_ALWAYS", "AUTO")],
            support=hidden("9.0.0", deprecated("6.0.0", supported("2014.2"))),
        ),
        "dns_name": Property(
            str,
            "The host name under which the port's addresses are published. Needs the DNS extension.",
            update_allowed=True,
            constraints=[custom("dns_name")],
            support=supported("7.0.0"),
        ),
        "tags": TAGS,
        **PORT_EXTRAS,
    }
    attributes = {
        "admin_state_up": Attribute(str, "The administrative state of the port."),
        "device_id": Attribute(str, "The id of the server or other device that uses the port."),
        "device_owner": Attribute(str, "The kind of device that uses the port."),
        "fixed_ips": Attribute(
            list,
            "The addresses it has: maps of subnet_id and ip_address, including those that were not requested.",
        ),
        "mac_address": Attribute(str, "The MAC address."),
        "name": Attribute(str, "The name, including a generated one."),
        "network_id": Attribute(str, "The id of the network, also when the template names it."),
        "security_groups": Attribute(list, "Ids of the security groups in force."),
        "status": Attribute(
            str, "ACTIVE while a device is plugged in and connected, else DOWN, BUILD or ERROR."
        ),
        "tenant_id": Attribute(str, "The id of the project that owns it."),
        "allowed_address_pairs": Attribute(list, "The further addresses that it may send from."),
        "subnets": Attribute(list, "All about each subnet that it has an address of."),
        "port_security_enabled": Attribute(
            bool, "Whether anti-spoofing and security groups are in force.", support=supported("5.0.0")
        ),
        "qos_policy_id": Attribute(
            str, "The id of the QoS policy put on the port itself, if any.", support=supported("6.0.0")
        ),
        "dns_assignment": Attribute(
            dict,
            "The host name, full domain name and address published for each of its addresses.",
            support=supported("7.0.0"),
        ),
        "network": Attribute(
            dict,
            "All about the network; a path picks one thing, such as [network, mtu].",
            support=supported("11.0.0"),
        ),
        "propagate_uplink_status": Attribute(
            bool,
            "Whether its state follows the link of the host's network card.",
            support=supported("15.0.0"),
        ),
        "show": SHOW,
    }
    stable_attributes = updated_by(
        admin_state_up=("admin_state_up",),
        fixed_ips=("fixed_ips", "no_fixed_ips"),
        mac_address=(),
        name=("name",),
        network_id=(),
        security_groups=("security_groups", "port_security_enabled"),
        tenant_id=(),
        allowed_address_pairs=("allowed_address_pairs",),
        port_security_enabled=("port_security_enabled",),
        qos_policy_id=("qos_policy",),
        propagate_uplink_status=("propagate_uplink_status",),
    )
    translations = [
        Replace(("network",), source=("network_id",)),
        Replace(("fixed_ips", "subnet"), sibling="subnet_id"),
        Resolve(("network",), "neutron.network"),
        Resolve(("fixed_ips", "subnet"), "neutron.subnet"),
    ]
    rules = [AddressesOrNone()]

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """Any subnet of the network may be the one that the port gets its address of."""
        return implied_dependencies.subnets(peers, me.value("network"))
