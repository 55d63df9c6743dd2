"""The roles that services know. One that counts in the whole cloud must be in CLOUD_WIDE, since admins of a domain may
give all others."""

from __future__ import annotations

ADMIN = "admin"
MEMBER = "member"
READER = "reader"
SERVICE = "service"
RESELLER_ADMIN = "ResellerAdmin"
"""Swift's name for those who own all accounts of the object store."""

READING = frozenset({READER, MEMBER, ADMIN})
WRITING = frozenset({MEMBER, ADMIN})
STORING = WRITING | {"swiftoperator"}
"""Those who own the account of their project in the object store."""

CLOUD_WIDE = frozenset({ADMIN, SERVICE, RESELLER_ADMIN})
"""Roles that mean something beyond the project they are given on."""

_FOLDED = frozenset(role.casefold() for role in CLOUD_WIDE)


def is_cloud_wide(role: str) -> bool:
    """Without regard to case, as policies compare roles."""
    return role.casefold() in _FOLDED
