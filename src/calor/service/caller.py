"""Who asks."""

from __future__ import annotations

from dataclasses import dataclass, replace

STACK_USER = "heat_stack_user"
"""The role of users that stacks make."""


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated user in a project. `project` is the one of the request's path, which only an admin may
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
    """The types of the services in the caller's catalog. None where that is not known: then all are there."""
    own_project: str | None = None
    """The one that the token is for, where that is not the one of the path."""

    @property
    def home(self) -> str:
        """The project in which the caller makes things."""
        return self.own_project or self.project

    def at_home(self) -> Caller:
        return replace(self, project=self.home)

    @property
    def is_stack_user(self) -> bool:
        """Whether this is one of the users that stacks make for what runs on their servers."""
        return STACK_USER in self.roles

    @property
    def is_only_stack_user(self) -> bool:
        """Whether no role of a person's adds to what a stack user may do."""
        return self.is_stack_user and not self.is_admin and not {"member", "admin"}.intersection(self.roles)
