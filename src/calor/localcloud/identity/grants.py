"""The roles of users: assigned directly or to a group, and implied ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from calor.localcloud.identity.records import Assignment, Implication, Project, Records, Role
from calor.localcloud.problems import NotFound
from calor.localcloud.roles import is_cloud_wide

SYSTEM_ID = "all"


@dataclass(frozen=True)
class Actor:
    kind: str  # user or group
    id: str


@dataclass(frozen=True)
class Target:
    kind: str  # project, domain or system
    id: str


SYSTEM = Target("system", SYSTEM_ID)


def roles_on(records: Records, user_id: str, target: Target) -> tuple[Role, ...]:
    """All roles of the user on the target, sorted by name."""
    return roles_of(records, assigned_role_ids(records, user_id, target))


def roles_of(records: Records, role_ids: Iterable[str]) -> tuple[Role, ...]:
    """The roles that services see: global roles, with implied ones. A domain-specific role only stands for those that
    it implies, as in Keystone: what it is called, another domain may have another meaning for."""
    found = (records.roles.get(role_id) for role_id in with_implied(records.implications.find(), role_ids))
    return tuple(
        sorted((role for role in found if role and role.domain_id is None), key=lambda role: role.name)
    )


def are_cloud_wide(records: Records, role_ids: Iterable[str]) -> bool:
    """Whether any of the roles, or of those that they imply, is cloud-wide."""
    return any(is_cloud_wide(role.name) for role in roles_of(records, role_ids))


def is_privileged(records: Records, actor: Actor) -> bool:
    """Whether a user or group has a cloud-wide role anywhere, or any role on the system: by itself, through a group or
    by a trust."""
    actors = actor_ids(records, actor.id) if actor.kind == "user" else [actor.id]
    given = [each for one in actors for each in records.assignments.find(actor_id=one)]
    if any(each.target_kind == SYSTEM.kind for each in given):
        return True
    if are_cloud_wide(records, {each.role_id for each in given}):
        return True
    trusts = records.trusts.find(trustee_user_id=actor.id) if actor.kind == "user" else ()
    return are_cloud_wide(records, {role_id for trust in trusts for role_id in trust.role_ids})


def is_service_account(records: Records, user_id: str) -> bool:
    """Whether a user is a service account: one with a cloud-wide role on a project."""
    given = (
        each for actor in actor_ids(records, user_id) for each in records.assignments.find(actor_id=actor)
    )
    return are_cloud_wide(records, {each.role_id for each in given if each.target_kind == "project"})


def assigned_role_ids(records: Records, user_id: str, target: Target) -> set[str]:
    return {
        assignment.role_id
        for actor in actor_ids(records, user_id)
        for assignment in records.assignments.find(actor_id=actor, target_id=target.id)
        if assignment.target_kind == target.kind
    }


def actor_ids(records: Records, user_id: str) -> list[str]:
    """The ids of the user and of the user's groups."""
    return [user_id, *(membership.group_id for membership in records.memberships.find(user_id=user_id))]


def with_implied(implications: Iterable[Implication], role_ids: Iterable[str]) -> set[str]:
    implied: dict[str, list[str]] = {}
    for implication in implications:
        implied.setdefault(implication.prior_id, []).append(implication.implied_id)
    found: set[str] = set()
    waiting = list(role_ids)
    while waiting:
        role_id = waiting.pop()
        if role_id not in found:
            found.add(role_id)
            waiting += implied.get(role_id, ())
    return found


def targets_of(records: Records, user_id: str, kind: str) -> list[Project]:
    """The enabled projects or domains on which the user has a role."""
    ids = {
        assignment.target_id: None
        for actor in actor_ids(records, user_id)
        for assignment in records.assignments.find(actor_id=actor)
        if assignment.target_kind == kind
    }
    found = (records.projects.get(target_id) for target_id in ids)
    return [project for project in found if project and project.enabled]


def make_assignment(actor: Actor, target: Target, role_id: str) -> Assignment:
    """An assignment, with an id derived from its values, so that it is unique."""
    identifier = ":".join((actor.kind, actor.id, target.kind, target.id, role_id))
    return Assignment(identifier, actor.kind, actor.id, target.kind, target.id, role_id)


def assign(records: Records, actor: Actor, target: Target, role_id: str) -> None:
    records.assignments.put(make_assignment(actor, target, role_id))


def unassign(records: Records, actor: Actor, target: Target, role_id: str) -> None:
    if not records.assignments.remove(make_assignment(actor, target, role_id).id):
        raise NotFound.of("role assignment with role", role_id)


def imply(records: Records, prior_id: str, implied_id: str) -> None:
    records.implications.put(Implication(f"{prior_id}:{implied_id}", prior_id, implied_id))
