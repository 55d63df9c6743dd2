"""Assigns agents to a network or a router."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from calor.clouds.errors import Conflict, NotFound
from calor.resources.services import CloudServices


@dataclass(frozen=True, slots=True)
class Service:
    """What agents of a kind do for objects of a collection."""

    collection: str
    agents: str
    """What follows an object's path in that of its agents."""
    objects: str
    """What follows an agent's path in that of its objects."""
    member: str
    """What holds the id of an object in a request."""


DHCP = Service("networks", "dhcp-agents", "dhcp-networks", "network_id")
ROUTING = Service("routers", "l3-agents", "l3-routers", "router_id")


async def assign(cloud: CloudServices, service: Service, id: str, wanted: Iterable[str]) -> None:
    """Has exactly these agents serve the object."""
    given = list(dict.fromkeys(wanted))
    serving = await _serving(cloud, service, id)
    for agent in sorted(serving - set(given)):
        try:
            await cloud.request("network", "DELETE", "agents", agent, service.objects, id)
        except (NotFound, Conflict):
            if agent in await _serving(cloud, service, id):
                raise
    for agent in given:
        if agent in serving:
            continue
        try:
            await cloud.request(
                "network", "POST", "agents", agent, service.objects, body={service.member: id}
            )
        except Conflict:
            if agent not in await _serving(cloud, service, id):
                raise


async def _serving(cloud: CloudServices, service: Service, id: str) -> set[str]:
    listed = await cloud.list_all("network", service.collection, id, service.agents, key="agents")
    return {str(agent["id"]) for agent in listed}
