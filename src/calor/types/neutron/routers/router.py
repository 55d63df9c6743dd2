from __future__ import annotations

from collections.abc import Iterator

from calor.language.constraints import custom
from calor.language.schema import (
    SHOW,
    Attribute,
    Peer,
    Peers,
    Problem,
    Property,
    Resolve,
    deprecated,
    hidden,
    supported,
)
from calor.language.values import Unknown, bare
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.resources.values import Properties
from calor.types.cloud_objects import Object, some
from calor.types.neutron.network_object import NetworkObject
from calor.types.neutron.networks import agents, implied_dependencies
from calor.types.neutron.ports.port_base import addresses
from calor.types.neutron.shared_schema import TAGS, updated_by

AGENTS = frozenset({"l3_agent_id", "l3_agent_ids"})


class Placement:
    """Which agents a router may be put on hangs on its kind."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        agent, agents = bare(given.get("l3_agent_id")), bare(given.get("l3_agent_ids"))
        distributed, ha = bare(given.get("distributed")), given.get("ha")
        if agent and agents is not None:
            yield Problem(
                "StackValidationFailed", "l3_agent_id is the old form of l3_agent_ids", ("l3_agent_ids", 0)
            )
            return
        if distributed and (agent or agents):
            yield Problem("ResourcePropertyConflict", "a distributed router cannot have l3_agent_ids")
        if distributed and bare(ha):
            yield Problem("ResourcePropertyConflict", "distributed and ha are mutually exclusive")
        if isinstance(agents, list) and len(agents) > 1 and not bare(ha) and not isinstance(ha, Unknown):
            yield Problem("StackValidationFailed", "l3_agent_ids may be several only for an ha router")


class Router(NetworkObject):
    """A virtual router, which joins subnets with each other and with an external network.

    Subnets are joined by one OS::Neutron::RouterInterface each. With external_gateway_info the router leads
    out: servers behind it reach the outside, and floating IPs lead to them.
    """

    type_name = "OS::Neutron::Router"
    extension = "router"
    collection = ("routers",)
    wrapper = "router"
    waits = True
    # Gateways may be set apart from it.
    volatile = True
    apart = AGENTS
    properties = {
        "name": Property(
            str, "Generated from the names of the stack and the resource by default.", update_allowed=True
        ),
        "external_gateway_info": Property(
            dict,
            "The way out of the router. By default, it joins only the subnets it has interfaces to.",
            update_allowed=True,
            fields={
                "network": Property(
                    str, "The external network, by name or id.", required=True, update_allowed=True
                ),
                "enable_snat": Property(
                    bool,
                    "Whether servers without a floating IP go out under the router's own address. Left out, "
                    "the network service's setting holds, mostly true.",
                    update_allowed=True,
                ),
                "external_fixed_ips": Property(
                    list,
                    "The addresses to have on the external network. By default, the network service chooses.",
                    update_allowed=True,
                    support=supported("6.0.0"),
                    items=Property(
                        dict,
                        fields={
                            "ip_address": Property(
                                str,
                                "The very address; any free one of the subnet when left out.",
                                constraints=[custom("ip_addr")],
                            ),
                            "subnet": Property(
                                str,
                                "The subnet of the external network, by name or id, to have an address of.",
                                constraints=[custom("neutron.subnet")],
                            ),
                        },
                    ),
                ),
            },
        ),
        "value_specs": Property(
            dict,
            "Further attributes, passed unchanged to the network service, for its extensions.",
            default={},
            update_allowed=True,
        ),
        "admin_state_up": Property(
            bool, "False stops all traffic through the router.", default=True, update_allowed=True
        ),
        "l3_agent_id": Property(
            str,
            "Use l3_agent_ids.",
            update_allowed=True,
            support=hidden("6.0.0", deprecated("2015.1", supported("2014.1"))),
        ),
        "l3_agent_ids": Property(
            list,
            "The agents to run the router on, in place of those that the network service chooses: several "
            "only with ha, none with distributed. For administrators.",
            update_allowed=True,
            support=supported("2015.1"),
            items=Property(str),
        ),
        "distributed": Property(
            bool,
            "Whether each compute host routes for its own servers. By default, the network service's setting "
            "holds. For administrators; excludes ha.",
            support=supported("2015.1"),
        ),
        "ha": Property(
            bool,
            "Whether there is a standby instance on another host. By default, the network service's setting "
            "holds. For administrators; excludes distributed.",
            support=supported("2015.1"),
        ),
        "availability_zone_hints": Property(
            list,
            "Availability zones in which to run the router.",
            update_allowed=True,
            support=supported("19.0.0"),
        ),
        "tags": TAGS,
        "tenant_id": Property(
            str,
            "The project to own the router, the stack's own by default. Others are for administrators.",
            support=supported("24.0.0"),
        ),
    }
    attributes = {
        "status": Attribute(str, "ACTIVE once it routes, else BUILD, DOWN or ERROR."),
        "external_gateway_info": Attribute(
            dict, "The current gateway: network_id, enable_snat and the addresses in external_fixed_ips."
        ),
        "name": Attribute(str, "The name, including a generated one."),
        "admin_state_up": Attribute(str, "The administrative state of the router."),
        "tenant_id": Attribute(str, "The id of the project that owns it."),
        "show": SHOW,
    }
    stable_attributes = updated_by(
        external_gateway_info=("external_gateway_info",),
        name=("name",),
        admin_state_up=("admin_state_up",),
        tenant_id=(),
    )
    translations = [
        Resolve(("external_gateway_info", "network"), "neutron.network"),
        Resolve(("external_gateway_info", "external_fixed_ips", "subnet"), "neutron.subnet"),
    ]
    rules = [Placement()]

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """The router gets its outer address of a subnet of the external network."""
        gateway = me.value("external_gateway_info")
        return implied_dependencies.subnets(peers, gateway.get("network")) if gateway else iter(())

    @classmethod
    async def request_body(cls, ctx: Context, props: Properties) -> Object:
        request_body = await super().request_body(ctx, props)
        request_body["external_gateway_info"] = _gateway(props["external_gateway_info"])
        return request_body

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        if wanted := _agents(props):
            await agents.assign(cloud, agents.ROUTING, str(ctx.physical_id), wanted)
        await super().after_create(ctx, cloud, props)

    @classmethod
    async def after_update(
        cls, ctx: Context, cloud: CloudServices, props: Properties, changed: frozenset[str]
    ) -> None:
        if changed & AGENTS:
            await agents.assign(cloud, agents.ROUTING, str(ctx.physical_id), _agents(props))
        await super().after_update(ctx, cloud, props, changed)


def _agents(props: Properties) -> list[str]:
    return props["l3_agent_ids"] or ([props["l3_agent_id"]] if props["l3_agent_id"] else [])


def _gateway(wanted: Properties | None) -> Object | None:
    if not wanted:
        return None
    gateway = {"network_id": wanted["network"], **some(wanted, ("enable_snat",))}
    if wanted.get("external_fixed_ips") is not None:
        gateway["external_fixed_ips"] = addresses(wanted["external_fixed_ips"])
    return gateway
