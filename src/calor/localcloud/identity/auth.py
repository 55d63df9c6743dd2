"""Tokens over HTTP, and what their bearers can reach."""

from __future__ import annotations

from typing import Any

from calor.localcloud.identity.authentication import authenticate
from calor.localcloud.identity.catalog import catalog_for
from calor.localcloud.identity.grants import SYSTEM, roles_on, targets_of
from calor.localcloud.identity.hashing import fingerprint
from calor.localcloud.identity.rules import IdentityRoute, anyone, readers, services
from calor.localcloud.identity.scoping import settle_scope
from calor.localcloud.identity.state import Identity
from calor.localcloud.identity.tokens import Standing, issue, validate
from calor.localcloud.identity.views import show_domain, show_project, show_token
from calor.localcloud.lists import list_reply
from calor.localcloud.problems import Forbidden, NotFound
from calor.localcloud.reading import anything, shape
from calor.localcloud.web import NO_CONTENT, Call, Reply

_AUTH = shape({"identity": anything}, {"scope": anything})


async def issue_token(identity: Identity, call: Call) -> Reply:
    given = call.read_in("auth", _AUTH)
    proof = await authenticate(identity, given["identity"])
    token, standing = issue(identity, proof, settle_scope(identity, proof, given.get("scope")))
    return Reply(201, _shown(identity, call, standing), {"X-Subject-Token": token})


def show_subject(identity: Identity, call: Call) -> Reply:
    """GET and HEAD: both say whether the token is valid, GET also what it means."""
    text, standing = _subject(identity, call)
    body = None if call.method == "HEAD" else _shown(identity, call, standing)
    return Reply(200, body, {"X-Subject-Token": text})


def revoke_subject(identity: Identity, call: Call) -> Reply:
    text, standing = _subject(identity, call)
    if standing.user.id != call.caller.user_id and not call.caller.is_admin:
        raise Forbidden("Only its user can revoke a token.")
    identity.records.tokens.remove(fingerprint(text))
    return NO_CONTENT


def _subject(identity: Identity, call: Call) -> tuple[str, Standing]:
    """The token in question, for services and for its own user."""
    text = call.headers.get("x-subject-token", "")
    # Services may finish what a token began that has expired since.
    standing = validate(identity, text, allow_expired=services(call) and "allow_expired" in call.query)
    own = standing is not None and standing.user.id == call.caller.user_id
    if not own and not services(call) and not readers(call):
        raise Forbidden("You are not authorized to perform the requested action.")
    if standing is None:
        raise NotFound("Could not find token.")
    return text, standing


def _shown(identity: Identity, call: Call, standing: Standing) -> dict[str, Any]:
    return {"token": show_token(identity.records, standing, with_catalog="nocatalog" not in call.query)}


def get_catalog(identity: Identity, call: Call) -> Reply:
    caller = call.caller
    if not caller.roles:
        raise Forbidden("A token without a scope has no catalog.")
    catalog = catalog_for(identity.records, caller.user_id, caller.project_id)
    return Reply(body={"catalog": catalog, "links": {"self": call.url}})


def list_own_projects(identity: Identity, call: Call) -> Reply:
    found = targets_of(identity.records, call.caller.user_id, "project")
    return list_reply(call, "projects", [show_project(call, project) for project in found])


def list_own_domains(identity: Identity, call: Call) -> Reply:
    found = targets_of(identity.records, call.caller.user_id, "domain")
    return list_reply(call, "domains", [show_domain(call, domain) for domain in found])


def list_own_systems(identity: Identity, call: Call) -> Reply:
    has_any = roles_on(identity.records, call.caller.user_id, SYSTEM)
    return list_reply(call, "system", [{"all": True}] if has_any else [])


ROUTES = (
    IdentityRoute("POST", "/v3/auth/tokens", issue_token, None),
    IdentityRoute("GET", "/v3/auth/tokens", show_subject, anyone),
    IdentityRoute("DELETE", "/v3/auth/tokens", revoke_subject, anyone),
    IdentityRoute("GET", "/v3/auth/catalog", get_catalog, anyone),
    IdentityRoute("GET", "/v3/auth/projects", list_own_projects, anyone),
    IdentityRoute("GET", "/v3/auth/domains", list_own_domains, anyone),
    IdentityRoute("GET", "/v3/auth/system", list_own_systems, anyone),
)
