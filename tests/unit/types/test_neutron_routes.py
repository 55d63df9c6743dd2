"""Routes of routers at work."""

from __future__ import annotations

from typing import Any

import pytest

from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeCloud, run
from calor.types.neutron.routers.extra_route import ExtraRoute
from calor.types.neutron.routers.extra_route_set import ExtraRouteSet
from tests.unit.types.neutron_work import deleted, found, intended, made, updated

ADD, REMOVE = "PUT /routers/r-edge/add_extraroutes", "PUT /routers/r-edge/remove_extraroutes"


def route(number: int) -> dict[str, str]:
    return {"destination": f"10.{number}.0.0/16", "nexthop": f"10.0.0.{number}"}


def with_router(*routes: dict[str, str], atomic: bool = True) -> FakeCloud:
    """A cloud with a router that has routes, and perhaps the extension that changes them one by one."""
    cloud = FakeCloud()
    router = cloud.place("/routers/r-edge", routes=list(routes))
    if not atomic:
        return cloud
    cloud.place("/extensions/extraroute-atomic")

    def add(request: Any) -> dict[str, Any]:
        router["routes"] += [one for one in request.body["router"]["routes"] if one not in router["routes"]]
        return {"router": router}

    def remove(request: Any) -> dict[str, Any]:
        router["routes"] = [one for one in router["routes"] if one not in request.body["router"]["routes"]]
        return {"router": router}

    cloud.responses.update({ADD: add, REMOVE: remove})
    return cloud


def routes_of(cloud: FakeCloud) -> list[dict[str, str]]:
    routes: list[dict[str, str]] = cloud.objects["/routers/r-edge"]["routes"]
    return routes


@pytest.mark.parametrize("atomic", [True, False])
def test_a_route_comes_and_goes_and_others_stay(atomic: bool) -> None:
    cloud = with_router(route(1), atomic=atomic)
    context = made(ExtraRoute, cloud, router_id="r-edge", **route(2))
    assert routes_of(cloud) == [route(1), route(2)]
    assert context.physical_id == "r-edge:10.2.0.0/16:10.0.0.2"
    assert run(ExtraRoute.check(context)) is None

    deleted(context)
    assert routes_of(cloud) == [route(1)]
    with pytest.raises(ResourceFailed, match="gone"):
        run(ExtraRoute.check(context))
    deleted(context)
    assert routes_of(cloud) == [route(1)]


def test_a_route_that_is_there_already_is_refused() -> None:
    with pytest.raises(ResourceFailed, match="already"):
        made(ExtraRoute, with_router(route(1)), router_id="r-edge", **route(1))


def test_a_route_whose_creation_was_interrupted_is_found() -> None:
    cloud = with_router()
    context = intended(ExtraRoute, cloud, router_id="r-edge", **route(1))
    assert not found(context)
    routes_of(cloud).append(route(1))
    context.claimed_ids = frozenset({"r-edge:10.1.0.0/16:10.0.0.1"})
    assert not found(context)
    context.claimed_ids = frozenset()

    assert found(context)
    assert context.physical_id == "r-edge:10.1.0.0/16:10.0.0.1"


def test_routes_of_a_router_that_is_gone_are_deleted() -> None:
    cloud = with_router(atomic=False)
    one = made(ExtraRoute, cloud, router_id="r-edge", **route(1))
    many = made(ExtraRouteSet, cloud, router="edge", routes=[route(2)])
    cloud.objects.clear()
    deleted(one)
    deleted(many)

    assert cloud.objects == {}


def test_a_set_of_routes_changes_in_place() -> None:
    cloud = with_router(route(1))
    context = made(ExtraRouteSet, cloud, router="edge", routes=[route(2), route(3)])
    assert routes_of(cloud) == [route(1), route(2), route(3)]
    assert context.physical_id == "r-edge"

    updated(context, routes=[route(3), route(4)])
    assert routes_of(cloud) == [route(1), route(3), route(4)]
    assert cloud.body(REMOVE) == {"router": {"routes": [route(2)]}}
    assert run(ExtraRouteSet.check(context)) is None
    deleted(context)
    assert routes_of(cloud) == [route(1)]
    with pytest.raises(ResourceFailed, match="gone"):
        run(ExtraRouteSet.check(context))


def test_a_set_does_not_take_over_routes_of_others() -> None:
    with pytest.raises(ResourceFailed, match=r"10\.1\.0\.0/16"):
        made(ExtraRouteSet, with_router(route(1)), router="edge", routes=[route(1), route(2)])


def test_what_an_interrupted_change_may_have_added_goes_with_the_set() -> None:
    cloud = with_router()
    context = made(ExtraRouteSet, cloud, router="edge", routes=[route(1)])
    before = context.properties
    updated(context, routes=[route(2)])
    context.properties = before
    deleted(context)

    assert routes_of(cloud) == []


def test_a_set_whose_creation_was_interrupted_is_found_when_all_of_it_is_there() -> None:
    cloud = with_router(route(1))
    context = intended(ExtraRouteSet, cloud, router="edge", routes=[route(1), route(2)])
    assert not found(context)
    routes_of(cloud).append(route(2))

    assert found(context)
    assert context.physical_id == "r-edge"
