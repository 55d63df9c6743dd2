"""Users, their passwords, and what they belong to."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.identity.domains import need_domain
from calor.localcloud.identity.grants import Actor, targets_of
from calor.localcloud.identity.lists import indexed_filters, list_reply
from calor.localcloud.identity.policy import (
    domain_admins,
    domain_readers,
    reach_filters,
    require_reach,
    require_unprivileged,
    user_or_domain_readers,
)
from calor.localcloud.identity.records import User, need, new_id, new_record, updated_record
from calor.localcloud.identity.removal import remove_user, revoke_tokens_of_user
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.identity.tokens import active_user
from calor.localcloud.identity.views import show_group, show_project, show_user
from calor.localcloud.problems import BadRequest, Unauthorized
from calor.localcloud.requests import boolean, identifier, mapping, name, nullable, shape, text
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.web import NO_CONTENT, Call, Reply

_PASSWORD = text(4096, shortest=1)
_MEMBERS = {
    "default_project_id": nullable(identifier),
    "description": nullable(text()),
    "domain_id": nullable(identifier),
    "email": nullable(text(1024)),
    "enabled": boolean,
    "options": mapping,
    "password": nullable(_PASSWORD),
}
_NEW = shape({"name": name}, _MEMBERS, others=True)
_CHANGE = shape(optional={"name": name, **_MEMBERS}, others=True)
_NEW_PASSWORD = shape({"original_password": text(4096), "password": _PASSWORD})


def list_users(identity: IdentityService, call: Call) -> Reply:
    found = identity.records.users.find(
        **{**indexed_filters(call, "name", "domain_id"), **reach_filters(call)}
    )
    shown = [show_user(call, user) for user in found]
    return list_reply(call, "users", shown, ("id", "name", "domain_id", "enabled"))


async def create_user(identity: IdentityService, call: Call) -> Reply:
    given = call.read_in("user", _NEW)
    domain = need_domain(identity, given.pop("domain_id", None) or call.caller.home_domain_id)
    require_reach(call, domain.id)
    hashed = await _hash_password(identity, given.pop("password", None))
    need_domain(identity, domain.id)  # It may have been deleted meanwhile.
    user = new_record(User, given, id=new_id(), domain_id=domain.id, password_hash=hashed)
    return Reply(201, {"user": show_user(call, identity.records.users.add(user))})


def get_user(identity: IdentityService, call: Call) -> Reply:
    return Reply(body={"user": show_user(call, _user(identity, call))})


async def update_user(identity: IdentityService, call: Call) -> Reply:
    given = call.read_in("user", _CHANGE)
    if given.pop("domain_id", None) not in (None, _need_unprivileged(identity, call).domain_id):
        raise BadRequest("user.domain_id cannot be changed.")
    with_password = "password" in given
    hashed = await _hash_password(identity, given.pop("password", None))
    user = updated_record(_need_unprivileged(identity, call), given)
    if with_password:
        user = replace(user, password_hash=hashed)
    return Reply(body={"user": show_user(call, _keep(identity, user, end_tokens=with_password))})


def delete_user(identity: IdentityService, call: Call) -> Reply:
    user = _need_unprivileged(identity, call)
    with identity.records.store.transaction():
        remove_user(identity.records, user.id)
    return NO_CONTENT


async def change_password(identity: IdentityService, call: Call) -> Reply:
    """Needs no token: the original password is proof enough."""
    given = call.read_in("user", _NEW_PASSWORD)
    user = active_user(identity, call.path["user_id"])
    if not await identity.passwords.fits(user.password_hash if user else None, given["original_password"]):
        raise Unauthorized
    hashed = await identity.passwords.hash(given["password"])
    user = replace(_user(identity, call), password_hash=hashed)
    _keep(identity, user, end_tokens=True)
    return NO_CONTENT


def list_projects_of_user(identity: IdentityService, call: Call) -> Reply:
    user = _user(identity, call)
    found = targets_of(identity.records, user.id, "project")
    return list_reply(
        call, "projects", [show_project(call, each) for each in found], ("id", "name", "domain_id", "enabled")
    )


def list_groups_of_user(identity: IdentityService, call: Call) -> Reply:
    user = _user(identity, call)
    memberships = identity.records.memberships.find(user_id=user.id)
    found = (identity.records.groups.get(membership.group_id) for membership in memberships)
    return list_reply(call, "groups", [show_group(call, each) for each in found if each], ("name",))


async def _hash_password(identity: IdentityService, password: str | None) -> str | None:
    return None if password is None else await identity.passwords.hash(password)


def _user(identity: IdentityService, call: Call) -> User:
    user = need("user", identity.records.users, call.path["user_id"])
    if user.id != call.caller.user_id:
        require_reach(call, user.domain_id)
    return user


def _need_unprivileged(identity: IdentityService, call: Call) -> User:
    """The user, if the caller may change them."""
    user = _user(identity, call)
    require_unprivileged(identity, call, Actor("user", user.id))
    return user


def _keep(identity: IdentityService, user: User, end_tokens: bool) -> User:
    with identity.records.store.transaction():
        if end_tokens or not user.enabled:
            revoke_tokens_of_user(identity.records, user.id)
        return identity.records.users.put(user)


_ONE = "/v3/users/{user_id}"

ROUTES = (
    ServiceRoute("GET", "/v3/users", list_users, domain_readers),
    ServiceRoute("POST", "/v3/users", create_user, domain_admins),
    ServiceRoute("GET", _ONE, get_user, user_or_domain_readers),
    ServiceRoute("PATCH", _ONE, update_user, domain_admins),
    ServiceRoute("DELETE", _ONE, delete_user, domain_admins),
    ServiceRoute("POST", f"{_ONE}/password", change_password, None),
    ServiceRoute("GET", f"{_ONE}/projects", list_projects_of_user, user_or_domain_readers),
    ServiceRoute("GET", f"{_ONE}/groups", list_groups_of_user, user_or_domain_readers),
)
