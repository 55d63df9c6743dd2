"""Projects and their tags."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.identity.lists import indexed_filters, list_reply
from calor.localcloud.identity.policy import (
    domain_admins,
    domain_readers,
    members_or_readers,
    reach_filters,
    require_ordinary_project,
    require_reach,
)
from calor.localcloud.identity.records import Project, need, new_id, new_record, updated_record
from calor.localcloud.identity.removal import remove_project
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.identity.views import show_project
from calor.localcloud.problems import BadRequest, Forbidden, NotFound
from calor.localcloud.requests import (
    boolean,
    description,
    identifier,
    listing,
    mapping,
    name,
    nullable,
    shape,
    truth,
)
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.web import NO_CONTENT, Call, Reply

_FILTERS = ("id", "name", "domain_id", "enabled", "parent_id", "is_domain")
_TAGS = listing(name, longest=80)
_MEMBERS = {
    "description": description,
    "domain_id": nullable(identifier),
    "enabled": boolean,
    "is_domain": boolean,
    "options": mapping,
    "parent_id": nullable(identifier),
    "tags": _TAGS,
}
_NEW = shape({"name": name}, _MEMBERS, others=True)
_CHANGE = shape(optional={"name": name, **_MEMBERS}, others=True)


def list_projects(identity: IdentityService, call: Call) -> Reply:
    found = identity.records.projects.find(
        **{**indexed_filters(call, "name", "domain_id"), **reach_filters(call)}
    )
    domains = truth(call.query.get("is_domain", "false"))
    tags = {tag for tag in call.query.get("tags", "").split(",") if tag}
    shown = [
        show_project(call, project)
        for project in found
        if project.is_domain == domains and tags.issubset(project.tags)
    ]
    return list_reply(call, "projects", shown, _FILTERS)


def create_project(identity: IdentityService, call: Call) -> Reply:
    given = call.read_in("project", _NEW)
    records = identity.records
    if given.pop("is_domain", False):
        raise BadRequest("Use POST /v3/domains to create a domain.")
    parent_id = given.pop("parent_id", None)
    parent = need("project", records.projects, parent_id) if parent_id else None
    inherited = (parent.id if parent.is_domain else parent.domain_id) if parent else None
    domain_id = given.pop("domain_id", None) or inherited or call.caller.home_domain_id
    require_reach(call, domain_id)
    if records.domain(domain_id) is None:
        raise NotFound.of("domain", domain_id)
    if inherited and inherited != domain_id:
        raise BadRequest("project.parent_id must be in the domain of the project.")
    project = new_record(Project, given, id=new_id(), domain_id=domain_id, parent_id=parent_id or domain_id)
    return Reply(201, {"project": show_project(call, records.projects.add(project))})


def get_project(identity: IdentityService, call: Call) -> Reply:
    return Reply(body={"project": show_project(call, _project(identity, call))})


def update_project(identity: IdentityService, call: Call) -> Reply:
    project = _project(identity, call)
    require_ordinary_project(identity, call, project.id)
    given = call.read_in("project", _CHANGE)
    for fixed in ("domain_id", "parent_id", "is_domain"):
        if given.get(fixed, getattr(project, fixed)) != getattr(project, fixed):
            raise BadRequest(f"project.{fixed} cannot be changed.")
    if project.is_domain and given.get("enabled") is False:
        raise Forbidden("Use PATCH /v3/domains to disable a domain.")
    return Reply(body={"project": show_project(call, _keep(identity, updated_record(project, given)))})


def delete_project(identity: IdentityService, call: Call) -> Reply:
    project = _project(identity, call)
    require_ordinary_project(identity, call, project.id)
    if project.is_domain:
        raise Forbidden("Use DELETE /v3/domains to delete a domain.")
    if identity.records.projects.find(parent_id=project.id):
        raise Forbidden("A project with child projects cannot be deleted.")
    with identity.records.store.transaction():
        remove_project(identity.records, project)
    return NO_CONTENT


def list_tags(identity: IdentityService, call: Call) -> Reply:
    return Reply(body={"tags": _project(identity, call).tags, "links": {"self": call.url}})


def set_tags(identity: IdentityService, call: Call) -> Reply:
    project = replace(_project(identity, call), tags=call.read_in("tags", _TAGS))
    return Reply(body={"tags": _keep(identity, project).tags, "links": {"self": call.url}})


def clear_tags(identity: IdentityService, call: Call) -> Reply:
    _keep(identity, replace(_project(identity, call), tags=()))
    return NO_CONTENT


def check_tag(identity: IdentityService, call: Call) -> Reply:
    if call.path["tag"] not in _project(identity, call).tags:
        raise NotFound.of("project tag", call.path["tag"])
    return NO_CONTENT


def add_tag(identity: IdentityService, call: Call) -> Reply:
    project = _project(identity, call)
    tag = name(call.path["tag"], "The tag")
    tags = tuple(dict.fromkeys((*project.tags, tag)))
    _keep(identity, replace(project, tags=_TAGS(list(tags), "The tags")))
    return Reply(201, headers={"Location": call.url})


def remove_tag(identity: IdentityService, call: Call) -> Reply:
    check_tag(identity, call)
    project = _project(identity, call)
    _keep(identity, replace(project, tags=tuple(tag for tag in project.tags if tag != call.path["tag"])))
    return NO_CONTENT


def _project(identity: IdentityService, call: Call) -> Project:
    project = need("project", identity.records.projects, call.path["project_id"])
    require_reach(call, project.id if project.is_domain else project.domain_id)
    return project


def _keep(identity: IdentityService, project: Project) -> Project:
    """Tokens of a project do not survive that it is disabled, even if it is enabled again."""
    with identity.records.store.transaction():
        if not project.enabled:
            identity.records.tokens.remove_where(project_id=project.id)
        return identity.records.projects.put(project)


_ONE = "/v3/projects/{project_id}"

ROUTES = (
    ServiceRoute("GET", "/v3/projects", list_projects, domain_readers),
    ServiceRoute("POST", "/v3/projects", create_project, domain_admins),
    ServiceRoute("GET", _ONE, get_project, members_or_readers),
    ServiceRoute("PATCH", _ONE, update_project, domain_admins),
    ServiceRoute("DELETE", _ONE, delete_project, domain_admins),
    ServiceRoute("GET", f"{_ONE}/tags", list_tags, members_or_readers),
    ServiceRoute("PUT", f"{_ONE}/tags", set_tags, domain_admins),
    ServiceRoute("DELETE", f"{_ONE}/tags", clear_tags, domain_admins),
    ServiceRoute("GET", f"{_ONE}/tags/{{tag}}", check_tag, members_or_readers),
    ServiceRoute("PUT", f"{_ONE}/tags/{{tag}}", add_tag, domain_admins),
    ServiceRoute("DELETE", f"{_ONE}/tags/{{tag}}", remove_tag, domain_admins),
)
