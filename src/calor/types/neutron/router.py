from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
from calor.types.behaviour import CloudServices, Context
from calor.types.cloud_objects import Object, some
from calor.types.neutron import agents, waiting
from calor.types.neutron.common import TAGS, hanging_on
from calor.types.neutron.objects import NetworkObject
from calor.types.neutron.plugging import addresses

AGENTS = frozenset({"l3_agent_id", "l3_agent_ids"})


class Placement:
    """Which agents a router may be put on hangs on its kind."""

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        agent, agents = bare(given.get("l3_agent_id")), bare(given.get("l3_agent_ids"))
        distributed, ha = bare(given.get("distributed")), given.get("ha")
        if agent and agents is not None:
            yield Problem(
                "StackValidationFailed", "l3_agent_id is the old form of l3_agent_ids", ("l3_agent_ids", 0)
            )
            return
        if distributed and (agent or agents):
            yield Problem("ResourcePropertyConflict", "a distributed router has no l3_agent_ids of its own")
        if distributed and bare(ha):
            yield Problem("ResourcePropertyConflict", "distributed and ha exclude each other")
        if isinstance(agents, list) and len(agents) > 1 and not bare(ha) and not isinstance(ha, Unknown):
            yield Problem("StackValidationFailed", "l3_agent_ids may be several only for an ha router")


class Router(NetworkObject):
    """A virtual router, which joins subnets with each other and with an external network.

    Subnets are joined by one OS::Neutron::RouterInterface each. With external_gateway_info the router leads
    out: servers behind it reach the outside, and floating IPs lead to them.
    """

    type_name = "OS::Neutron::Router"
    extension = "router"
    entity = "router"
    collection = ("routers",)
    wrapper = "router"
    waits = True
    # Gateways may be set apart from it.
    volatile = True
    apart = AGENTS
    properties = {
        "name": Property(
            str, "Left out, it is made from the names of the stack and the resource.", update_allowed=True
        ),
        "external_gateway_info": Property(
            dict,
            "The way out of the router. Left out, it joins only the subnets it has interfaces to.",
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
                    "The addresses to have on the external network. Left out, the network service chooses.",
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
            "Further attributes, passed to the network service as they are, for its extensions.",
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
            "Whether each compute host routes for its own servers. Left out, the network service's setting "
            "holds. For administrators; excludes ha.",
            support=supported("2015.1"),
        ),
        "ha": Property(
            bool,
            "Whether a second instance stands by on another host. Left out, the network service's setting "
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
            dict, "The way out as it is: network_id, enable_snat and the addresses in external_fixed_ips."
        ),
        "name": Attribute(str, "The name in use, also when the template gives none."),
        "admin_state_up": Attribute(str, "Whether the router is meant to route."),
        "tenant_id": Attribute(str, "The id of the project that owns it."),
        "show": SHOW,
    }
    steady = hanging_on(
        external_gateway_info=("external_gateway_info",),
        name=("name",),
        admin_state_up=("admin_state_up",),
        tenant_id=(),
    )
    translations = [
        Resolve(("external_gateway_info", "network"), "find_resourceid_by_name_or_id", "network"),
        Resolve(
            ("external_gateway_info", "external_fixed_ips", "subnet"),
            "find_resourceid_by_name_or_id",
            "subnet",
        ),
    ]
    rules = [Placement()]

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """The router gets its outer address of a subnet of the external network."""
        gateway = me.value("external_gateway_info")
        return waiting.subnets(peers, gateway.get("network")) if gateway else iter(())

    @classmethod
    async def said(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        said = await super().said(ctx, props)
        said["external_gateway_info"] = _gateway(props["external_gateway_info"])
        return said

    @classmethod
    async def furnish(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        if wanted := _agents(props):
            await agents.assign(cloud, agents.ROUTING, str(ctx.physical_id), wanted)
        await super().furnish(ctx, cloud, props)

    @classmethod
    async def adjust(
        cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any], changed: frozenset[str]
    ) -> None:
        if changed & AGENTS:
            await agents.assign(cloud, agents.ROUTING, str(ctx.physical_id), _agents(props))
        await super().adjust(ctx, cloud, props, changed)


def _agents(props: Mapping[str, Any]) -> list[str]:
    return props["l3_agent_ids"] or ([props["l3_agent_id"]] if props["l3_agent_id"] else [])


def _gateway(wanted: Mapping[str, Any] | None) -> Object | None:
    if not wanted:
        return None
    gateway = {"network_id": wanted["network"], **some(wanted, ("enable_snat",))}
    if wanted.get("external_fixed_ips") is not None:
        gateway["external_fixed_ips"] = addresses(wanted["external_fixed_ips"])
    return gateway
