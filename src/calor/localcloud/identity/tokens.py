"""Issues, validates and revokes tokens."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta

from calor.localcloud.caller import Caller
from calor.localcloud.identity.grants import SYSTEM, Target, is_service_account, roles_of, roles_on
from calor.localcloud.identity.hashing import fingerprint
from calor.localcloud.identity.records import ApplicationCredential, Project, Role, Token, Trust, User
from calor.localcloud.identity.service import IdentityService, format_time
from calor.localcloud.problems import Unauthorized

LIFETIME = timedelta(hours=4)
# How long services may use expired tokens (allow_expired).
GRACE = timedelta(days=2)


@dataclass(frozen=True)
class Proof:
    """The result of authentication: the user, and restrictions of the token."""

    user_id: str
    methods: tuple[str, ...]
    # Set where the proof is itself a token, or a credential with an end: no token outlives it.
    expires_at: str | None = None
    parent_audit_id: str | None = None
    application_credential_id: str | None = None


@dataclass(frozen=True)
class Scope:
    """The scope of a token: one of these, or unscoped."""

    project_id: str | None = None
    domain_id: str | None = None
    system: bool = False
    trust_id: str | None = None


@dataclass(frozen=True)
class TokenState:
    """The present meaning of a valid token."""

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


def issue(identity: IdentityService, proof: Proof, scope: Scope) -> tuple[str, TokenState]:
    """A new token: its text, which is not stored, and its meaning."""
    now = identity.clock()
    records = identity.records
    trust = records.trusts.get(scope.trust_id) if scope.trust_id else None
    ends = (format_time(now + LIFETIME), proof.expires_at, trust.expires_at if trust else None)
    text = secrets.token_urlsafe(48)
    audit_id = secrets.token_urlsafe(16)
    token = Token(
        id=fingerprint(text),
        user_id=trust.trustor_user_id if trust and trust.impersonation else proof.user_id,
        methods=proof.methods,
        audit_ids=(audit_id, proof.parent_audit_id) if proof.parent_audit_id else (audit_id,),
        issued_at=format_time(now),
        expires_at=min(end for end in ends if end),
        project_id=scope.project_id,
        domain_id=scope.domain_id,
        system=scope.system,
        trust_id=scope.trust_id,
        application_credential_id=proof.application_credential_id,
    )
    state = token_state(identity, token)
    if state is None:
        raise Unauthorized
    with records.store.transaction():
        records.tokens.remove_before("expires_at", format_time(now - GRACE))
        records.tokens.add(token)
    return text, state


def validate(identity: IdentityService, text: str, allow_expired: bool = False) -> TokenState | None:
    token = identity.records.tokens.get(fingerprint(text))
    if token is None or (token.expires_at <= identity.stamp() and not allow_expired):
        return None
    return token_state(identity, token)


def caller_of(identity: IdentityService, text: str) -> Caller | None:
    """The caller that a token stands for."""
    state = validate(identity, text)
    if state is None:
        return None
    project, credential = state.project, state.application_credential
    return Caller(
        token_id=state.token.id,
        user_id=state.user.id,
        user_name=state.user.name,
        user_domain_id=state.user.domain_id,
        project_id=project.id if project else None,
        project_name=project.name if project else None,
        project_domain_id=project.domain_id if project else None,
        domain_id=state.token.domain_id,
        system=state.token.system,
        roles=frozenset(role.name for role in state.roles),
        trust_id=state.token.trust_id,
        application_credential_id=credential.id if credential else None,
        restricted=credential is not None and not credential.unrestricted,
        deputy=state.trust is not None
        and not is_service_account(identity.records, state.trust.trustee_user_id),
    )


def token_state(identity: IdentityService, token: Token) -> TokenState | None:
    """None if the token is no longer valid, since its user was disabled, its project deleted or its last role
    revoked."""
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
    state = TokenState(token, user, user_domain, roles, project, project_domain, domain, trust, credential)
    return state if roles or not state.is_scoped else None


def active_user(identity: IdentityService, user_id: str) -> User | None:
    """The user, if they and their domain are enabled."""
    user = identity.records.users.get(user_id)
    if user is None or not user.enabled:
        return None
    domain = identity.records.domain(user.domain_id)
    return user if domain and domain.enabled else None


def active_project(identity: IdentityService, project_id: str) -> Project | None:
    """The project or domain, if it and the domain it is in are enabled."""
    project = identity.records.projects.get(project_id)
    if project is None or not project.enabled:
        return None
    domain = project if project.is_domain else identity.records.domain(project.domain_id or "")
    return project if domain and domain.enabled else None


def _roles_in_project(
    identity: IdentityService,
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
        # A trust is valid only as long as the trustor has all delegated roles.
        return roles_of(records, trust.role_ids) if held_ids.issuperset(trust.role_ids) else ()
    if credential:
        return roles_of(records, held_ids.intersection(credential.role_ids))
    return held
