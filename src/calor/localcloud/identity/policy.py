"""The policy of the identity service. Each route has a rule; checks that depend on the body are in the handlers."""

from __future__ import annotations

from calor.localcloud.identity.grants import Actor, are_cloud_wide, is_privileged
from calor.localcloud.identity.records import Role
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.policy import admins
from calor.localcloud.problems import Forbidden
from calor.localcloud.roles import READER, SERVICE
from calor.localcloud.web import Call, Rule


def domain_admins(call: Call) -> bool:
    """Cloud and domain admins. The handler restricts domain admins to their domain with `require_reach`."""
    return call.caller.is_admin or call.caller.administered_domain is not None


def readers(call: Call) -> bool:
    """Admins and readers of the system."""
    return call.caller.is_admin or (call.caller.system and READER in call.caller.roles)


def domain_readers(call: Call) -> bool:
    """Readers of the system, and domain admins. The handler restricts these to their domain."""
    return readers(call) or call.caller.administered_domain is not None


def services(call: Call) -> bool:
    """Services, which validate the tokens of others."""
    return call.caller.is_admin or call.caller.has_everywhere(SERVICE)


def user_or_admins(call: Call) -> bool:
    return admins(call) or call.path["user_id"] == call.caller.user_id


def user_or_domain_admins(call: Call) -> bool:
    return domain_admins(call) or call.path["user_id"] == call.caller.user_id


def user_or_readers(call: Call) -> bool:
    return readers(call) or call.path["user_id"] == call.caller.user_id


def user_or_domain_readers(call: Call) -> bool:
    return domain_readers(call) or call.path["user_id"] == call.caller.user_id


def user_only(call: Call) -> bool:
    """Not even admins may do this for another user."""
    return call.path["user_id"] == call.caller.user_id


def members_or_readers(call: Call) -> bool:
    """For users with a role in the project."""
    return domain_readers(call) or call.path["project_id"] == call.caller.project_id


def domain_members_or_readers(call: Call) -> bool:
    """For users with a role in the domain."""
    caller = call.caller
    at_home = (caller.domain_id, caller.project_domain_id, caller.user_domain_id)
    return readers(call) or call.path["domain_id"] in at_home


def not_reusable_delegation(rule: Rule) -> Rule:
    """The rule, but not for tokens of trusts and restricted application credentials: a delegation must not create
    something that lasts longer or has more rights."""
    return lambda call: rule(call) and not call.caller.trust_id and not call.caller.restricted


def not_delegated(rule: Rule) -> Rule:
    """The rule, but not for any delegated tokens."""
    return lambda call: not_reusable_delegation(rule)(call) and not call.caller.application_credential_id


def require_reach(call: Call, domain_id: str | None) -> None:
    """Raises Forbidden if a domain admin accesses another domain."""
    domain = call.caller.administered_domain
    if domain is not None and domain_id != domain:
        raise Forbidden("You are not authorized to perform the requested action.")


def require_role_reach(call: Call, role: Role) -> None:
    """The same for roles, most of which are global."""
    if role.domain_id is not None:
        require_reach(call, role.domain_id)


def require_unprivileged(identity: IdentityService, call: Call, actor: Actor) -> None:
    """Raises Forbidden if a domain admin changes a user or group with cloud-wide roles: setting passwords, creating
    keys and joining groups would give these roles. This includes other admins of the domain, which only cloud admins
    appoint."""
    if call.caller.administered_domain is None or actor.id == call.caller.user_id:
        return
    if is_privileged(identity.records, actor):
        raise Forbidden(f"Only cloud admins can manage a {actor.kind} with cloud-wide roles.")


def require_grantable(identity: IdentityService, call: Call, role: Role) -> None:
    """Raises Forbidden if a domain admin grants or revokes a cloud-wide role."""
    if call.caller.administered_domain is not None and are_cloud_wide(identity.records, [role.id]):
        raise Forbidden(f"Only cloud admins can grant and revoke the role {role.name}.")


def require_ordinary_project(identity: IdentityService, call: Call, project_id: str) -> None:
    """Raises Forbidden if a domain admin deletes or disables a project with assignments of cloud-wide roles."""
    if call.caller.administered_domain is None:
        return
    given = {each.role_id for each in identity.records.assignments.find(target_id=project_id)}
    if are_cloud_wide(identity.records, given):
        raise Forbidden("Only cloud admins can manage a project with assignments of cloud-wide roles.")


def reach_filters(call: Call) -> dict[str, str]:
    """The filters of a list for domain admins."""
    domain = call.caller.administered_domain
    return {} if domain is None else {"domain_id": domain}
