"""Quotas of projects and their usage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from calor.localcloud.compute.records import ProjectUsage, Server
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.problems import Forbidden

DEFAULTS = {
    "instances": 1000,
    "cores": 8000,
    "ram": 16_777_216,
    "key_pairs": 1000,
    "metadata_items": 128,
    "server_groups": 1000,
    "server_group_members": 1000,
    "injected_files": 5,
    "injected_file_content_bytes": 10_240,
    "injected_file_path_bytes": 255,
    "floating_ips": -1,
    "fixed_ips": -1,
    "security_groups": -1,
    "security_group_rules": -1,
}
UNLIMITED = -1


def default_limits(compute: ComputeService) -> dict[str, int]:
    changed = compute.records.quotas.get("default")
    return {**DEFAULTS, **(changed.limits if changed else {})}


def limits_of(compute: ComputeService, project_id: str) -> dict[str, int]:
    own = compute.records.quotas.get(project_id)
    return {**default_limits(compute), **(own.limits if own else {})}


def usage_of(compute: ComputeService, project_id: str) -> ProjectUsage:
    return compute.records.consumption.get(project_id) or ProjectUsage(project_id)


def check_quota(
    compute: ComputeService, project_id: str, flavor: Mapping[str, Any], least: int, most: int
) -> int:
    """How many more servers of a flavor the project can have. Raises Forbidden if less than `least`."""
    limits, used = limits_of(compute, project_id), usage_of(compute, project_id)
    number = most
    for name, each, now in (
        ("instances", 1, used.instances),
        ("cores", flavor["vcpus"], used.cores),
        ("ram", flavor["ram"], used.ram),
    ):
        if limits[name] == UNLIMITED or each == 0:
            continue
        number = min(number, (limits[name] - now) // each)
        if number < least:
            raise Forbidden(
                f"Quota exceeded for {name}: requested {least * each},"
                f" but already used {now} of {limits[name]}."
            )
    return number


def check_limit(compute: ComputeService, project_id: str, name: str, wanted: int) -> None:
    limit = limits_of(compute, project_id)[name]
    if limit != UNLIMITED and wanted > limit:
        raise Forbidden(f"Quota exceeded for {name}: requested {wanted}, but the limit is {limit}.")


def claim_quota(compute: ComputeService, project_id: str, flavor: Mapping[str, Any], times: int = 1) -> None:
    _book(compute, project_id, times, times * flavor["vcpus"], times * flavor["ram"])


def release_quota(compute: ComputeService, server: Server) -> None:
    claim_quota(compute, server.project_id, server.flavor, -1)


def resize_quota(
    compute: ComputeService, project_id: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> None:
    """Replaces the usage of the old flavor by that of the new one."""
    _book(compute, project_id, 0, new["vcpus"] - old["vcpus"], new["ram"] - old["ram"])


def _book(compute: ComputeService, project_id: str, instances: int, cores: int, ram: int) -> None:
    used = usage_of(compute, project_id)
    compute.records.consumption.put(
        replace(
            used,
            instances=used.instances + instances,
            cores=used.cores + cores,
            ram=used.ram + ram,
        )
    )
