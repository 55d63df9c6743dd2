"""The network service as an application."""

from __future__ import annotations

from typing import Any

from starlette.applications import Starlette

from calor.localcloud.network import (
    address_groups,
    address_scopes,
    floating_ips,
    infrastructure,
    ip_availability,
    metering,
    networks,
    port_forwardings,
    ports,
    qos,
    qos_rules,
    quota_sets,
    rbac,
    routers,
    security_group_rules,
    security_groups,
    segments,
    subnet_pools,
    subnets,
    trunks,
    versions,
)
from calor.localcloud.network.problems import error_body
from calor.localcloud.network.resources import Resource
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.tags import tag_routes
from calor.localcloud.web import service_app

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
    qos_rules,
    trunks,
    rbac,
    segments,
    metering,
    quota_sets,
    ip_availability,
    infrastructure,
)
_TAGGED: tuple[Resource[Any], ...] = (
    networks.NETWORKS,
    subnets.SUBNETS,
    ports.PORTS,
    routers.ROUTERS,
    floating_ips.FLOATING_IPS,
    security_groups.SECURITY_GROUPS,
    security_group_rules.SECURITY_GROUP_RULES,
    subnet_pools.SUBNET_POOLS,
    address_groups.ADDRESS_GROUPS,
    qos.QOS_POLICIES,
    trunks.TRUNKS,
    segments.SEGMENTS,
)
# QoS policies have their tags at a path without qos, too.
_TAG_PATHS = (*((each.path, each) for each in _TAGGED), ("/v2.0/policies", qos.QOS_POLICIES))


def network_app(networking: NetworkService) -> Starlette:
    routes = [
        route.bound(networking)
        for route in (*(route for module in _MODULES for route in module.ROUTES), *tag_routes(_TAG_PATHS))
    ]
    return service_app(routes, networking.context.authenticate, error_body)
