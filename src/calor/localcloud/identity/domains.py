"""Domains: what projects, users and groups are in."""

from __future__ import annotations

from calor.localcloud.identity.records import Project, changed, made, new_id
from calor.localcloud.identity.removal import end_tokens_of_domain, remove_domain
from calor.localcloud.identity.rules import IdentityRoute, admins, domain_readers, inhabitants_or_readers
from calor.localcloud.identity.state import Identity
from calor.localcloud.identity.views import show_domain
from calor.localcloud.lists import chosen, list_reply
from calor.localcloud.problems import Forbidden, NotFound
from calor.localcloud.reading import boolean, description, listing, mapping, name, shape
from calor.localcloud.web import NO_CONTENT, Call, Reply

_MEMBERS = {
    "description": description,
    "enabled": boolean,
    "options": mapping,
    "tags": listing(name, longest=80),
}
_NEW = shape({"name": name}, _MEMBERS)
_CHANGE = shape(optional={"name": name, **_MEMBERS})


def list_domains(identity: Identity, call: Call) -> Reply:
    own = call.caller.administered_domain
    found = [
        domain
        for domain in identity.records.projects.find(**chosen(call, "name"), domain_id=None, is_domain=True)
        if own is None or domain.id == own
    ]
    return list_reply(call, "domains", [show_domain(call, each) for each in found], ("id", "name", "enabled"))


def create_domain(identity: Identity, call: Call) -> Reply:
    given = call.read_in("domain", _NEW)
    domain = made(Project, given, id=new_id(), domain_id=None, is_domain=True)
    return Reply(201, {"domain": show_domain(call, identity.records.projects.add(domain))})


def get_domain(identity: Identity, call: Call) -> Reply:
    return Reply(body={"domain": show_domain(call, need_domain(identity, call.path["domain_id"]))})


def update_domain(identity: Identity, call: Call) -> Reply:
    domain = need_domain(identity, call.path["domain_id"])
    given = call.read_in("domain", _CHANGE)
    domain = changed(domain, given)
    with identity.records.store.transaction():
        if not domain.enabled:
            end_tokens_of_domain(identity.records, domain.id)
        identity.records.projects.put(domain)
    return Reply(body={"domain": show_domain(call, domain)})


def delete_domain(identity: Identity, call: Call) -> Reply:
    domain = need_domain(identity, call.path["domain_id"])
    if domain.enabled:
        raise Forbidden("A domain must be disabled before it is deleted.")
    with identity.records.store.transaction():
        remove_domain(identity.records, domain)
    return NO_CONTENT


def need_domain(identity: Identity, domain_id: str) -> Project:
    domain = identity.records.domain(domain_id)
    if domain is None:
        raise NotFound.of("domain", domain_id)
    return domain


ROUTES = (
    IdentityRoute("GET", "/v3/domains", list_domains, domain_readers),
    IdentityRoute("POST", "/v3/domains", create_domain, admins),
    IdentityRoute("GET", "/v3/domains/{domain_id}", get_domain, inhabitants_or_readers),
    IdentityRoute("PATCH", "/v3/domains/{domain_id}", update_domain, admins),
    IdentityRoute("DELETE", "/v3/domains/{domain_id}", delete_domain, admins),
)
