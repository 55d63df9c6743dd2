"""Trusts, by which the service account acts for users after their requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calor.clouds.errors import Forbidden, Permanent
from calor.clouds.sessions import Cloud, access_of


@dataclass(frozen=True, slots=True)
class Trust:
    """`cloud.through_trust(trust.id)` acts as the trustor in the project."""

    id: str
    trustor_id: str
    project_id: str
    roles: tuple[str, ...]


def create_trust(cloud: Cloud, token: str, roles: Sequence[str] = ()) -> Trust:
    """Creates a trust from the user of a token to the service account, with impersonation, in the token's project,
    which does not expire; with the roles of these names, or with all of the token."""
    session = cloud.with_token(token)
    user = access_of(session)
    if not user.project_id:
        raise Permanent("Creating a trust needs a project-scoped token.")
    delegated = [{"name": role} for role in roles] or [{"id": role} for role in user.role_ids or ()]
    wanted = {
        "trustor_user_id": user.user_id,
        "trustee_user_id": access_of(cloud.service).user_id,
        "project_id": user.project_id,
        "impersonation": True,
        "roles": delegated,
    }
    trust = cloud.identity(session).request("POST", "OS-TRUST", "trusts", body={"trust": wanted})["trust"]
    names = tuple(role["name"] for role in trust["roles"])
    return Trust(trust["id"], trust["trustor_user_id"], trust["project_id"], names)


def is_usable(cloud: Cloud, token: str) -> bool:
    """Whether a token is of a trust whose trustee is the service account."""
    return bool(access_of(cloud.with_token(token)).trustee_user_id == access_of(cloud.service).user_id)


def delete_trust(cloud: Cloud, trust_id: str) -> None:
    """Deletes a trust; it is not an error if it does not exist."""
    path = ("OS-TRUST", "trusts", trust_id)
    try:
        cloud.identity(cloud.service).delete(*path)
    except Forbidden:
        # Some clouds allow only the trustor, whom the service account impersonates.
        cloud.identity(cloud.through_trust(trust_id)).delete(*path)
