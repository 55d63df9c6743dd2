"""The network service put together."""

from __future__ import annotations

from functools import partial

from starlette.applications import Starlette

from calor.localcloud.network import (
    address_groups,
    address_scopes,
    floating_ips,
    networks,
    port_forwardings,
    ports,
    qos,
    routers,
    security_group_rules,
    security_groups,
    subnet_pools,
    subnets,
    versions,
)
from calor.localcloud.network.problems import error_body
from calor.localcloud.network.state import Networking
from calor.localcloud.web import Route, service_app

_MODULES = (
    versions,
    networks,
    subnets,
    ports,
    routers,
    floating_ips,
    port_forwardings,
    security_groups,
    security_group_rules,
    subnet_pools,
    address_scopes,
    address_groups,
    qos,
)


def network_app(networking: Networking) -> Starlette:
    routes = [
        Route(each.method, each.path, partial(each.handler, networking), each.rule)
        for module in _MODULES
        for each in module.ROUTES
    ]
    return service_app(routes, networking.ground.authenticate, error_body)
