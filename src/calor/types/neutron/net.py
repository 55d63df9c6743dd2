from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.behaviour import CloudServices, Context
from calor.types.neutron import agents
from calor.types.neutron.common import TAGS, ValueSpecsAddOnly, hanging_on
from calor.types.neutron.networks import NetworkType


class Net(NetworkType):
    """A virtual network: a broadcast domain of a project, apart from all others.

    It carries no addresses by itself: add an OS::Neutron::Subnet for each address range, and a router to
    lead out of it. For a network bound to a certain physical one, see OS::Neutron::ProviderNet.
    """

    type_name = "OS::Neutron::Net"
    members = {"qos_policy": "qos_policy_id"}
    apart = frozenset({"dhcp_agent_ids"})
    properties = {
        "name": Property(
            str, "Left out, it is made from the names of the stack and the resource.", update_allowed=True
        ),
        "value_specs": Property(
            dict,
            "Further attributes, passed to the network service as they are, for its extensions (such as "
            "mtu). None that this type has a property for.",
            default={},
            update_allowed=True,
        ),
        "admin_state_up": Property(
            bool, "False stops all traffic on the network.", default=True, update_allowed=True
        ),
        "tenant_id": Property(
            str, "The project to own the network, the stack's own by default. Others are for administrators."
        ),
        "shared": Property(
            bool,
            "True lets every project attach to the network. Usually for administrators only.",
            default=False,
            update_allowed=True,
        ),
        "dhcp_agent_ids": Property(
            list,
            "The DHCP agents to serve the network, in place of those that the network service chooses. "
            "For administrators.",
            update_allowed=True,
        ),
        "port_security_enabled": Property(
            bool,
            "What holds for ports that do not say it themselves: False lets them send from any address and "
            "applies no security groups.",
            update_allowed=True,
            support=supported("5.0.0"),
        ),
        "qos_policy": Property(
            str,
            "The QoS policy, by name or id, whose limits hold for all ports without one of their own.",
            update_allowed=True,
            constraints=[custom("neutron.qos_policy")],
            support=supported("6.0.0"),
        ),
        "dns_domain": Property(
            str,
            "The domain in which ports with a dns_name are published. Needs the DNS extension.",
            update_allowed=True,
            constraints=[custom("dns_domain")],
            support=supported("7.0.0"),
        ),
        "availability_zone_hints": Property(
            list,
            "Availability zones in which to run what serves the network, such as DHCP.",
            support=supported("19.0.0"),
        ),
        "tags": TAGS,
    }
    attributes = {
        "status": Attribute(str, "ACTIVE once ports can use it, else BUILD, DOWN or ERROR."),
        "name": Attribute(str, "The name in use, also when the template gives none."),
        "subnets": Attribute(list, "Ids of the subnets on the network."),
        "admin_state_up": Attribute(str, "Whether the network is meant to carry traffic."),
        "tenant_id": Attribute(str, "The id of the project that owns it."),
        "port_security_enabled": Attribute(
            bool, "The setting that its ports take over.", support=supported("5.0.0")
        ),
        "mtu": Attribute(int, "The largest packet it carries, in bytes.", support=supported("5.0.0")),
        "qos_policy_id": Attribute(
            str, "The id of the QoS policy put on the network, if any.", support=supported("6.0.0")
        ),
        "l2_adjacency": Attribute(
            bool,
            "Whether all its ports reach each other without routing; false on a routed provider network.",
            support=supported("9.0.0"),
        ),
        "segments": Attribute(
            list, "The segments it consists of; those without a name come first.", support=supported("11.0.0")
        ),
        "show": SHOW,
    }
    steady = hanging_on(
        name=("name",),
        admin_state_up=("admin_state_up",),
        tenant_id=(),
        port_security_enabled=("port_security_enabled",),
        mtu=(),
        qos_policy_id=("qos_policy",),
    )
    translations = [Resolve(("qos_policy",), "get_qos_policy_id")]
    rules = [ValueSpecsAddOnly()]

    @classmethod
    async def furnish(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        if props["dhcp_agent_ids"]:
            await agents.assign(cloud, agents.DHCP, str(ctx.physical_id), props["dhcp_agent_ids"])
        await super().furnish(ctx, cloud, props)

    @classmethod
    async def adjust(
        cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any], changed: frozenset[str]
    ) -> None:
        if "dhcp_agent_ids" in changed:
            await agents.assign(cloud, agents.DHCP, str(ctx.physical_id), props["dhcp_agent_ids"] or ())
        await super().adjust(ctx, cloud, props, changed)
