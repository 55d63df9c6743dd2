"""Role assignments of users and groups on projects, domains and the system."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import product
from typing import Any

from calor.localcloud.identity.domains import need_domain
from calor.localcloud.identity.grants import (
    SYSTEM,
    Actor,
    Target,
    actor_ids,
    assign,
    make_assignment,
    unassign,
    with_implied,
)
from calor.localcloud.identity.lists import list_reply
from calor.localcloud.identity.policy import (
    domain_admins,
    domain_readers,
    require_grantable,
    require_reach,
    require_role_reach,
)
from calor.localcloud.identity.records import Assignment, Records, Role, need
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.identity.views import show_role
from calor.localcloud.problems import BadRequest, Forbidden, NotFound
from calor.localcloud.requests import truth
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply


def list_granted(target_kind: str, actor_kind: str, identity: IdentityService, call: Call) -> Reply:
    actor, target = _actor(actor_kind, identity, call), _target(target_kind, identity, call)
    found = (
        identity.records.roles.get(assignment.role_id)
        for assignment in identity.records.assignments.find(actor_id=actor.id, target_id=target.id)
        if assignment.target_kind == target.kind
    )
    return list_reply(call, "roles", [show_role(call, role) for role in found if role], ("name",))


def check_grant(target_kind: str, actor_kind: str, identity: IdentityService, call: Call) -> Reply:
    actor, target = _actor(actor_kind, identity, call), _target(target_kind, identity, call)
    role = _role(identity, call)
    if identity.records.assignments.get(make_assignment(actor, target, role.id).id) is None:
        raise NotFound.of("role assignment with role", role.id)
    return NO_CONTENT


def grant(target_kind: str, actor_kind: str, identity: IdentityService, call: Call) -> Reply:
    actor, target = _actor(actor_kind, identity, call), _target(target_kind, identity, call)
    role = _role(identity, call)
    require_grantable(identity, call, role)
    if role.domain_id not in (None, _domain_of(identity.records, target)):
        raise Forbidden(f"The role {role.name} can be assigned in its own domain only.")
    assign(identity.records, actor, target, role.id)
    return NO_CONTENT


def revoke(target_kind: str, actor_kind: str, identity: IdentityService, call: Call) -> Reply:
    """Works even if the actor no longer exists."""
    target, role = _target(target_kind, identity, call), _role(identity, call)
    require_grantable(identity, call, role)
    unassign(identity.records, Actor(actor_kind, call.path["actor_id"]), target, role.id)
    return NO_CONTENT


def list_assignments(identity: IdentityService, call: Call) -> Reply:
    query, records = call.query, identity.records
    effective = truth(query.get("effective", "false"))
    if "user.id" in query and "group.id" in query:
        raise BadRequest("Only one of user.id and group.id may be given.")
    if effective and "group.id" in query:
        raise BadRequest("Combining effective and group filter will always result in an empty list.")
    found: Iterable[Assignment] = _find_assignments(records, call, effective)
    if effective:
        found = _effective(records, found)
    domain = call.caller.administered_domain
    fitting = [
        each
        for each in found
        if _matches(call, each)
        and (domain is None or _domain_of(records, Target(each.target_kind, each.target_id)) == domain)
    ]
    named = truth(query.get("include_names", "false"))
    return list_reply(call, "role_assignments", [_show(call, records, each, named) for each in fitting])


def _domain_of(records: Records, target: Target) -> str | None:
    """The domain in which a role is assigned."""
    if target.kind == "domain":
        return target.id
    project = records.projects.get(target.id) if target.kind == "project" else None
    return project.domain_id if project is not None else None


def _find_assignments(records: Records, call: Call, effective: bool) -> list[Assignment]:
    """The stored assignments, filtered by indexed fields."""
    if target_id := call.query.get("scope.project.id") or call.query.get("scope.domain.id"):
        return records.assignments.find(target_id=target_id)
    if user_id := call.query.get("user.id"):
        actors = actor_ids(records, user_id) if effective else [user_id]
        return [each for actor in actors for each in records.assignments.find(actor_id=actor)]
    return records.assignments.find()


def _effective(records: Records, stored: Iterable[Assignment]) -> list[Assignment]:
    """Expands assignments to groups and implied roles."""
    implications = records.implications.find()
    found: dict[str, Assignment] = {}
    for assignment in stored:
        actors = [Actor("user", assignment.actor_id)]
        if assignment.actor_kind == "group":
            members = records.memberships.find(group_id=assignment.actor_id)
            actors = [Actor("user", member.user_id) for member in members]
        target = Target(assignment.target_kind, assignment.target_id)
        for actor, role_id in product(actors, sorted(with_implied(implications, [assignment.role_id]))):
            each = make_assignment(actor, target, role_id)
            found[each.id] = each
    return list(found.values())


def _matches(call: Call, assignment: Assignment) -> bool:
    query = call.query
    wanted = {
        ("user.id", "user"): (assignment.actor_kind, assignment.actor_id),
        ("group.id", "group"): (assignment.actor_kind, assignment.actor_id),
        ("scope.project.id", "project"): (assignment.target_kind, assignment.target_id),
        ("scope.domain.id", "domain"): (assignment.target_kind, assignment.target_id),
    }
    for (parameter, kind), (actual_kind, actual_id) in wanted.items():
        if parameter in query and (actual_kind, actual_id) != (kind, query[parameter]):
            return False
    if "scope.system" in query and assignment.target_kind != "system":
        return False
    return query.get("role.id", assignment.role_id) == assignment.role_id


def _show(call: Call, records: Records, assignment: Assignment, named: bool) -> Json:
    actor: Json = {"id": assignment.actor_id}
    role: Json = {"id": assignment.role_id}
    target: Json = {"all": True} if assignment.target_kind == "system" else {"id": assignment.target_id}
    if named:
        people = records.users if assignment.actor_kind == "user" else records.groups
        actor |= _names(records, people.get(assignment.actor_id))
        role |= _names(records, records.roles.get(assignment.role_id))
        if assignment.target_kind != "system":
            target |= _names(records, records.projects.get(assignment.target_id))
    place = (
        "system"
        if assignment.target_kind == "system"
        else f"{assignment.target_kind}s/{assignment.target_id}"
    )
    link = f"{call.base}/v3/{place}/{assignment.actor_kind}s/{assignment.actor_id}/roles/{assignment.role_id}"
    return {
        "role": role,
        assignment.actor_kind: actor,
        "scope": {assignment.target_kind: target},
        "links": {"assignment": link},
    }


def _names(records: Records, value: Any) -> Json:
    if value is None:
        return {}
    domain = records.domain(value.domain_id) if value.domain_id else None
    return {"name": value.name, **({"domain": {"id": domain.id, "name": domain.name}} if domain else {})}


def _actor(kind: str, identity: IdentityService, call: Call) -> Actor:
    people: Any = identity.records.users if kind == "user" else identity.records.groups
    actor = need(kind, people, call.path["actor_id"])
    require_reach(call, actor.domain_id)
    return Actor(kind, actor.id)


def _target(kind: str, identity: IdentityService, call: Call) -> Target:
    if kind == "system":
        require_reach(call, None)
        return SYSTEM
    if kind == "domain":
        domain = need_domain(identity, call.path["target_id"])
        require_reach(call, domain.id)
        return Target(kind, domain.id)
    project = need(kind, identity.records.projects, call.path["target_id"])
    require_reach(call, project.domain_id)
    return Target(kind, project.id)


def _role(identity: IdentityService, call: Call) -> Role:
    role = need("role", identity.records.roles, call.path["role_id"])
    require_role_reach(call, role)
    return role


def _routes() -> Iterable[ServiceRoute[IdentityService]]:
    places = {"project": "projects/{target_id}", "domain": "domains/{target_id}", "system": "system"}
    for (target, place), actor in product(places.items(), ("user", "group")):
        granted = f"/v3/{place}/{actor}s/{{actor_id}}/roles"
        yield ServiceRoute("GET", granted, partial(list_granted, target, actor), domain_readers)
        one = f"{granted}/{{role_id}}"
        yield ServiceRoute("GET", one, partial(check_grant, target, actor), domain_readers)
        yield ServiceRoute("PUT", one, partial(grant, target, actor), domain_admins)
        yield ServiceRoute("DELETE", one, partial(revoke, target, actor), domain_admins)
    yield ServiceRoute("GET", "/v3/role_assignments", list_assignments, domain_readers)


ROUTES = tuple(_routes())
