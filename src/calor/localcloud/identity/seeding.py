"""Seeds the accounts of a new cloud, and registers services in the catalog at every start."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import replace

from calor.localcloud.config import REGION, AnnouncedService
from calor.localcloud.identity.grants import SYSTEM, Actor, Target, assign, imply
from calor.localcloud.identity.hashing import hash_random
from calor.localcloud.identity.records import (
    Announcement,
    Endpoint,
    Project,
    Records,
    Region,
    Role,
    Service,
    User,
    new_id,
)

DEFAULT_DOMAIN = "default"
_PROJECTS = ("admin", "demo", "service")
_ROLES = ("admin", "member", "reader", "service", "heat_stack_user")
_IMPLIED = (("admin", "member"), ("member", "reader"))
# User, project, roles there.
_USERS = (
    ("admin", "admin", ("admin",)),
    ("demo", "demo", ("member",)),
    ("heat", "service", ("admin", "service")),
)


def seed_accounts(records: Records) -> dict[str, str]:
    """Domain, projects, roles and users of a new cloud, once: what was removed since then stays away. Gives the
    passwords of the users it made."""
    with records.store.transaction():
        if records.domain(DEFAULT_DOMAIN):
            return {}
        records.projects.add(Project(DEFAULT_DOMAIN, "Default", domain_id=None, is_domain=True))
        projects = {
            name: records.projects.add(
                Project(new_id(), name, domain_id=DEFAULT_DOMAIN, parent_id=DEFAULT_DOMAIN)
            )
            for name in _PROJECTS
        }
        roles = {name: records.roles.add(Role(new_id(), name)).id for name in _ROLES}
        for prior, implied in _IMPLIED:
            imply(records, roles[prior], roles[implied])
        passwords: dict[str, str] = {}
        for name, project, held in _USERS:
            passwords[name] = secrets.token_urlsafe(18)
            user = User(
                id=new_id(),
                name=name,
                domain_id=DEFAULT_DOMAIN,
                password_hash=hash_random(passwords[name]),
                default_project_id=projects[project].id,
            )
            records.users.add(user)
            for role in held:
                assign(records, Actor("user", user.id), Target("project", projects[project].id), roles[role])
            if name == "admin":
                assign(records, Actor("user", user.id), Target("domain", DEFAULT_DOMAIN), roles["admin"])
                assign(records, Actor("user", user.id), SYSTEM, roles["admin"])
        return passwords


def register_services(records: Records, announced: Iterable[AnnouncedService]) -> None:
    """Makes the catalog show these services where they are now. What others have added, changed or removed stays so: an
    endpoint follows only as long as it has the URL that it was given here."""
    with records.store.transaction():
        if records.regions.get(REGION) is None:
            records.regions.add(Region(REGION))
        known = {(service.type, service.name): service for service in records.services.find()}
        for each in announced:
            service = known.get((each.type, each.name))
            if service is None:
                if records.announcements.get(_announcement_id(each, "public")) is not None:
                    continue
                service = records.services.add(Service(new_id(), each.type, each.name))
            _register_endpoints(records, each, service)


def _register_endpoints(records: Records, announced: AnnouncedService, service: Service) -> None:
    existing = {
        endpoint.interface: endpoint
        for endpoint in records.endpoints.find(service_id=service.id, region_id=REGION)
    }
    for interface in ("public", "internal", "admin"):
        url = announced.internal_url or announced.url if interface == "internal" else announced.url
        before = records.announcements.get(_announcement_id(announced, interface))
        endpoint = existing.get(interface)
        if endpoint is None and before is None:
            records.endpoints.add(Endpoint(new_id(), service.id, interface, url, REGION))
        elif endpoint is not None and (before is None or endpoint.url == before.url):
            records.endpoints.put(replace(endpoint, url=url))
        records.announcements.put(Announcement(_announcement_id(announced, interface), url))


def _announcement_id(announced: AnnouncedService, interface: str) -> str:
    return f"{announced.type}/{announced.name}/{interface}"
