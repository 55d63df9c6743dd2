"""Which roles someone has where: assigned to them or to a group of theirs, and all that these roles imply."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from calor.localcloud.identity.records import Assignment, Implication, Project, Records, Role
from calor.localcloud.problems import NotFound

SYSTEM_ID = "all"
CLOUD_WIDE = frozenset({"admin", "service"})
"""Roles that mean something beyond the project they are given on."""


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
    """All roles the user has there, in the order of their names."""
    return roles_of(records, assigned_role_ids(records, user_id, target))


def roles_of(records: Records, role_ids: Iterable[str]) -> tuple[Role, ...]:
    """The roles and those that they imply."""
    found = (records.roles.get(role_id) for role_id in with_implied(records.implications.find(), role_ids))
    return tuple(sorted((role for role in found if role), key=lambda role: role.name))


def are_cloud_wide(records: Records, role_ids: Iterable[str]) -> bool:
    """Whether any of the roles, or of those that they imply, is valid in the whole cloud."""
    return any(role.name in CLOUD_WIDE for role in roles_of(records, role_ids))


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


def assigned_role_ids(records: Records, user_id: str, target: Target) -> set[str]:
    return {
        assignment.role_id
        for actor in actor_ids(records, user_id)
        for assignment in records.assignments.find(actor_id=actor, target_id=target.id)
        if assignment.target_kind == target.kind
    }


def actor_ids(records: Records, user_id: str) -> list[str]:
    """The user and the groups they are in."""
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
    """The enabled projects, or domains, the user has any role on."""
    ids = {
        assignment.target_id: None
        for actor in actor_ids(records, user_id)
        for assignment in records.assignments.find(actor_id=actor)
        if assignment.target_kind == kind
    }
    found = (records.projects.get(target_id) for target_id in ids)
    return [project for project in found if project and project.enabled]


def assigned(actor: Actor, target: Target, role_id: str) -> Assignment:
    """The assignment, whose id says all that it is: there can be no two of it."""
    identifier = ":".join((actor.kind, actor.id, target.kind, target.id, role_id))
    return Assignment(identifier, actor.kind, actor.id, target.kind, target.id, role_id)


def assign(records: Records, actor: Actor, target: Target, role_id: str) -> None:
    records.assignments.put(assigned(actor, target, role_id))


def unassign(records: Records, actor: Actor, target: Target, role_id: str) -> None:
    if not records.assignments.remove(assigned(actor, target, role_id).id):
        raise NotFound.of("role assignment with role", role_id)


def imply(records: Records, prior_id: str, implied_id: str) -> None:
    records.implications.put(Implication(f"{prior_id}:{implied_id}", prior_id, implied_id))
