"""Users that stacks make for their servers and signals. They live in a domain of their own, and each stack has a
project there: they can do nothing in the project of the stack, or in that of any other stack.

Whatever is made is found again if it exists, so that interrupted work can be repeated.
"""

from __future__ import annotations

import json
import secrets
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from calor.clouds.calls import Api
from calor.clouds.errors import Conflict, Forbidden, NotFound, Permanent
from calor.clouds.sessions import Cloud, access_of
from calor.clouds.signing import KeyPair

LONGEST_PROJECT_NAME = 64


@dataclass(frozen=True, slots=True)
class DomainAdmin:
    """A user of the domain with the role admin on it."""

    username: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class StackUser:
    id: str
    name: str
    password: str = field(repr=False)
    project_id: str
    domain_id: str


@dataclass(frozen=True, slots=True)
class _Domain:
    id: str
    role_id: str
    identity: Api


class StackUsers:
    """The users of a domain. If the cloud has an admin for it, that one does the work; otherwise the service account
    does, which makes the domain if there is none, and itself its admin. Either way with tokens for the domain alone,
    which reach nothing outside of it."""

    def __init__(
        self,
        cloud: Cloud,
        domain: str = "heat",
        *,
        id: str | None = None,
        role: str = "heat_stack_user",
        admin: DomainAdmin | None = None,
    ) -> None:
        """The domain's id, if given, goes before its name."""
        self._cloud = cloud
        self._name = domain
        self._id = id
        self._role = role
        self._admin = admin
        self._found: _Domain | None = None
        self._finding = threading.Lock()

    @property
    def domain_id(self) -> str:
        return self._domain.id

    def make_project(self, project: str, stack_id: str) -> str:
        """The id of the project for the users of a stack, whose own project is told for the name."""
        domain, name = self._domain, project_name(project, stack_id)
        wanted = {"name": name, "domain_id": domain.id, "description": "Users of a stack"}
        try:
            made = domain.identity.ask("POST", "projects", body={"project": wanted})["project"]
        except Conflict:
            made = self._named("projects", name)
        return str(made["id"])

    def make_user(self, name: str, project_id: str, password: str | None = None) -> StackUser:
        """A user in a stack's project, with a new password, also if there was one already: a random one unless one
        is given. Raises Conflict if another stack has a user of that name."""
        domain, password = self._domain, password or new_password()
        wanted = {
            "name": name,
            "domain_id": domain.id,
            "default_project_id": project_id,
            "password": password,
            "enabled": True,
            # Nobody is there to choose another password for a server.
            "options": {"ignore_password_expiry": True, "ignore_change_password_upon_first_use": True},
        }
        try:
            user_id = str(domain.identity.ask("POST", "users", body={"user": wanted})["user"]["id"])
        except Conflict as conflict:
            existing = self._named("users", name)
            if existing.get("default_project_id") != project_id:
                raise conflict from None
            user_id = str(existing["id"])
            renewed = {"password": password, "enabled": True}
            domain.identity.ask("PATCH", "users", user_id, body={"user": renewed})
        domain.identity.ask("PUT", "projects", project_id, "users", user_id, "roles", domain.role_id)
        return StackUser(user_id, name, password, project_id, domain.id)

    def enable_user(self, user_id: str, enabled: bool) -> None:
        """Lets a user in or keeps it out, with its tokens; that it is gone is fine."""
        with suppress(NotFound):
            self._domain.identity.ask("PATCH", "users", user_id, body={"user": {"enabled": enabled}})

    def delete_user(self, user_id: str) -> None:
        """Deletes a user with its keys."""
        self._domain.identity.delete("users", user_id)

    def make_keys(self, user_id: str, password: str, project_id: str) -> KeyPair:
        """The keys by which a user signs requests in the manner of EC2. The user makes them, as a credential: the
        interface for EC2 is closed to both the domain's admin and those who are no members of their project."""
        identity = self._cloud.identity(self._cloud.as_user(user_id, password, project_id))
        params = {"user_id": user_id, "type": "ec2"}
        for known in identity.ask("GET", "credentials", params=params)["credentials"]:
            if known["project_id"] == project_id:
                return _keys(known["blob"])
        blob = json.dumps({"access": uuid4().hex, "secret": secrets.token_hex(16)})
        wanted = {**params, "project_id": project_id, "blob": blob}
        identity.ask("POST", "credentials", body={"credential": wanted})
        return _keys(blob)

    def delete_project(self, project_id: str) -> None:
        """Deletes a stack's project with all its users."""
        domain = self._domain
        try:
            project = domain.identity.ask("GET", "projects", project_id)["project"]
        except NotFound:
            return
        except Forbidden:
            project = {}
        if project.get("domain_id") != domain.id:
            # A wrong id must never cost someone the project they work in.
            raise Permanent(f"The project {project_id} is not one for the users of stacks.")
        params = {"scope.project.id": project_id, "include_names": "true"}
        for assignment in domain.identity.ask("GET", "role_assignments", params=params)["role_assignments"]:
            user = assignment.get("user", {})
            if user.get("domain", {}).get("id") == domain.id:
                self.delete_user(user["id"])
        domain.identity.delete("projects", project_id)

    def _named(self, plural: str, name: str) -> dict[str, Any]:
        domain = self._domain
        found = _by_name(domain.identity, plural, name, domain_id=domain.id)
        if found is None:
            # It existed a moment ago.
            raise NotFound(f"The domain {self._name} has no more {name} among its {plural}.")
        return found

    @property
    def _domain(self) -> _Domain:
        with self._finding:
            if self._found is None:
                self._found = self._find_domain()
            return self._found

    def _find_domain(self) -> _Domain:
        cloud = self._cloud
        if self._admin:
            session = cloud.as_domain_admin(self._admin.username, self._admin.password, self._name, self._id)
            domain_id = str(access_of(session).domain_id)
        else:
            domain_id = self._administered(cloud.identity(cloud.service))
            session = cloud.in_domain(domain_id)
        identity = cloud.identity(session)
        return _Domain(domain_id, _role_id(identity, self._role), identity)

    def _administered(self, identity: Api) -> str:
        """The domain's id, with the service account as its admin."""
        domain_id = self._id or self._found_or_made(identity)
        admin = _role_id(identity, "admin")
        user_id = access_of(identity.session).user_id
        identity.ask("PUT", "domains", domain_id, "users", user_id, "roles", admin)
        return domain_id

    def _found_or_made(self, identity: Api) -> str:
        domain = _by_name(identity, "domains", self._name)
        if domain is None:
            wanted = {"name": self._name, "description": "Users and projects of stacks"}
            try:
                domain = identity.ask("POST", "domains", body={"domain": wanted})["domain"]
            except Conflict:
                # Another process made it at the same time.
                domain = _by_name(identity, "domains", self._name)
                if domain is None:
                    raise
        return str(domain["id"])


def project_name(project: str, stack_id: str) -> str:
    return f"{project}-{stack_id}"[:LONGEST_PROJECT_NAME]


def _keys(blob: str) -> KeyPair:
    keys = json.loads(blob)
    return KeyPair(keys["access"], keys["secret"])


def new_password() -> str:
    """Some clouds demand characters of every kind."""
    return f"{secrets.token_urlsafe(24)}-aA1"


def _by_name(identity: Api, plural: str, name: str, **more: str) -> dict[str, Any] | None:
    found: list[dict[str, Any]] = identity.ask("GET", plural, params={"name": name, **more})[plural]
    return found[0] if found else None


def _role_id(identity: Api, name: str) -> str:
    role = _by_name(identity, "roles", name)
    if role is None:
        raise Permanent(f"The cloud has no role {name}.")
    return str(role["id"])
