"""What the users that a stack makes may read of it."""

from __future__ import annotations

from collections.abc import Sequence

from calor.store import records

USER = "AWS::IAM::User"


def may_read(user: str, name: str, rows: Sequence[records.Resource]) -> bool:
    """Whether a user of one of a stack's resources may read what is kept for the resource of a name: its own or,
    as an AWS::IAM::User, that which all of its policies allow."""
    by_name = {row.name: row for row in rows}
    return any(
        row.name == name or (row.type == USER and _allowed(row, name, by_name))
        for row in rows
        if (row.data or {}).get("user_id") == user
    )


def _allowed(user: records.Resource, name: str, rows: dict[str, records.Resource]) -> bool:
    policies = [one for one in (user.properties or {}).get("Policies") or () if isinstance(one, str)]
    return all(policy in rows and name in _resources(rows[policy]) for policy in policies)


def _resources(policy: records.Resource) -> Sequence[str]:
    return (policy.properties or {}).get("AllowedResources") or ()
