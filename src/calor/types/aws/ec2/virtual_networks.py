"""CloudFormation's virtual networks, built from Neutron's objects: a VPC is a network with a router of the same name,
and a route table is another router."""

from __future__ import annotations

from contextlib import suppress

from calor.clouds.errors import NotFound
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.types.cloud_objects import Object
from calor.types.neutron.network_object import retry_while_used

ROUTER_OWNERS = frozenset(
    {
        "network:router_interface",
        "network:router_interface_distributed",
        "network:ha_router_replicated_interface",
    }
)
"""The owners of ports that lead to routers: of plain ones, distributed ones and such as stand by for each other."""


def table_note(vpc: str) -> str:
    """What the routers of a VPC's route tables have as their description: by that they are found."""
    return f"Route table of VPC {vpc}"


async def router_of(cloud: CloudServices, vpc: str) -> Object:
    """The router that was created with a VPC."""
    network = await cloud.show("network", "networks", vpc)
    if network is None:
        raise ResourceFailed(f"there is no VPC {vpc}", "NotFound")
    listed = await cloud.list_all("network", "routers", key="routers", params={"name": str(network["name"])})
    if len(listed) != 1:
        raise ResourceFailed(f"there are {len(listed)} routers for the VPC {vpc}, not one", "Error")
    return listed[0]


async def tables_of(cloud: CloudServices, vpc: str) -> list[str]:
    """The ids of the routers of a VPC's route tables."""
    note = table_note(vpc)
    listed = await cloud.list_all("network", "routers", key="routers", params={"description": note})
    return [str(router["id"]) for router in listed if router.get("description") == note]


async def routers_at(cloud: CloudServices, subnet: str) -> list[str]:
    """The ids of the routers that have an interface on a subnet."""
    params = {"fixed_ips": f"subnet_id={subnet}"}
    listed = await cloud.list_all("network", "ports", key="ports", params=params)
    return [
        str(port["device_id"])
        for port in listed
        if port.get("device_owner") in ROUTER_OWNERS
        and any(address["subnet_id"] == subnet for address in port.get("fixed_ips") or ())
    ]


async def join(cloud: CloudServices, router: str, subnet: str) -> None:
    """Gives a router an interface on a subnet, unless it has one."""
    if router not in await routers_at(cloud, subnet):
        body = {"subnet_id": subnet}
        await cloud.request("network", "PUT", "routers", router, "add_router_interface", body=body)


async def part(ctx: Context, cloud: CloudServices, router: str, subnet: str) -> None:
    """Takes the interface away again. What is gone is fine."""

    async def attempt() -> Object:
        path = ("routers", router, "remove_router_interface")
        return await cloud.request("network", "PUT", *path, body={"subnet_id": subnet})

    with suppress(NotFound):
        await retry_while_used(ctx, attempt)


async def set_gateway(cloud: CloudServices, router: str, network: str | None) -> None:
    """Leads a router to an external network, or to none."""
    gateway = {"network_id": network} if network else {}
    with suppress(NotFound):
        body = {"router": {"external_gateway_info": gateway}}
        await cloud.request("network", "PUT", "routers", router, body=body)
