"""Application credentials: secrets with which programs act as a user in one project, with some of the user's roles."""

from __future__ import annotations

import secrets
from dataclasses import replace

from calor.localcloud.identity.grants import Target, roles_on
from calor.localcloud.identity.limits import check_application_credentials
from calor.localcloud.identity.lists import list_reply
from calor.localcloud.identity.policy import (
    not_reusable_delegation,
    user_only,
    user_or_admins,
    user_or_readers,
)
from calor.localcloud.identity.records import ApplicationCredential, need, new_id
from calor.localcloud.identity.removal import remove_application_credential
from calor.localcloud.identity.service import IdentityService, format_time
from calor.localcloud.identity.trusts import ROLE, pick_roles
from calor.localcloud.identity.views import show_application_credential
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.requests import anything, boolean, listing, moment, name, nullable, shape, text
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.web import NO_CONTENT, Call, Reply

_NEW = shape(
    {"name": name},
    {
        "access_rules": anything,
        "description": nullable(text()),
        "expires_at": nullable(moment),
        "roles": listing(ROLE),
        "secret": nullable(text(4096, shortest=1)),
        "unrestricted": nullable(boolean),
    },
)


async def create_application_credential(identity: IdentityService, call: Call) -> Reply:
    """For the project of the token. The secret is shown this one time."""
    given = call.read_in("application_credential", _NEW)
    if given.get("access_rules"):
        raise BadRequest("Access rules are not supported.")
    if call.caller.project_id is None:
        raise BadRequest("Application credentials require a project-scoped token.")
    expires = given.get("expires_at")
    if expires and expires <= identity.clock():
        raise BadRequest("application_credential.expires_at must be in the future.")
    credential = ApplicationCredential(
        id=new_id(),
        name=given["name"],
        user_id=call.caller.user_id,
        project_id=call.caller.project_id,
        secret_hash="",
        role_ids=_delegated_roles(identity, call, given.get("roles", ())),
        description=given.get("description"),
        expires_at=format_time(expires) if expires else None,
        unrestricted=bool(given.get("unrestricted")),
    )
    secret = given.get("secret") or secrets.token_urlsafe(64)
    hashed = await identity.passwords.hash(secret)
    need("user", identity.records.users, credential.user_id)  # They may have been deleted meanwhile.
    check_application_credentials(identity.records, credential.user_id)
    identity.records.application_credentials.add(replace(credential, secret_hash=hashed))
    shown = show_application_credential(call, identity.records, credential)
    return Reply(201, {"application_credential": {**shown, "secret": secret}})


def _delegated_roles(
    identity: IdentityService, call: Call, wanted: tuple[dict[str, str], ...]
) -> tuple[str, ...]:
    """The requested roles, or all roles of the token."""
    held = roles_on(identity.records, call.caller.user_id, Target("project", call.caller.project_id or ""))
    held = tuple(role for role in held if role.name in call.caller.roles)
    if not wanted:
        return tuple(role.id for role in held)
    try:
        return pick_roles(held, wanted)
    except NotFound as error:
        raise BadRequest(error.message) from None


def list_application_credentials(identity: IdentityService, call: Call) -> Reply:
    user = need("user", identity.records.users, call.path["user_id"])
    shown = [
        show_application_credential(call, identity.records, credential)
        for credential in identity.records.application_credentials.find(user_id=user.id)
    ]
    return list_reply(call, "application_credentials", shown, ("name",))


def get_application_credential(identity: IdentityService, call: Call) -> Reply:
    shown = show_application_credential(call, identity.records, _credential(identity, call))
    return Reply(body={"application_credential": shown})


def delete_application_credential(identity: IdentityService, call: Call) -> Reply:
    credential = _credential(identity, call)
    with identity.records.store.transaction():
        remove_application_credential(identity.records, credential)
    return NO_CONTENT


def _credential(identity: IdentityService, call: Call) -> ApplicationCredential:
    credential = identity.records.application_credentials.get(call.path["credential_id"])
    if credential is None or credential.user_id != call.path["user_id"]:
        raise NotFound.of("application credential", call.path["credential_id"])
    return credential


_ALL = "/v3/users/{user_id}/application_credentials"
_ONE = f"{_ALL}/{{credential_id}}"

ROUTES = (
    ServiceRoute("GET", _ALL, list_application_credentials, user_or_readers),
    ServiceRoute("POST", _ALL, create_application_credential, not_reusable_delegation(user_only)),
    ServiceRoute("GET", _ONE, get_application_credential, user_or_readers),
    ServiceRoute("DELETE", _ONE, delete_application_credential, not_reusable_delegation(user_or_admins)),
)
