"""What the cloud's networks stand on, as far as clients ask: one zone, two kinds of routers, and no agents, since it
needs none."""

from __future__ import annotations

from typing import Any

from calor.localcloud.network.documents import EXTERNAL
from calor.localcloud.network.listing import filters_of, list_reply
from calor.localcloud.network.networks import NETWORKS
from calor.localcloud.network.problems import missing
from calor.localcloud.network.resources import NetworkRoute, admins, project_readers
from calor.localcloud.network.routers import ROUTERS
from calor.localcloud.network.state import Networking
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.web import Call, Reply

_ZONES = tuple({"name": "nova", "resource": kind, "state": "available"} for kind in ("network", "router"))
_PROVIDERS = tuple(
    {"service_type": "L3_ROUTER_NAT", "name": name, "default": name == "single_node"}
    for name in ("single_node", "ha", "dvr", "dvrha")
)
_AGENT_FILTERS = (
    "id",
    "agent_type",
    "host",
    "binary",
    "alive",
    "admin_state_up",
    "topic",
    "availability_zone",
)


def list_zones(networking: Networking, call: Call) -> Reply:
    shown = [dict(zone) for zone in _ZONES]
    return list_reply(call, "availability_zones", shown, filters_of(call, ("name", "resource", "state")))


def list_providers(networking: Networking, call: Call) -> Reply:
    shown: list[dict[str, Any]] = [dict(provider) for provider in _PROVIDERS]
    return list_reply(call, "service_providers", shown, filters_of(call, ("service_type", "name", "default")))


def list_agents(networking: Networking, call: Call) -> Reply:
    return list_reply(call, "agents", [], filters_of(call, _AGENT_FILTERS))


def get_agent(networking: Networking, call: Call) -> Reply:
    raise missing("Agent", call.path["id"])


def list_agents_of_network(networking: Networking, call: Call) -> Reply:
    NETWORKS.need(Viewer(networking.records, call.caller), call.path["id"])
    return Reply(body={"agents": []})


def list_agents_of_router(networking: Networking, call: Call) -> Reply:
    ROUTERS.need(Viewer(networking.records, call.caller), call.path["id"])
    return Reply(body={"agents": []})


def list_pools(networking: Networking, call: Call) -> Reply:
    """Where floating addresses come from: the subnets of external networks."""
    viewer, records = Viewer(networking.records, call.caller), networking.records
    external = sorted(viewer.granted("network", EXTERNAL))
    shown = [
        {
            "network_id": subnet.network_id,
            "subnet_id": subnet.id,
            "subnet_name": subnet.name,
            "cidr": subnet.cidr,
            "project_id": subnet.project_id,
            "tenant_id": subnet.project_id,
        }
        for subnet in records.subnets.find_in("network_id", external)
    ]
    filters = filters_of(call, ("network_id", "subnet_id", "subnet_name", "cidr", "project_id"))
    return list_reply(call, "floatingip_pools", shown, filters)


ROUTES = (
    NetworkRoute("GET", "/v2.0/availability_zones", list_zones, project_readers),
    NetworkRoute("GET", "/v2.0/service-providers", list_providers, project_readers),
    NetworkRoute("GET", "/v2.0/floatingip_pools", list_pools, project_readers),
    NetworkRoute("GET", "/v2.0/agents", list_agents, admins),
    NetworkRoute("GET", "/v2.0/agents/{id}", get_agent, admins),
    NetworkRoute("GET", "/v2.0/networks/{id}/dhcp-agents", list_agents_of_network, admins),
    NetworkRoute("GET", "/v2.0/routers/{id}/l3-agents", list_agents_of_router, admins),
)
