"""The scope of a new token: as requested, or the default."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.identity.authentication import DOMAIN, find_domain
from calor.localcloud.identity.grants import SYSTEM, Target, roles_on
from calor.localcloud.identity.records import Project, Trust
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.identity.tokens import Proof, Scope, active_project, active_user
from calor.localcloud.problems import BadRequest, Forbidden, Unauthorized
from calor.localcloud.requests import boolean, identifier, name, shape
from calor.localcloud.types import Json

_SCOPES = {
    "project": shape(optional={"id": identifier, "name": name, "domain": DOMAIN}),
    "domain": DOMAIN,
    "system": shape({"all": boolean}),
    "OS-TRUST:trust": shape({"id": identifier}),
    "unscoped": shape(),
}


def resolve_scope(identity: IdentityService, proof: Proof, asked: object) -> Scope:
    """Checks and returns the scope. Uses up one of the remaining uses of a trust."""
    if proof.application_credential_id:
        return _scope_of_credential(identity, proof.application_credential_id, asked)
    if asked is None:
        return _default_scope(identity, proof)
    if asked == "unscoped":
        return Scope()
    given = shape(optional=_SCOPES)(asked, "auth.scope")
    if len(given) != 1:
        raise BadRequest(f"auth.scope must have exactly one of {', '.join(_SCOPES)}.")
    [(kind, wanted)] = given.items()
    if kind == "project":
        return _project_scope(identity, proof, _find_project(identity, wanted))
    if kind == "domain":
        return _domain_scope(identity, proof, find_domain(identity, wanted, "auth.scope.domain"))
    if kind == "system":
        return _system_scope(identity, proof, wanted["all"])
    if kind == "OS-TRUST:trust":
        return _use_trust(identity, proof, wanted["id"])
    return Scope()


def _default_scope(identity: IdentityService, proof: Proof) -> Scope:
    """The default project of the user, if it is accessible."""
    user = identity.records.users.get(proof.user_id)
    project_id = user.default_project_id if user else None
    if project_id and active_project(identity, project_id):
        target = Target("project", project_id)
        if roles_on(identity.records, proof.user_id, target):
            return Scope(project_id=project_id)
    return Scope()


def _find_project(identity: IdentityService, wanted: Json) -> Project | None:
    if "id" in wanted:
        return identity.records.projects.get(wanted["id"])
    if "name" not in wanted or "domain" not in wanted:
        raise BadRequest("auth.scope.project must have an id, or a name and a domain.")
    domain = find_domain(identity, wanted["domain"], "auth.scope.project.domain")
    return identity.records.projects.first(name=wanted["name"], domain_id=domain.id) if domain else None


def _project_scope(identity: IdentityService, proof: Proof, project: Project | None) -> Scope:
    if project is None or not active_project(identity, project.id):
        raise Unauthorized
    if not roles_on(identity.records, proof.user_id, Target("project", project.id)):
        raise Unauthorized
    return Scope(project_id=project.id)


def _domain_scope(identity: IdentityService, proof: Proof, domain: Project | None) -> Scope:
    if domain is None or not domain.enabled:
        raise Unauthorized
    if not roles_on(identity.records, proof.user_id, Target("domain", domain.id)):
        raise Unauthorized
    return Scope(domain_id=domain.id)


def _system_scope(identity: IdentityService, proof: Proof, everything: bool) -> Scope:
    if not everything:
        raise BadRequest("auth.scope.system.all must be true.")
    if not roles_on(identity.records, proof.user_id, SYSTEM):
        raise Unauthorized
    return Scope(system=True)


def _scope_of_credential(identity: IdentityService, credential_id: str, asked: object) -> Scope:
    """An application credential is for one project; asking for it by its id changes nothing."""
    credential = identity.records.application_credentials.get(credential_id)
    if credential is None:
        raise Unauthorized
    if asked is not None and asked != {"project": {"id": credential.project_id}}:
        raise Unauthorized("An application credential can be used for its own project only.")
    return Scope(project_id=credential.project_id)


def _use_trust(identity: IdentityService, proof: Proof, trust_id: str) -> Scope:
    records = identity.records
    with records.store.transaction():
        trust = usable_trust(identity, trust_id)
        if trust is None:
            raise Unauthorized
        if trust.trustee_user_id != proof.user_id:
            raise Forbidden("A trust can be used by its trustee only.")
        if not active_user(identity, trust.trustor_user_id):
            raise Forbidden("The trustor of this trust is disabled.")
        if trust.project_id:
            if not active_project(identity, trust.project_id):
                raise Unauthorized
            held = roles_on(records, trust.trustor_user_id, Target("project", trust.project_id))
            if not {role.id for role in held}.issuperset(trust.role_ids):
                raise Forbidden("The trustor no longer has the roles that this trust delegates.")
        if trust.remaining_uses is not None:
            records.trusts.put(replace(trust, remaining_uses=trust.remaining_uses - 1))
    return Scope(project_id=trust.project_id, trust_id=trust.id)


def usable_trust(identity: IdentityService, trust_id: str) -> Trust | None:
    """The trust, unless it has expired or been used up."""
    trust = identity.records.trusts.get(trust_id)
    if trust is None or trust.remaining_uses == 0:
        return None
    return None if trust.expires_at and trust.expires_at <= identity.stamp() else trust
