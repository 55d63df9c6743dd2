"""Groups and their members."""

from __future__ import annotations

from calor.localcloud.identity.domains import need_domain
from calor.localcloud.identity.grants import Actor
from calor.localcloud.identity.lists import indexed_filters, list_reply
from calor.localcloud.identity.policy import (
    domain_admins,
    domain_readers,
    reach_filters,
    require_reach,
    require_unprivileged,
    user_or_domain_readers,
)
from calor.localcloud.identity.records import (
    Group,
    Membership,
    User,
    need,
    new_id,
    new_record,
    updated_record,
)
from calor.localcloud.identity.removal import remove_group
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.identity.views import show_group, show_user
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.requests import description, identifier, name, nullable, shape
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.web import NO_CONTENT, Call, Reply

_MEMBERS = {"description": description, "domain_id": nullable(identifier)}
_NEW = shape({"name": name}, _MEMBERS, others=True)
_CHANGE = shape(optional={"name": name, **_MEMBERS}, others=True)


def list_groups(identity: IdentityService, call: Call) -> Reply:
    found = identity.records.groups.find(
        **{**indexed_filters(call, "domain_id", "name"), **reach_filters(call)}
    )
    return list_reply(call, "groups", [show_group(call, each) for each in found], ("id", "name", "domain_id"))


def create_group(identity: IdentityService, call: Call) -> Reply:
    given = call.read_in("group", _NEW)
    domain = need_domain(identity, given.pop("domain_id", None) or call.caller.home_domain_id)
    require_reach(call, domain.id)
    group = new_record(Group, given, id=new_id(), domain_id=domain.id)
    return Reply(201, {"group": show_group(call, identity.records.groups.add(group))})


def get_group(identity: IdentityService, call: Call) -> Reply:
    return Reply(body={"group": show_group(call, _group(identity, call))})


def update_group(identity: IdentityService, call: Call) -> Reply:
    group = _need_unprivileged(identity, call)
    given = call.read_in("group", _CHANGE)
    if given.pop("domain_id", None) not in (None, group.domain_id):
        raise BadRequest("group.domain_id cannot be changed.")
    return Reply(body={"group": show_group(call, identity.records.groups.put(updated_record(group, given)))})


def delete_group(identity: IdentityService, call: Call) -> Reply:
    group = _need_unprivileged(identity, call)
    with identity.records.store.transaction():
        remove_group(identity.records, group.id)
    return NO_CONTENT


def list_members(identity: IdentityService, call: Call) -> Reply:
    group = _group(identity, call)
    memberships = identity.records.memberships.find(group_id=group.id)
    found = (identity.records.users.get(membership.user_id) for membership in memberships)
    shown = [show_user(call, user) for user in found if user]
    return list_reply(call, "users", shown, ("name", "domain_id", "enabled"))


def add_member(identity: IdentityService, call: Call) -> Reply:
    group, user = _need_unprivileged(identity, call), _user(identity, call)
    identity.records.memberships.put(Membership(f"{group.id}:{user.id}", group.id, user.id))
    return NO_CONTENT


def check_member(identity: IdentityService, call: Call) -> Reply:
    group, user = _group(identity, call), _user(identity, call)
    if identity.records.memberships.get(f"{group.id}:{user.id}") is None:
        raise NotFound.of("user in the group", user.id)
    return NO_CONTENT


def remove_member(identity: IdentityService, call: Call) -> Reply:
    check_member(identity, call)
    _need_unprivileged(identity, call)
    identity.records.memberships.remove(f"{call.path['group_id']}:{call.path['user_id']}")
    return NO_CONTENT


def _group(identity: IdentityService, call: Call) -> Group:
    group = need("group", identity.records.groups, call.path["group_id"])
    require_reach(call, group.domain_id)
    return group


def _need_unprivileged(identity: IdentityService, call: Call) -> Group:
    """The group, if the caller may change it."""
    group = _group(identity, call)
    require_unprivileged(identity, call, Actor("group", group.id))
    return group


def _user(identity: IdentityService, call: Call) -> User:
    user = need("user", identity.records.users, call.path["user_id"])
    require_reach(call, user.domain_id)
    return user


_ONE = "/v3/groups/{group_id}"

ROUTES = (
    ServiceRoute("GET", "/v3/groups", list_groups, domain_readers),
    ServiceRoute("POST", "/v3/groups", create_group, domain_admins),
    ServiceRoute("GET", _ONE, get_group, domain_readers),
    ServiceRoute("PATCH", _ONE, update_group, domain_admins),
    ServiceRoute("DELETE", _ONE, delete_group, domain_admins),
    ServiceRoute("GET", f"{_ONE}/users", list_members, domain_readers),
    ServiceRoute("GET", f"{_ONE}/users/{{user_id}}", check_member, user_or_domain_readers),
    ServiceRoute("PUT", f"{_ONE}/users/{{user_id}}", add_member, domain_admins),
    ServiceRoute("DELETE", f"{_ONE}/users/{{user_id}}", remove_member, domain_admins),
)
