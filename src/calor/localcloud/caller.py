"""Who makes a request, as every service of the cloud sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Caller:
    """What a valid token stands for. At most one of project, domain and system is set."""

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

    @property
    def is_admin(self) -> bool:
        """Whether this is an admin of the cloud. The role in a domain is for that domain alone."""
        return "admin" in self.roles and (self.project_id is not None or self.system)

    @property
    def administered_domain(self) -> str | None:
        """The domain whose users, groups and projects the caller administers."""
        return self.domain_id if "admin" in self.roles else None

    @property
    def home_domain_id(self) -> str:
        """The domain that is meant when a request names none."""
        return self.domain_id or self.project_domain_id or self.user_domain_id


ANONYMOUS = Caller(token_id="", user_id="", user_name="", user_domain_id="")

Authenticate = Callable[[str], Caller | None]
"""From the text of a token to who it stands for, or None where it is not valid."""
