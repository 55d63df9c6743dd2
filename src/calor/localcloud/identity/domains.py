"""Domains, which contain projects, users and groups."""

from __future__ import annotations

from calor.localcloud.identity.lists import indexed_filters, list_reply
from calor.localcloud.identity.policy import domain_members_or_readers, domain_readers
from calor.localcloud.identity.records import Project, new_id, new_record, updated_record
from calor.localcloud.identity.removal import remove_domain, revoke_tokens_of_domain
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.identity.views import show_domain
from calor.localcloud.policy import admins
from calor.localcloud.problems import Forbidden, NotFound
from calor.localcloud.requests import boolean, description, listing, mapping, name, shape
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.web import NO_CONTENT, Call, Reply

_MEMBERS = {
    "description": description,
    "enabled": boolean,
    "options": mapping,
    "tags": listing(name, longest=80),
}
_NEW = shape({"name": name}, _MEMBERS)
_CHANGE = shape(optional={"name": name, **_MEMBERS})


def list_domains(identity: IdentityService, call: Call) -> Reply:
    own = call.caller.administered_domain
    found = [
        domain
        for domain in identity.records.projects.find(
            **indexed_filters(call, "name"), domain_id=None, is_domain=True
        )
        if own is None or domain.id == own
    ]
    return list_reply(call, "domains", [show_domain(call, each) for each in found], ("id", "name", "enabled"))


def create_domain(identity: IdentityService, call: Call) -> Reply:
    given = call.read_in("domain", _NEW)
    domain = new_record(Project, given, id=new_id(), domain_id=None, is_domain=True)
    return Reply(201, {"domain": show_domain(call, identity.records.projects.add(domain))})


def get_domain(identity: IdentityService, call: Call) -> Reply:
    return Reply(body={"domain": show_domain(call, need_domain(identity, call.path["domain_id"]))})


def update_domain(identity: IdentityService, call: Call) -> Reply:
    domain = need_domain(identity, call.path["domain_id"])
    given = call.read_in("domain", _CHANGE)
    domain = updated_record(domain, given)
    with identity.records.store.transaction():
        if not domain.enabled:
            revoke_tokens_of_domain(identity.records, domain.id)
        identity.records.projects.put(domain)
    return Reply(body={"domain": show_domain(call, domain)})


def delete_domain(identity: IdentityService, call: Call) -> Reply:
    domain = need_domain(identity, call.path["domain_id"])
    if domain.enabled:
        raise Forbidden("A domain must be disabled before it is deleted.")
    with identity.records.store.transaction():
        remove_domain(identity.records, domain)
    return NO_CONTENT


def need_domain(identity: IdentityService, domain_id: str) -> Project:
    domain = identity.records.domain(domain_id)
    if domain is None:
        raise NotFound.of("domain", domain_id)
    return domain


ROUTES = (
    ServiceRoute("GET", "/v3/domains", list_domains, domain_readers),
    ServiceRoute("POST", "/v3/domains", create_domain, admins),
    ServiceRoute("GET", "/v3/domains/{domain_id}", get_domain, domain_members_or_readers),
    ServiceRoute("PATCH", "/v3/domains/{domain_id}", update_domain, admins),
    ServiceRoute("DELETE", "/v3/domains/{domain_id}", delete_domain, admins),
)
