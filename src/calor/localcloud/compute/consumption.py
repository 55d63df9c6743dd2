"""Quotas: what a project may take up, and what it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from calor.localcloud.compute.records import Consumption, Server
from calor.localcloud.compute.state import Compute
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


def default_limits(compute: Compute) -> dict[str, int]:
    changed = compute.records.quotas.get("default")
    return {**DEFAULTS, **(changed.limits if changed else {})}


def limits_of(compute: Compute, project_id: str) -> dict[str, int]:
    own = compute.records.quotas.get(project_id)
    return {**default_limits(compute), **(own.limits if own else {})}


def consumed(compute: Compute, project_id: str) -> Consumption:
    return compute.records.consumption.get(project_id) or Consumption(project_id)


def affordable(compute: Compute, project_id: str, flavor: Mapping[str, Any], least: int, most: int) -> int:
    """How many servers of a flavor the project may have more: at least so many, or a refusal."""
    limits, used = limits_of(compute, project_id), consumed(compute, project_id)
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
                f"Quota exceeded for {name}: {least * each} more are asked for,"
                f" and {now} of {limits[name]} are used."
            )
    return number


def check_limit(compute: Compute, project_id: str, name: str, wanted: int) -> None:
    limit = limits_of(compute, project_id)[name]
    if limit != UNLIMITED and wanted > limit:
        raise Forbidden(f"Quota exceeded for {name}: {wanted} are asked for, {limit} are allowed.")


def take_up(compute: Compute, project_id: str, flavor: Mapping[str, Any], times: int = 1) -> None:
    _book(compute, project_id, times, times * flavor["vcpus"], times * flavor["ram"])


def give_up(compute: Compute, server: Server) -> None:
    take_up(compute, server.project_id, server.flavor, -1)


def exchange(compute: Compute, project_id: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """A server takes up what its new flavor says."""
    _book(compute, project_id, 0, new["vcpus"] - old["vcpus"], new["ram"] - old["ram"])


def _book(compute: Compute, project_id: str, instances: int, cores: int, ram: int) -> None:
    used = consumed(compute, project_id)
    compute.records.consumption.put(
        replace(
            used,
            instances=used.instances + instances,
            cores=used.cores + cores,
            ram=used.ram + ram,
        )
    )
