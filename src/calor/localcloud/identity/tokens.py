"""The life of a token: issued, held against what is true now whenever it is shown, revoked."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta

from calor.localcloud.caller import Caller
from calor.localcloud.identity.grants import SYSTEM, Target, roles_of, roles_on
from calor.localcloud.identity.hashing import fingerprint
from calor.localcloud.identity.records import ApplicationCredential, Project, Role, Token, Trust, User
from calor.localcloud.identity.state import Identity, stamped
from calor.localcloud.problems import Unauthorized

LIFETIME = timedelta(hours=4)
# How long services may go on with work that an expired token began (allow_expired).
GRACE = timedelta(days=2)


@dataclass(frozen=True)
class Proof:
    """Who someone has shown to be, and what binds the tokens they may get for it."""

    user_id: str
    methods: tuple[str, ...]
    # Set where the proof is itself a token, or a credential with an end: no token outlives it.
    expires_at: str | None = None
    parent_audit_id: str | None = None
    application_credential_id: str | None = None


@dataclass(frozen=True)
class Scope:
    """Where a token is valid: in one of these, or, with none, nowhere in particular."""

    project_id: str | None = None
    domain_id: str | None = None
    system: bool = False
    trust_id: str | None = None


@dataclass(frozen=True)
class Standing:
    """All that a token means at this moment."""

    token: Token
    user: User
    user_domain: Project
    roles: tuple[Role, ...] = ()
    project: Project | None = None
    project_domain: Project | None = None
    domain: Project | None = None
    trust: Trust | None = None
    application_credential: ApplicationCredential | None = None

    @property
    def is_scoped(self) -> bool:
        return bool(self.project or self.domain or self.token.system)


def issue(identity: Identity, proof: Proof, scope: Scope) -> tuple[str, Standing]:
    """A new token: its text, told only now, and what it means."""
    now = identity.clock()
    records = identity.records
    trust = records.trusts.get(scope.trust_id) if scope.trust_id else None
    ends = (stamped(now + LIFETIME), proof.expires_at, trust.expires_at if trust else None)
    text = secrets.token_urlsafe(48)
    audit_id = secrets.token_urlsafe(16)
    token = Token(
        id=fingerprint(text),
        user_id=trust.trustor_user_id if trust and trust.impersonation else proof.user_id,
        methods=proof.methods,
        audit_ids=(audit_id, proof.parent_audit_id) if proof.parent_audit_id else (audit_id,),
        issued_at=stamped(now),
        expires_at=min(end for end in ends if end),
        project_id=scope.project_id,
        domain_id=scope.domain_id,
        system=scope.system,
        trust_id=scope.trust_id,
        application_credential_id=proof.application_credential_id,
    )
    standing = standing_of(identity, token)
    if standing is None:
        raise Unauthorized
    with records.store.transaction():
        records.tokens.remove_before("expires_at", stamped(now - GRACE))
        records.tokens.add(token)
    return text, standing


def validate(identity: Identity, text: str, allow_expired: bool = False) -> Standing | None:
    token = identity.records.tokens.get(fingerprint(text))
    if token is None or (token.expires_at <= identity.stamp() and not allow_expired):
        return None
    return standing_of(identity, token)


def caller_of(identity: Identity, text: str) -> Caller | None:
    """Who a token stands for, as every service of the cloud wants to know."""
    standing = validate(identity, text)
    if standing is None:
        return None
    project, credential = standing.project, standing.application_credential
    return Caller(
        token_id=standing.token.id,
        user_id=standing.user.id,
        user_name=standing.user.name,
        user_domain_id=standing.user.domain_id,
        project_id=project.id if project else None,
        project_name=project.name if project else None,
        project_domain_id=project.domain_id if project else None,
        domain_id=standing.token.domain_id,
        system=standing.token.system,
        roles=frozenset(role.name for role in standing.roles),
        trust_id=standing.token.trust_id,
        application_credential_id=credential.id if credential else None,
        restricted=credential is not None and not credential.unrestricted,
    )


def standing_of(identity: Identity, token: Token) -> Standing | None:
    """None where the token says what is no longer so: a user disabled, a project deleted, the last role taken."""
    records = identity.records
    user = active_user(identity, token.user_id)
    if user is None:
        return None
    user_domain = records.domain(user.domain_id)
    assert user_domain is not None
    project = project_domain = domain = trust = credential = None
    roles: tuple[Role, ...] = ()
    if token.trust_id:
        trust = records.trusts.get(token.trust_id)
        if trust is None or not all(
            active_user(identity, party) for party in (trust.trustor_user_id, trust.trustee_user_id)
        ):
            return None
    if token.application_credential_id:
        credential = records.application_credentials.get(token.application_credential_id)
        if credential is None:
            return None
    if token.project_id:
        project = active_project(identity, token.project_id)
        if project is None:
            return None
        project_domain = project if project.is_domain else records.domain(project.domain_id or "")
        roles = _roles_in_project(identity, user, project, trust, credential)
    elif token.domain_id:
        domain = active_project(identity, token.domain_id)
        if domain is None:
            return None
        roles = roles_on(records, user.id, Target("domain", domain.id))
    elif token.system:
        roles = roles_on(records, user.id, SYSTEM)
    standing = Standing(token, user, user_domain, roles, project, project_domain, domain, trust, credential)
    return standing if roles or not standing.is_scoped else None


def active_user(identity: Identity, user_id: str) -> User | None:
    """The user, if they and their domain are enabled."""
    user = identity.records.users.get(user_id)
    if user is None or not user.enabled:
        return None
    domain = identity.records.domain(user.domain_id)
    return user if domain and domain.enabled else None


def active_project(identity: Identity, project_id: str) -> Project | None:
    """The project or domain, if it and the domain it is in are enabled."""
    project = identity.records.projects.get(project_id)
    if project is None or not project.enabled:
        return None
    domain = project if project.is_domain else identity.records.domain(project.domain_id or "")
    return project if domain and domain.enabled else None


def _roles_in_project(
    identity: Identity,
    user: User,
    project: Project,
    trust: Trust | None,
    credential: ApplicationCredential | None,
) -> tuple[Role, ...]:
    records = identity.records
    holder = trust.trustor_user_id if trust else user.id
    held = roles_on(records, holder, Target("project", project.id))
    held_ids = {role.id for role in held}
    if trust:
        # A trust gives all that was delegated or nothing.
        return roles_of(records, trust.role_ids) if held_ids.issuperset(trust.role_ids) else ()
    if credential:
        return roles_of(records, held_ids.intersection(credential.role_ids))
    return held
