"""How much a user may make in the identity service: each server of a stack has a user, and may be hostile."""

from __future__ import annotations

from calor.localcloud.identity.records import Records
from calor.localcloud.problems import Forbidden

MOST_CREDENTIALS = 100
"""Credentials of one user, and likewise application credentials."""
MOST_TRUSTS = 10_000
"""Trusts of one trustor: each stack needs one."""


def check_credentials(records: Records, user_id: str) -> None:
    _check("credentials", records.credentials.count(user_id=user_id), MOST_CREDENTIALS)


def check_application_credentials(records: Records, user_id: str) -> None:
    count = records.application_credentials.count(user_id=user_id)
    _check("application credentials", count, MOST_CREDENTIALS)


def check_trusts(records: Records, trustor_id: str) -> None:
    _check("trusts", records.trusts.count(trustor_user_id=trustor_id), MOST_TRUSTS)


def _check(kind: str, count: int, most: int) -> None:
    if count >= most:
        raise Forbidden(f"The user already has {most} {kind}, and can have no more.")
