"""Quotas and their usage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.localcloud.network.records import Quota, Records
from calor.localcloud.problems import Conflict
from calor.localcloud.store import Collection

DEFAULTS: Mapping[str, int] = {
    "network": 1000,
    "subnet": 1000,
    "subnetpool": -1,
    "port": 10_000,
    "router": 1000,
    "floatingip": 1000,
    "security_group": 1000,
    "security_group_rule": 10_000,
    "rbac_policy": 1000,
    "trunk": -1,
}


def limits_of(records: Records, project_id: str) -> dict[str, int]:
    own = records.quotas.get(project_id)
    return {**DEFAULTS, **(own.limits if own else {})}


def set_limits(records: Records, project_id: str, limits: Mapping[str, int]) -> None:
    own = records.quotas.get(project_id)
    records.quotas.put(Quota(project_id, {**(own.limits if own else {}), **limits}))


def check_quota(records: Records, kind: str, project_id: str, collection: Collection[Any]) -> None:
    limit = limits_of(records, project_id)[kind]
    if 0 <= limit <= collection.count(project_id=project_id):
        raise Conflict(f"Quota exceeded for resources: ['{kind}'].", "OverQuota")


def usage_of(records: Records, project_id: str) -> dict[str, int]:
    """How many objects of each kind a project has."""
    collections: dict[str, Collection[Any]] = {
        "network": records.networks,
        "subnet": records.subnets,
        "subnetpool": records.subnet_pools,
        "port": records.ports,
        "router": records.routers,
        "floatingip": records.floating_ips,
        "security_group": records.groups,
        "security_group_rule": records.rules,
        "rbac_policy": records.rbac,
        "trunk": records.trunks,
    }
    return {kind: collection.count(project_id=project_id) for kind, collection in collections.items()}
