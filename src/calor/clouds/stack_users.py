"""Users that stacks create for their servers and signals, in a separate domain where each stack has a project: they
have no rights in the stack's own project or in any other stack's.

All functions are idempotent, so that interrupted work can be repeated.
"""

from __future__ import annotations

import json
import secrets
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import uuid4

from calor.clouds.calls import Api
from calor.clouds.errors import Conflict, Forbidden, NotFound, Permanent
from calor.clouds.sessions import Cloud, access_of
from calor.clouds.signing import KeyPair
from calor.resources.values import JsonObject

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
    """Manages the users of the domain, as the configured domain admin. Without one, as the service account, which
    creates the domain if necessary and makes itself its admin. Either way, tokens are scoped to the domain."""

    def __init__(
        self,
        cloud: Cloud,
        domain: str = "heat",
        *,
        id: str | None = None,
        role: str = "heat_stack_user",
        admin: DomainAdmin | None = None,
    ) -> None:
        """The domain's id takes precedence over its name."""
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

    def create_project(self, project: str, stack_id: str) -> str:
        """Creates the project for the users of a stack in `project`; returns its id."""
        domain, name = self._domain, project_name(project, stack_id)
        wanted = {"name": name, "domain_id": domain.id, "description": "Users of a stack"}
        try:
            created = domain.identity.request("POST", "projects", body={"project": wanted})["project"]
        except Conflict:
            created = self._named("projects", name)
        return str(created["id"])

    def create_user(self, name: str, project_id: str, password: str | None = None) -> StackUser:
        """Creates a user in a stack's project, or gives an existing one a new password, random by default. Raises
        Conflict if another stack has a user of that name."""
        domain, password = self._domain, password or new_password()
        wanted = {
            "name": name,
            "domain_id": domain.id,
            "default_project_id": project_id,
            "password": password,
            "enabled": True,
            # Servers cannot change their password.
            "options": {"ignore_password_expiry": True, "ignore_change_password_upon_first_use": True},
        }
        try:
            user_id = str(domain.identity.request("POST", "users", body={"user": wanted})["user"]["id"])
        except Conflict as conflict:
            existing = self._named("users", name)
            if existing.get("default_project_id") != project_id:
                raise conflict from None
            user_id = str(existing["id"])
            renewed = {"password": password, "enabled": True}
            domain.identity.request("PATCH", "users", user_id, body={"user": renewed})
        domain.identity.request("PUT", "projects", project_id, "users", user_id, "roles", domain.role_id)
        return StackUser(user_id, name, password, project_id, domain.id)

    def enable_user(self, user_id: str, enabled: bool) -> None:
        """Enables or disables a user; disabling revokes its tokens. It is not an error if it does not exist."""
        with suppress(NotFound):
            self._domain.identity.request("PATCH", "users", user_id, body={"user": {"enabled": enabled}})

    def delete_user(self, user_id: str) -> None:
        """Deletes a user with its keys."""
        self._domain.identity.delete("users", user_id)

    def create_keys(self, user_id: str, password: str, project_id: str) -> KeyPair:
        """Creates a user's EC2 keys. The user creates them itself, as a credential: the EC2 API is forbidden for the
        domain admin, and for users without the member role in their project."""
        identity = self._cloud.identity(self._cloud.as_user(user_id, password, project_id))
        params = {"user_id": user_id, "type": "ec2"}
        for known in identity.request("GET", "credentials", params=params)["credentials"]:
            if known["project_id"] == project_id:
                return _keys(known["blob"])
        blob = json.dumps({"access": uuid4().hex, "secret": secrets.token_hex(16)})
        wanted = {**params, "project_id": project_id, "blob": blob}
        identity.request("POST", "credentials", body={"credential": wanted})
        return _keys(blob)

    def delete_project(self, project_id: str) -> None:
        """Deletes a stack's project with all its users."""
        domain = self._domain
        try:
            project = domain.identity.request("GET", "projects", project_id)["project"]
        except NotFound:
            return
        except Forbidden:
            project = {}
        if project.get("domain_id") != domain.id:
            # A wrong id must never delete a project that people work in.
            raise Permanent(f"The project {project_id} is not a project of stack users.")
        params = {"scope.project.id": project_id, "include_names": "true"}
        for assignment in domain.identity.request("GET", "role_assignments", params=params)[
            "role_assignments"
        ]:
            user = assignment.get("user", {})
            if user.get("domain", {}).get("id") == domain.id:
                self.delete_user(user["id"])
        domain.identity.delete("projects", project_id)

    def _named(self, plural: str, name: str) -> JsonObject:
        domain = self._domain
        found = _by_name(domain.identity, plural, name, domain_id=domain.id)
        if found is None:
            # Deleted since the conflict.
            raise NotFound(f"{name} no longer exists among the {plural} of the domain {self._name}.")
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
            domain_id = self._administer(cloud.identity(cloud.service))
            session = cloud.in_domain(domain_id)
        identity = cloud.identity(session)
        return _Domain(domain_id, _role_id(identity, self._role), identity)

    def _administer(self, identity: Api) -> str:
        """Makes the service account admin of the domain; returns the domain's id."""
        domain_id = self._id or self._find_or_create(identity)
        admin = _role_id(identity, "admin")
        user_id = str(access_of(identity.session).user_id)
        identity.request("PUT", "domains", domain_id, "users", user_id, "roles", admin)
        return domain_id

    def _find_or_create(self, identity: Api) -> str:
        domain = _by_name(identity, "domains", self._name)
        if domain is None:
            wanted = {"name": self._name, "description": "Users and projects of stacks"}
            try:
                domain = identity.request("POST", "domains", body={"domain": wanted})["domain"]
            except Conflict:
                # Another process created it at the same time.
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
    """A random password with characters of all classes, which some clouds require."""
    return f"{secrets.token_urlsafe(24)}-aA1"


def _by_name(identity: Api, plural: str, name: str, **more: str) -> JsonObject | None:
    found: list[JsonObject] = identity.request("GET", plural, params={"name": name, **more})[plural]
    return found[0] if found else None


def _role_id(identity: Api, name: str) -> str:
    role = _by_name(identity, "roles", name)
    if role is None:
        raise Permanent(f"The role {name} does not exist.")
    return str(role["id"])
