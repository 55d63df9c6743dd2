"""Who asks."""

from __future__ import annotations

from dataclasses import dataclass


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
