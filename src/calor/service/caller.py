"""The user who sends a request."""

from __future__ import annotations

from dataclasses import dataclass, replace

STACK_USER = "heat_stack_user"
"""The role of users that stacks create."""


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated user in a project. `project` is the project in the request's path, which only an admin may
    choose freely."""

    user_id: str
    username: str
    project: str
    project_name: str = ""
    roles: tuple[str, ...] = ()
    user_domain: str = "default"
    is_admin: bool = False
    token: str = ""
    trust_id: str | None = None
    services: frozenset[str] | None = None
    """The types of the services in the caller's catalog; None if the catalog is not known, and all are assumed to
    exist."""
    own_project: str | None = None
    """The project of the token, if it differs from that of the path."""

    @property
    def home(self) -> str:
        """The project in which the caller creates objects."""
        return self.own_project or self.project

    def at_home(self) -> Caller:
        return replace(self, project=self.home)

    @property
    def is_stack_user(self) -> bool:
        """Whether this is a user that a stack created for the software on its servers."""
        return STACK_USER in self.roles

    @property
    def is_only_stack_user(self) -> bool:
        """Whether the caller has only the role of a stack user."""
        return self.is_stack_user and not self.is_admin and not {"member", "admin"}.intersection(self.roles)
