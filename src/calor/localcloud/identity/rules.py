"""Who may ask for what. Each route names its rule; what depends on the body is decided where it is read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from calor.localcloud.identity.grants import Actor, are_cloud_wide, is_privileged
from calor.localcloud.identity.records import Role
from calor.localcloud.identity.state import Identity
from calor.localcloud.problems import Forbidden
from calor.localcloud.web import Call, Reply, Rule


@dataclass(frozen=True)
class IdentityRoute:
    method: str
    path: str
    handler: Callable[[Identity, Call], Reply | Awaitable[Reply]]
    rule: Rule | None


def anyone(call: Call) -> bool:
    """Whoever has a valid token."""
    return True


def admins(call: Call) -> bool:
    return call.caller.is_admin


def domain_admins(call: Call) -> bool:
    """Admins, and those of a domain. The handler confines these to their domain with `require_reach`."""
    return call.caller.is_admin or call.caller.administered_domain is not None


def readers(call: Call) -> bool:
    """Admins, and auditors: those who may read in the whole system."""
    return call.caller.is_admin or (call.caller.system and "reader" in call.caller.roles)


def domain_readers(call: Call) -> bool:
    """Those who may read all, and admins of a domain. The handler confines these to their domain."""
    return readers(call) or call.caller.administered_domain is not None


def services(call: Call) -> bool:
    """Those who hold the requests of others against the identity service."""
    return call.caller.is_admin or ("service" in call.caller.roles and call.caller.domain_id is None)


def the_user_or_admins(call: Call) -> bool:
    return admins(call) or call.path["user_id"] == call.caller.user_id


def the_user_or_domain_admins(call: Call) -> bool:
    return domain_admins(call) or call.path["user_id"] == call.caller.user_id


def the_user_or_readers(call: Call) -> bool:
    return readers(call) or call.path["user_id"] == call.caller.user_id


def the_user_or_domain_readers(call: Call) -> bool:
    return domain_readers(call) or call.path["user_id"] == call.caller.user_id


def the_user(call: Call) -> bool:
    """Not even an admin may do this for another."""
    return call.path["user_id"] == call.caller.user_id


def members_or_readers(call: Call) -> bool:
    """Whoever works in the project may see it."""
    return domain_readers(call) or call.path["project_id"] == call.caller.project_id


def inhabitants_or_readers(call: Call) -> bool:
    """Whoever works in the domain may see it."""
    caller = call.caller
    at_home = (caller.domain_id, caller.project_domain_id, caller.user_domain_id)
    return readers(call) or call.path["domain_id"] in at_home


def undelegated(rule: Rule) -> Rule:
    """The rule, but not for tokens of trusts and restricted application credentials: what was delegated must not be
    made into something that lasts longer or reaches further."""
    return lambda call: rule(call) and not call.caller.trust_id and not call.caller.restricted


def in_person(rule: Rule) -> Rule:
    """The rule, but for nobody to whom anything was delegated, however far it reaches."""
    return lambda call: undelegated(rule)(call) and not call.caller.application_credential_id


def require_reach(call: Call, domain_id: str | None) -> None:
    """Raises Forbidden where an admin of a domain asks for what is in another one."""
    domain = call.caller.administered_domain
    if domain is not None and domain_id != domain:
        raise Forbidden("You are not authorized to perform the requested action.")


def require_unprivileged(identity: Identity, call: Call, actor: Actor) -> None:
    """Raises Forbidden where an admin of a domain would act on a user or group that has more rights than they do:
    whoever sets a password, makes keys or joins a group has the rights of it. This includes the other admins of the
    domain, since only an admin of the cloud appoints them."""
    if call.caller.administered_domain is None or actor.id == call.caller.user_id:
        return
    if is_privileged(identity.records, actor):
        raise Forbidden(f"A {actor.kind} with rights in the whole cloud is managed by an admin of the cloud.")


def require_grantable(identity: Identity, call: Call, role: Role) -> None:
    """Raises Forbidden where an admin of a domain would give or take rights in the whole cloud."""
    if call.caller.administered_domain is not None and are_cloud_wide(identity.records, [role.id]):
        raise Forbidden(f"The role {role.name} is granted and revoked by an admin of the cloud.")


def require_ordinary_project(identity: Identity, call: Call, project_id: str) -> None:
    """Raises Forbidden where an admin of a domain would end cloud-wide roles together with the project they are on."""
    if call.caller.administered_domain is None:
        return
    given = {each.role_id for each in identity.records.assignments.find(target_id=project_id)}
    if are_cloud_wide(identity.records, given):
        raise Forbidden(
            "A project on which someone has the role admin or service is managed by an admin of the cloud."
        )


def within_reach(call: Call) -> dict[str, str]:
    """What a list has to be narrowed by for admins of a domain."""
    domain = call.caller.administered_domain
    return {} if domain is None else {"domain_id": domain}
