"""The caller of a request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from calor.localcloud.roles import ADMIN


@dataclass(frozen=True)
class Caller:
    """The meaning of a valid token. At most one of project, domain and system is set."""

    token_id: str
    user_id: str
    user_name: str
    user_domain_id: str
    project_id: str | None = None
    project_name: str | None = None
    project_domain_id: str | None = None
    domain_id: str | None = None
    system: bool = False
    roles: frozenset[str] = frozenset()
    trust_id: str | None = None
    application_credential_id: str | None = None
    # A restricted application credential must not make further credentials.
    restricted: bool = False
    # Whether the trustee is not a service: those of stacks are services.
    deputy: bool = False

    def has_everywhere(self, role: str) -> bool:
        """Whether the caller has a cloud-wide role on a project or the system."""
        return role in self.roles and (self.project_id is not None or self.system)

    @property
    def is_admin(self) -> bool:
        """Whether the caller is a cloud admin. An admin of a domain is not."""
        return self.has_everywhere(ADMIN)

    @property
    def administered_domain(self) -> str | None:
        """The domain of a domain admin."""
        return self.domain_id if ADMIN in self.roles else None

    @property
    def home_domain_id(self) -> str:
        """The default domain of requests."""
        return self.domain_id or self.project_domain_id or self.user_domain_id


ANONYMOUS = Caller(token_id="", user_id="", user_name="", user_domain_id="")

Authenticate = Callable[[str], Caller | None]
"""Returns the caller for a token, or None if it is invalid."""
