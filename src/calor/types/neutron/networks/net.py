from __future__ import annotations

from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.resources.values import Properties
from calor.types.neutron.networks import agents
from calor.types.neutron.networks.network_base import NetworkType
from calor.types.neutron.shared_schema import TAGS, ValueSpecsAddOnly, updated_by


class Net(NetworkType):
    """A virtual network: an isolated broadcast domain of a project.

    It has no addresses by itself: add an OS::Neutron::Subnet for each address range, and a router to lead out
    of it. For a network bound to a certain physical one, see OS::Neutron::ProviderNet.
    """

    type_name = "OS::Neutron::Net"
    members = {"qos_policy": "qos_policy_id"}
    apart = frozenset({"dhcp_agent_ids"})
    properties = {
        "name": Property(
            str, "Generated from the names of the stack and the resource by default.", update_allowed=True
        ),
        "value_specs": Property(
            dict,
            "Further attributes, passed unchanged to the network service, for its extensions (such as "
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
            "Whether every project can attach to the network. Usually for administrators only.",
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
            "The default for ports: False disables security groups and lets ports send from any address.",
            update_allowed=True,
            support=supported("5.0.0"),
        ),
        "qos_policy": Property(
            str,
            "The QoS policy, by name or id, whose limits apply to all ports without their own policy.",
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
        "name": Attribute(str, "The name, including a generated one."),
        "subnets": Attribute(list, "Ids of the subnets on the network."),
        "admin_state_up": Attribute(str, "The administrative state of the network."),
        "tenant_id": Attribute(str, "The id of the project that owns it."),
        "port_security_enabled": Attribute(bool, "The default for its ports.", support=supported("5.0.0")),
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
            list, "The segments of the network, those without a name first.", support=supported("11.0.0")
        ),
        "show": SHOW,
    }
    stable_attributes = updated_by(
        name=("name",),
        admin_state_up=("admin_state_up",),
        tenant_id=(),
        port_security_enabled=("port_security_enabled",),
        mtu=(),
        qos_policy_id=("qos_policy",),
    )
    translations = [Resolve(("qos_policy",), "neutron.qos_policy")]
    rules = [ValueSpecsAddOnly()]

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        if props["dhcp_agent_ids"]:
            await agents.assign(cloud, agents.DHCP, str(ctx.physical_id), props["dhcp_agent_ids"])
        await super().after_create(ctx, cloud, props)

    @classmethod
    async def after_update(
        cls, ctx: Context, cloud: CloudServices, props: Properties, changed: frozenset[str]
    ) -> None:
        if "dhcp_agent_ids" in changed:
            await agents.assign(cloud, agents.DHCP, str(ctx.physical_id), props["dhcp_agent_ids"] or ())
        await super().after_update(ctx, cloud, props, changed)
