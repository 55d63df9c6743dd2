"""Authentication: an authenticator identifies the caller by the headers of a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from calor.api.errors import BadRequest, Unauthorized
from calor.resources.values import JsonMapping
from calor.service.caller import Caller
from calor.service.errors import Forbidden


class Authenticator(Protocol):
    """Called in a separate thread, so it may block."""

    @property
    def challenge(self) -> str:
        """The WWW-Authenticate header for unauthenticated requests."""

    def authenticate(self, headers: Mapping[str, str], project: str) -> Caller:
        """The caller, acting in the project of the path. Raises Unauthorized or Forbidden."""

    def authenticate_at_home(self, headers: Mapping[str, str]) -> Caller:
        """The caller, acting in the project of the credentials. Raises Unauthorized or Forbidden."""


IsAdmin = Callable[[Sequence[str], bool], bool]
"""Whether a user with these roles, in an admin project or not, is an admin of the cloud."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity behind a token or a password, from an identity service."""

    user_id: str
    username: str
    user_domain: str
    project: str | None
    project_name: str
    roles: tuple[str, ...]
    token: str
    expires_at: float
    is_admin_project: bool = True
    trust_id: str | None = None
    services: frozenset[str] | None = None
    system: bool = False
    """Whether the roles are for the whole system rather than for a project."""

    @classmethod
    def of_token(cls, token: str, body: JsonMapping, expires_at: float) -> Identity:
        """The identity in the body of a Keystone v3 token."""
        user, project = body["user"], body.get("project") or {}
        return cls(
            user_id=user["id"],
            username=user["name"],
            user_domain=user["domain"]["id"],
            project=project.get("id"),
            project_name=project.get("name", ""),
            roles=tuple(role["name"] for role in body.get("roles", ())),
            token=token,
            expires_at=expires_at,
            is_admin_project=bool(body.get("is_admin_project", True)),
            trust_id=(body.get("OS-TRUST:trust") or {}).get("id"),
            services=_services(body.get("catalog")),
            system=bool(body.get("system")),
        )

    def acting_in(self, project: str, is_admin: IsAdmin) -> Caller:
        """The caller in the project of the path, which only a cloud admin can choose freely: an admin of the system or,
        as is usual, of any project, but not of a domain. Raises Forbidden."""
        scoped = self.system or self.project is not None
        admin = scoped and is_admin(self.roles, self.is_admin_project)
        if self.project != project and not admin:
            raise Forbidden
        return Caller(
            user_id=self.user_id,
            username=self.username,
            project=project,
            project_name=self.project_name if self.project == project else "",
            roles=self.roles,
            user_domain=self.user_domain,
            is_admin=admin,
            token=self.token,
            trust_id=self.trust_id,
            services=self.services,
            own_project=self.project if self.project != project else None,
        )

    def at_home(self, is_admin: IsAdmin) -> Caller:
        """The caller in the project of the token. Raises Forbidden if it has none."""
        if self.project is None:
            raise Forbidden
        return self.acting_in(self.project, is_admin)


def _services(catalog: Any) -> frozenset[str] | None:
    """The types of the services with endpoints in a catalog."""
    if catalog is None:
        return None
    return frozenset(entry["type"] for entry in catalog if entry.get("endpoints"))


class MultiCloud:
    """Several clouds: X-Auth-Url selects one of the allowed clouds."""

    def __init__(self, clouds: Mapping[str, Authenticator]) -> None:
        self._clouds = {url.rstrip("/"): authenticator for url, authenticator in clouds.items()}

    @property
    def challenge(self) -> str:
        return next(iter(self._clouds.values())).challenge

    def authenticate(self, headers: Mapping[str, str], project: str) -> Caller:
        return self._chosen(headers).authenticate(headers, project)

    def authenticate_at_home(self, headers: Mapping[str, str]) -> Caller:
        return self._chosen(headers).authenticate_at_home(headers)

    def _chosen(self, headers: Mapping[str, str]) -> Authenticator:
        url = headers.get("x-auth-url", "").rstrip("/")
        if not url:
            raise BadRequest("The header X-Auth-Url is missing.")
        cloud = self._clouds.get(url)
        if cloud is None:
            raise Unauthorized(f"The cloud {url} is not allowed.")
        return cloud


class Backend(Protocol):
    """The interface of plug-ins that authenticate callers without Keystone."""

    def authenticate(self, headers: Mapping[str, str]) -> Identity | None:
        """The identity for the headers, whose names are in lower case; None if it is unknown. May block."""


class CustomAuthenticator:
    """Authenticates callers with a plug-in."""

    challenge = "Calor"

    def __init__(self, backend: Backend, is_admin: IsAdmin) -> None:
        self._backend = backend
        self._is_admin = is_admin

    def authenticate(self, headers: Mapping[str, str], project: str) -> Caller:
        return self._identity(headers).acting_in(project, self._is_admin)

    def authenticate_at_home(self, headers: Mapping[str, str]) -> Caller:
        return self._identity(headers).at_home(self._is_admin)

    def _identity(self, headers: Mapping[str, str]) -> Identity:
        identity = self._backend.authenticate(headers)
        if identity is None:
            raise Unauthorized
        return identity


class BackendMissing(LookupError):
    """There is no such plug-in, or none is selected of several."""


def load_backend(name: str | None, settings: Mapping[str, str]) -> Backend:
    """Loads the plug-in with this name in the entry point group `calor.auth_backends`, or the only one: a callable that
    takes the settings and returns a Backend. Raises BackendMissing."""
    from importlib.metadata import entry_points

    installed = {point.name: point for point in entry_points(group="calor.auth_backends")}
    known = ", ".join(sorted(installed)) or "none"
    if name is None and len(installed) != 1:
        raise BackendMissing(f"select an authentication backend; installed: {known}")
    chosen = installed.get(name) if name is not None else next(iter(installed.values()))
    if chosen is None:
        raise BackendMissing(f"no authentication backend {name} is installed; installed: {known}")
    made: Backend = chosen.load()(settings)
    return made
