"""Application credentials: a secret with which a program acts as a user in one project, with some of their roles."""

from __future__ import annotations

import secrets
from dataclasses import replace

from calor.localcloud.identity.grants import Target, roles_on
from calor.localcloud.identity.records import ApplicationCredential, need, new_id
from calor.localcloud.identity.removal import remove_application_credential
from calor.localcloud.identity.rules import (
    IdentityRoute,
    the_user,
    the_user_or_admins,
    the_user_or_readers,
    undelegated,
)
from calor.localcloud.identity.state import Identity, stamped
from calor.localcloud.identity.trusts import ROLE, pick_roles
from calor.localcloud.identity.views import show_application_credential
from calor.localcloud.lists import list_reply
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.reading import anything, boolean, listing, moment, name, nullable, shape, text
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


async def create_application_credential(identity: Identity, call: Call) -> Reply:
    """For the project of the token. The secret is shown this one time."""
    given = call.read_in("application_credential", _NEW)
    if given.get("access_rules"):
        raise BadRequest("Access rules are not supported: the credential would reach further than they say.")
    if call.caller.project_id is None:
        raise BadRequest("An application credential is for a project: the token must be, too.")
    expires = given.get("expires_at")
    if expires and expires <= identity.clock():
        raise BadRequest("application_credential.expires_at must be in the future.")
    credential = ApplicationCredential(
        id=new_id(),
        name=given["name"],
        user_id=call.caller.user_id,
        project_id=call.caller.project_id,
        secret_hash="",
        role_ids=_delegated(identity, call, given.get("roles", ())),
        description=given.get("description"),
        expires_at=stamped(expires) if expires else None,
        unrestricted=bool(given.get("unrestricted")),
    )
    secret = given.get("secret") or secrets.token_urlsafe(64)
    hashed = await identity.passwords.hash(secret)
    need("user", identity.records.users, credential.user_id)  # They may have gone meanwhile.
    identity.records.application_credentials.add(replace(credential, secret_hash=hashed))
    shown = show_application_credential(call, identity.records, credential)
    return Reply(201, {"application_credential": {**shown, "secret": secret}})


def _delegated(identity: Identity, call: Call, wanted: tuple[dict[str, str], ...]) -> tuple[str, ...]:
    """The roles asked for, or else all that the token has."""
    held = roles_on(identity.records, call.caller.user_id, Target("project", call.caller.project_id or ""))
    held = tuple(role for role in held if role.name in call.caller.roles)
    if not wanted:
        return tuple(role.id for role in held)
    try:
        return pick_roles(held, wanted)
    except NotFound as error:
        raise BadRequest(error.message) from None


def list_application_credentials(identity: Identity, call: Call) -> Reply:
    user = need("user", identity.records.users, call.path["user_id"])
    shown = [
        show_application_credential(call, identity.records, credential)
        for credential in identity.records.application_credentials.find(user_id=user.id)
    ]
    return list_reply(call, "application_credentials", shown, ("name",))


def get_application_credential(identity: Identity, call: Call) -> Reply:
    shown = show_application_credential(call, identity.records, _credential(identity, call))
    return Reply(body={"application_credential": shown})


def delete_application_credential(identity: Identity, call: Call) -> Reply:
    credential = _credential(identity, call)
    with identity.records.store.transaction():
        remove_application_credential(identity.records, credential)
    return NO_CONTENT


def _credential(identity: Identity, call: Call) -> ApplicationCredential:
    credential = identity.records.application_credentials.get(call.path["credential_id"])
    if credential is None or credential.user_id != call.path["user_id"]:
        raise NotFound.of("application credential", call.path["credential_id"])
    return credential


_ALL = "/v3/users/{user_id}/application_credentials"
_ONE = f"{_ALL}/{{credential_id}}"

ROUTES = (
    IdentityRoute("GET", _ALL, list_application_credentials, the_user_or_readers),
    IdentityRoute("POST", _ALL, create_application_credential, undelegated(the_user)),
    IdentityRoute("GET", _ONE, get_application_credential, the_user_or_readers),
    IdentityRoute("DELETE", _ONE, delete_application_credential, undelegated(the_user_or_admins)),
)
