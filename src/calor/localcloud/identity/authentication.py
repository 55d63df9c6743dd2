"""Authentication methods: password, token and application credential."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from calor.localcloud.identity.records import Project, User
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.identity.tokens import Proof, active_user, validate
from calor.localcloud.problems import BadRequest, Forbidden, Unauthorized
from calor.localcloud.requests import Reader, identifier, listing, name, shape, text
from calor.localcloud.types import Json

DOMAIN = shape(optional={"id": identifier, "name": name})
_USER = {"id": identifier, "name": name, "domain": DOMAIN}
_PASSWORD = shape({"user": shape({"password": text(4096)}, _USER)})
_TOKEN = shape({"id": text(4096)})
_APPLICATION_CREDENTIAL = shape(
    {"secret": text(4096)}, {"id": identifier, "name": name, "user": shape(optional=_USER)}
)
_METHODS = shape({"methods": listing(text(255), longest=8)}, others=True)


async def authenticate(identity: IdentityService, block: object) -> Proof:
    """All methods in the request must succeed, for the same user."""
    given = _METHODS(block, "auth.identity")
    methods = tuple(dict.fromkeys(given["methods"]))
    if not methods:
        raise BadRequest("auth.identity.methods must not be empty.")
    proofs = [await _authenticate_by(identity, method, given) for method in methods]
    first = proofs[0]
    for other in proofs[1:]:
        if other.user_id != first.user_id:
            raise Unauthorized
        first = _combine(first, other)
    return first


async def _authenticate_by(identity: IdentityService, method: str, given: Json) -> Proof:
    if method not in _KNOWN:
        raise Unauthorized("Attempted to authenticate with an unsupported method.")
    reader, prove = _KNOWN[method]
    if method not in given:
        raise BadRequest(f"auth.identity must have a member {method}.")
    return await prove(identity, reader(given[method], f"auth.identity.{method}"))


def _combine(one: Proof, other: Proof) -> Proof:
    ends = [end for end in (one.expires_at, other.expires_at) if end]
    return replace(
        one,
        methods=tuple(dict.fromkeys(one.methods + other.methods)),
        expires_at=min(ends) if ends else None,
        parent_audit_id=one.parent_audit_id or other.parent_audit_id,
        application_credential_id=one.application_credential_id or other.application_credential_id,
    )


async def _by_password(identity: IdentityService, given: Json) -> Proof:
    user = find_user(identity, given["user"], "auth.identity.password.user")
    fits = await identity.passwords.fits(user.password_hash if user else None, given["user"]["password"])
    if user is None or not fits or not active_user(identity, user.id):
        raise Unauthorized
    return Proof(user.id, ("password",))


async def _by_token(identity: IdentityService, given: Json) -> Proof:
    state = validate(identity, given["id"])
    if state is None:
        raise Unauthorized
    if state.trust:
        raise Forbidden("A trust-scoped token cannot be exchanged for another token.")
    token = state.token
    return Proof(
        user_id=token.user_id,
        methods=tuple(dict.fromkeys((*token.methods, "token"))),
        expires_at=token.expires_at,
        parent_audit_id=token.audit_ids[-1],
        application_credential_id=token.application_credential_id,
    )


async def _by_application_credential(identity: IdentityService, given: Json) -> Proof:
    credentials = identity.records.application_credentials
    if "id" in given:
        credential = credentials.get(given["id"])
    elif "name" in given and "user" in given:
        user = find_user(identity, given["user"], "auth.identity.application_credential.user")
        credential = credentials.first(user_id=user.id, name=given["name"]) if user else None
    else:
        raise BadRequest("auth.identity.application_credential must have an id, or a name and a user.")
    fits = await identity.passwords.fits(credential.secret_hash if credential else None, given["secret"])
    if credential is None or not fits or not active_user(identity, credential.user_id):
        raise Unauthorized
    if credential.expires_at and credential.expires_at <= identity.stamp():
        raise Unauthorized
    return Proof(
        user_id=credential.user_id,
        methods=("application_credential",),
        expires_at=credential.expires_at,
        application_credential_id=credential.id,
    )


_KNOWN: dict[str, tuple[Reader[Json], Callable[[IdentityService, Json], Awaitable[Proof]]]] = {
    "password": (_PASSWORD, _by_password),
    "token": (_TOKEN, _by_token),
    "application_credential": (_APPLICATION_CREDENTIAL, _by_application_credential),
}


def find_user(identity: IdentityService, given: Json, where: str) -> User | None:
    """The user with an id, or with a name and a domain."""
    if "id" in given:
        return identity.records.users.get(given["id"])
    if "name" not in given or "domain" not in given:
        raise BadRequest(f"{where} must have an id, or a name and a domain.")
    domain = find_domain(identity, given["domain"], f"{where}.domain")
    return identity.records.users.first(name=given["name"], domain_id=domain.id) if domain else None


def find_domain(identity: IdentityService, given: Json, where: str) -> Project | None:
    if "id" in given:
        return identity.records.domain(given["id"])
    if "name" not in given:
        raise BadRequest(f"{where} must have an id or a name.")
    return identity.records.projects.first(name=given["name"], domain_id=None, is_domain=True)
