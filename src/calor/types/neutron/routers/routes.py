"""Routes of a router beyond those to its own subnets."""

from __future__ import annotations

from collections.abc import Sequence

from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping
from calor.types.cloud_objects import Object

Route = JsonMapping
ATOMIC = "extraroute-atomic"
"""The extension for adding and removing single routes."""


async def present(cloud: CloudServices, router: str) -> list[Object]:
    """The routes that a router has; none if it is gone."""
    shown = await cloud.show("network", "routers", router)
    return list((shown or {}).get("routes") or ())


async def add(cloud: CloudServices, router: str, routes: Sequence[Route]) -> None:
    """Gives a router routes. Those that it has already are fine."""
    if not routes:
        return
    if await _changes_singly(cloud):
        await _ask(cloud, routes, router, "add_extraroutes")
        return
    there = await present(cloud, router)
    await _ask(cloud, [*there, *(route for route in routes if not has(there, route))], router)


async def remove(cloud: CloudServices, router: str, routes: Sequence[Route]) -> None:
    """Takes routes away. Those that it does not have are fine."""
    if not routes:
        return
    if await _changes_singly(cloud):
        await _ask(cloud, routes, router, "remove_extraroutes")
        return
    there = await present(cloud, router)
    left = [route for route in there if not has(routes, route)]
    if left != there:
        await _ask(cloud, left, router)


def has(routes: Sequence[Route], wanted: Route) -> bool:
    return any(_ends(route) == _ends(wanted) for route in routes)


def _ends(route: Route) -> tuple[object, object]:
    return route["destination"], route["nexthop"]


async def _changes_singly(cloud: CloudServices) -> bool:
    return await cloud.show_cached("network", "extensions", ATOMIC) is not None


async def _ask(cloud: CloudServices, routes: Sequence[Route], *router: str) -> None:
    listed = [{"destination": route["destination"], "nexthop": route["nexthop"]} for route in routes]
    await cloud.request("network", "PUT", "routers", *router, body={"router": {"routes": listed}})
