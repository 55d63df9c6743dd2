"""Issues, validates and revokes tokens, and lists what they give access to."""

from __future__ import annotations

from calor.localcloud.identity.authentication import authenticate
from calor.localcloud.identity.catalog import catalog_for
from calor.localcloud.identity.grants import SYSTEM, roles_on, targets_of
from calor.localcloud.identity.hashing import fingerprint
from calor.localcloud.identity.lists import list_reply
from calor.localcloud.identity.policy import readers, services
from calor.localcloud.identity.scoping import resolve_scope
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.identity.tokens import TokenState, issue, validate
from calor.localcloud.identity.views import show_domain, show_project, show_token
from calor.localcloud.policy import anyone
from calor.localcloud.problems import Forbidden, NotFound
from calor.localcloud.requests import anything, shape
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply

_AUTH = shape({"identity": anything}, {"scope": anything})


async def issue_token(identity: IdentityService, call: Call) -> Reply:
    given = call.read_in("auth", _AUTH)
    proof = await authenticate(identity, given["identity"])
    token, state = issue(identity, proof, resolve_scope(identity, proof, given.get("scope")))
    return Reply(201, _shown(identity, call, state), {"X-Subject-Token": token})


def show_subject(identity: IdentityService, call: Call) -> Reply:
    """Validates a token (GET and HEAD)."""
    text, state = _subject(identity, call)
    body = None if call.method == "HEAD" else _shown(identity, call, state)
    return Reply(200, body, {"X-Subject-Token": text})


def revoke_subject(identity: IdentityService, call: Call) -> Reply:
    text, state = _subject(identity, call)
    if state.user.id != call.caller.user_id and not call.caller.is_admin:
        raise Forbidden("A token can be revoked by its own user only.")
    identity.records.tokens.remove(fingerprint(text))
    return NO_CONTENT


def _subject(identity: IdentityService, call: Call) -> tuple[str, TokenState]:
    """The subject token, for services and for its own user."""
    text = call.headers.get("x-subject-token", "")
    # Services may use a token that has expired since, for long-running requests.
    state = validate(identity, text, allow_expired=services(call) and "allow_expired" in call.query)
    own = state is not None and state.user.id == call.caller.user_id
    if not own and not services(call) and not readers(call):
        raise Forbidden("You are not authorized to perform the requested action.")
    if state is None:
        raise NotFound("Could not find token.")
    return text, state


def _shown(identity: IdentityService, call: Call, state: TokenState) -> Json:
    return {"token": show_token(identity.records, state, with_catalog="nocatalog" not in call.query)}


def get_catalog(identity: IdentityService, call: Call) -> Reply:
    caller = call.caller
    if not caller.roles:
        raise Forbidden("An unscoped token has no catalog.")
    catalog = catalog_for(identity.records, caller.user_id, caller.project_id)
    return Reply(body={"catalog": catalog, "links": {"self": call.url}})


def list_own_projects(identity: IdentityService, call: Call) -> Reply:
    found = targets_of(identity.records, call.caller.user_id, "project")
    return list_reply(call, "projects", [show_project(call, project) for project in found])


def list_own_domains(identity: IdentityService, call: Call) -> Reply:
    found = targets_of(identity.records, call.caller.user_id, "domain")
    return list_reply(call, "domains", [show_domain(call, domain) for domain in found])


def list_own_systems(identity: IdentityService, call: Call) -> Reply:
    has_any = roles_on(identity.records, call.caller.user_id, SYSTEM)
    return list_reply(call, "system", [{"all": True}] if has_any else [])


ROUTES = (
    ServiceRoute("POST", "/v3/auth/tokens", issue_token, None),
    ServiceRoute("GET", "/v3/auth/tokens", show_subject, anyone),
    ServiceRoute("DELETE", "/v3/auth/tokens", revoke_subject, anyone),
    ServiceRoute("GET", "/v3/auth/catalog", get_catalog, anyone),
    ServiceRoute("GET", "/v3/auth/projects", list_own_projects, anyone),
    ServiceRoute("GET", "/v3/auth/domains", list_own_domains, anyone),
    ServiceRoute("GET", "/v3/auth/system", list_own_systems, anyone),
)
