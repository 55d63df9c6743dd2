"""Routers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from calor.localcloud.network import requests
from calor.localcloud.network.kinds import DESCRIPTION, NAME, UP, Attribute, Given, Kind, shown
from calor.localcloud.network.policy import project_members
from calor.localcloud.network.problems import invalid
from calor.localcloud.network.records import Port, Router, by_id
from calor.localcloud.network.resources import Resource, Views, action_on, routes_of
from calor.localcloud.network.router_gateways import clear_gateway, read_gateway, set_gateway
from calor.localcloud.network.router_interfaces import add_interface, interfaces_of, remove_interface
from calor.localcloud.network.router_routes import (
    check_routes,
    with_routes,
    without_routes,
)
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import Conflict
from calor.localcloud.requests import listing, nullable, shape, text
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json

_ZONE = "nova"

KIND = Kind(
    "router",
    "routers",
    "Router",
    (
        NAME,
        DESCRIPTION,
        UP,
        Attribute("external_gateway_info", nullable(read_gateway)),
        Attribute("routes", nullable(requests.routes), late=True),
        Attribute("ha", nullable(requests.flag), admins=True, default=None, hidden=True),
        Attribute("distributed", nullable(requests.flag), admins=True, default=None, hidden=True),
        Attribute("flavor_id", nullable(requests.uuid), fixed=True),
        Attribute("enable_ndp_proxy", nullable(requests.flag)),
        Attribute("availability_zone_hints", listing(text(255)), fixed=True),
        *shown("status", "availability_zones"),
    ),
)


def create_router(networking: NetworkService, viewer: Viewer, given: Given) -> Router:
    gateway = given.pop("external_gateway_info", None)
    _normalize(given)
    router = networking.records.routers.add(networking.new_record(Router, given))
    networking.backend_sync.router(router.id)
    return set_gateway(networking, viewer, router, gateway) if gateway else router


def update_router(networking: NetworkService, viewer: Viewer, router: Router, given: Given) -> Router:
    _normalize(given)
    if given.get("distributed", router.distributed) != router.distributed and router.admin_state_up:
        raise invalid("distributed can be changed only while the router is administratively down.")
    if "external_gateway_info" in given:
        gateway = given.pop("external_gateway_info")
        if gateway:
            router = set_gateway(networking, viewer, router, gateway)
        else:
            router = clear_gateway(networking, router)
    if "routes" in given:
        given["routes"] = given["routes"] or ()
        check_routes(networking.records, router, given["routes"])
    networking.backend_sync.router(router.id)
    return networking.save(networking.records.routers, router, **given)


def delete_router(networking: NetworkService, viewer: Viewer, router: Router) -> None:
    records = networking.records
    if interfaces_of(records, router):
        raise Conflict(f"Router {router.id} is in use: it has interfaces.", "RouterInUse")
    clear_gateway(networking, router)
    records.routers.remove(router.id)
    networking.backend_sync.router(router.id)


def details(viewer: Viewer, routers: Sequence[Router]) -> Views:
    gateways = by_id(viewer.records.ports, {each.gateway_port_id for each in routers if each.gateway_port_id})
    return {
        router.id: {
            "availability_zones": [_ZONE],
            "external_gateway_info": _gateway_info(router, gateways),
        }
        for router in routers
    }


def _gateway_info(router: Router, gateways: Mapping[str, Port]) -> Json | None:
    if router.gateway_port_id is None:
        return None
    return {
        "network_id": router.gateway_network_id,
        "enable_snat": router.enable_snat,
        "external_fixed_ips": gateways[router.gateway_port_id].fixed_ips,
        "qos_policy_id": router.gateway_qos_policy_id,
    }


def _normalize(given: Given) -> None:
    """Null leaves the choice to the service."""
    for name in ("ha", "distributed", "enable_ndp_proxy"):
        if name in given and given[name] is None:
            del given[name]


_ROUTES_BODY = shape({"router": shape({"routes": requests.routes})})


def add_routes(networking: NetworkService, viewer: Viewer, router: Router, body: Json) -> Json:
    given = _ROUTES_BODY(body, "The body")["router"]["routes"]
    routes = with_routes(router, given)
    check_routes(networking.records, router, given)
    return _with(networking, viewer, router, routes)


def remove_routes(networking: NetworkService, viewer: Viewer, router: Router, body: Json) -> Json:
    given = _ROUTES_BODY(body, "The body")["router"]["routes"]
    return _with(networking, viewer, router, without_routes(router, given))


def _with(
    networking: NetworkService, viewer: Viewer, router: Router, routes: tuple[dict[str, str], ...]
) -> Json:
    networking.backend_sync.router(router.id)
    return ROUTERS.body(viewer, networking.save(networking.records.routers, router, routes=routes))


ROUTERS: Resource[Router] = Resource(
    KIND,
    "/v2.0/routers",
    lambda records: records.routers,
    create=create_router,
    update=update_router,
    delete=delete_router,
    details=details,
    quota="router",
)

_ONE = "/v2.0/routers/{id}"

ROUTES = (
    *routes_of(ROUTERS),
    ServiceRoute("PUT", f"{_ONE}/add_router_interface", action_on(ROUTERS, add_interface), project_members),
    ServiceRoute(
        "PUT", f"{_ONE}/remove_router_interface", action_on(ROUTERS, remove_interface), project_members
    ),
    ServiceRoute("PUT", f"{_ONE}/add_extraroutes", action_on(ROUTERS, add_routes), project_members),
    ServiceRoute("PUT", f"{_ONE}/remove_extraroutes", action_on(ROUTERS, remove_routes), project_members),
)
