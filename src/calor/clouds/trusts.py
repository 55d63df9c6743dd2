"""Trusts: users let the service account act for them when they are no longer there."""

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
    """A trust from the user of a token to the service account, in the project of the token and without an end; with
    the roles of these names, or with all that the token has. The service account acts as the user."""
    session = cloud.with_token(token)
    user = access_of(session)
    if not user.project_id:
        raise Permanent("A trust needs a token for a project.")
    delegated = [{"name": role} for role in roles] or [{"id": role} for role in user.role_ids]
    asked = {
        "trustor_user_id": user.user_id,
        "trustee_user_id": access_of(cloud.service).user_id,
        "project_id": user.project_id,
        "impersonation": True,
        "roles": delegated,
    }
    made = cloud.identity(session).ask("POST", "OS-TRUST", "trusts", body={"trust": asked})["trust"]
    names = tuple(role["name"] for role in made["roles"])
    return Trust(made["id"], made["trustor_user_id"], made["project_id"], names)


def delete_trust(cloud: Cloud, trust_id: str) -> None:
    """Ends a trust; that it is gone is fine."""
    path = ("OS-TRUST", "trusts", trust_id)
    try:
        cloud.identity(cloud.service).delete(*path)
    except Forbidden:
        # Some clouds let nobody but the trustor do it, as whom the trust lets the service account act.
        cloud.identity(cloud.through_trust(trust_id)).delete(*path)
