"""Availability zones, service providers, extensions, floating IP pools, and agents, of which there are none."""

from __future__ import annotations

from calor.localcloud.network.extensions import EXTENSIONS
from calor.localcloud.network.lists import filters_of, list_reply
from calor.localcloud.network.networks import NETWORKS
from calor.localcloud.network.policy import project_readers
from calor.localcloud.network.problems import missing
from calor.localcloud.network.records import EXTERNAL
from calor.localcloud.network.routers import ROUTERS
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.policy import admins, anyone
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
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


def list_zones(networking: NetworkService, call: Call) -> Reply:
    shown = [dict(zone) for zone in _ZONES]
    return list_reply(call, "availability_zones", shown, filters_of(call, ("name", "resource", "state")))


def list_providers(networking: NetworkService, call: Call) -> Reply:
    shown: list[Json] = [dict(provider) for provider in _PROVIDERS]
    return list_reply(call, "service_providers", shown, filters_of(call, ("service_type", "name", "default")))


def list_agents(networking: NetworkService, call: Call) -> Reply:
    return list_reply(call, "agents", [], filters_of(call, _AGENT_FILTERS))


def get_agent(networking: NetworkService, call: Call) -> Reply:
    raise missing("Agent", call.path["id"])


def list_agents_of_network(networking: NetworkService, call: Call) -> Reply:
    NETWORKS.need(Viewer(networking.records, call.caller), call.path["id"])
    return Reply(body={"agents": []})


def list_agents_of_router(networking: NetworkService, call: Call) -> Reply:
    ROUTERS.need(Viewer(networking.records, call.caller), call.path["id"])
    return Reply(body={"agents": []})


def list_pools(networking: NetworkService, call: Call) -> Reply:
    """The pools of floating IPs: the subnets of external networks."""
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


def _show_extension(alias: str) -> Json:
    return {
        "alias": alias,
        "name": EXTENSIONS[alias],
        "description": EXTENSIONS[alias],
        "updated": "2024-01-01T00:00:00-00:00",
        "links": [],
    }


def list_extensions(networking: NetworkService, call: Call) -> Reply:
    shown = [_show_extension(alias) for alias in EXTENSIONS]
    return list_reply(call, "extensions", shown, filters_of(call, ("alias", "name")))


def get_extension(networking: NetworkService, call: Call) -> Reply:
    if call.path["alias"] not in EXTENSIONS:
        raise missing("Extension", call.path["alias"])
    return Reply(body={"extension": _show_extension(call.path["alias"])})


ROUTES = (
    ServiceRoute("GET", "/v2.0/extensions", list_extensions, anyone),
    ServiceRoute("GET", "/v2.0/extensions/{alias}", get_extension, anyone),
    ServiceRoute("GET", "/v2.0/availability_zones", list_zones, project_readers),
    ServiceRoute("GET", "/v2.0/service-providers", list_providers, project_readers),
    ServiceRoute("GET", "/v2.0/floatingip_pools", list_pools, project_readers),
    ServiceRoute("GET", "/v2.0/agents", list_agents, admins),
    ServiceRoute("GET", "/v2.0/agents/{id}", get_agent, admins),
    ServiceRoute("GET", "/v2.0/networks/{id}/dhcp-agents", list_agents_of_network, admins),
    ServiceRoute("GET", "/v2.0/routers/{id}/l3-agents", list_agents_of_router, admins),
)
