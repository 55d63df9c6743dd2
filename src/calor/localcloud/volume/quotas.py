"""Quotas of projects and their usage, which is updated with every change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus

from calor.localcloud.problems import OverLimit
from calor.localcloud.volume.records import ProjectUsage, QuotaSet, Records, VolumeType

UNLIMITED = -1
DEFAULT_CLASS = "default"
DEFAULTS: Mapping[str, int] = {
    "volumes": 100,
    "snapshots": 100,
    "gigabytes": 10_000,
    "backups": 100,
    "backup_gigabytes": 10_000,
    "groups": 10,
    "per_volume_gigabytes": UNLIMITED,
}
_OF_A_TYPE = ("volumes", "gigabytes", "snapshots")
_KINDS = {"volumes": "Volume", "snapshots": "Snapshot", "backups": "Backup"}


def of_type(kind: str, volume_type: VolumeType) -> str:
    """The name of a quota for a volume type."""
    return f"{kind}_{volume_type.name}"


def defaults(records: Records) -> dict[str, int]:
    """Each type has quotas of its own, without limits."""
    typed = {of_type(kind, each): UNLIMITED for each in records.types.find() for kind in _OF_A_TYPE}
    return {**DEFAULTS, **typed, **_set_for(records, DEFAULT_CLASS)}


def limits_of(records: Records, project_id: str) -> dict[str, int]:
    return {**defaults(records), **_set_for(records, project_id)}


def _set_for(records: Records, owner: str) -> Mapping[str, int]:
    allowance = records.allowances.get(owner)
    return allowance.limits if allowance else {}


def set_limits(records: Records, owner: str, changes: Mapping[str, int]) -> None:
    """Sets limits of a project, or the default ones."""
    allowance = records.allowances.get(owner) or QuotaSet(owner)
    records.allowances.put(replace(allowance, limits={**allowance.limits, **changes}))


def _decisive_limits(records: Records, project_id: str) -> Mapping[str, int]:
    """The limits without those of types that were never set, which do not limit anything."""
    return {**DEFAULTS, **_set_for(records, DEFAULT_CLASS), **_set_for(records, project_id)}


def used_by(records: Records, project_id: str) -> Mapping[str, int]:
    used = records.used.get(project_id)
    return used.amounts if used else {}


def reserve(records: Records, project_id: str, volume_type: VolumeType | None, **amounts: int) -> None:
    """Adds to the usage, or raises OverLimit. To be called in the transaction that creates the object."""
    limits = _decisive_limits(records, project_id)
    used = dict(used_by(records, project_id))
    for name, amount in _with_type(amounts, volume_type).items():
        used[name] = used.get(name, 0) + amount
        limit = limits.get(name, UNLIMITED)
        if amount > 0 and limit != UNLIMITED and used[name] > limit:
            raise _exceeded(name, limit, amount, used[name] - amount)
    records.used.put(ProjectUsage(project_id, used))


def release(records: Records, project_id: str, volume_type: VolumeType | None, **amounts: int) -> None:
    used = dict(used_by(records, project_id))
    for name, amount in _with_type(amounts, volume_type).items():
        used[name] = max(0, used.get(name, 0) - amount)
    records.used.put(ProjectUsage(project_id, used))


def check_size(records: Records, project_id: str, size: int) -> None:
    """Checks the size of a single volume."""
    limit = _decisive_limits(records, project_id)["per_volume_gigabytes"]
    if limit != UNLIMITED and size > limit:
        raise _over(
            f"Requested volume size {size}G is larger than the maximum of {limit}G.", "VolumeSizeExceeds"
        )


def _with_type(amounts: Mapping[str, int], volume_type: VolumeType | None) -> dict[str, int]:
    if volume_type is None:
        return dict(amounts)
    typed = {of_type(kind, volume_type): amounts[kind] for kind in _OF_A_TYPE if kind in amounts}
    return {**amounts, **typed}


def _exceeded(name: str, limit: int, asked: int, had: int) -> OverLimit:
    kind = name.partition("_")[0]
    if "gigabytes" in name:
        return _over(
            f"Requested volume or snapshot exceeds allowed {name} quota. Requested {asked}G, quota is {limit}G"
            f" and {had}G has been consumed.",
            "VolumeSizeExceedsAvailableQuota",
        )
    thing = _KINDS.get(kind, kind)
    return _over(
        f"{thing}LimitExceeded: Maximum number of {kind} allowed ({limit}) exceeded for quota '{name}'.",
        f"{thing}LimitExceeded",
    )


def _over(message: str, kind: str) -> OverLimit:
    return OverLimit(message, kind, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
