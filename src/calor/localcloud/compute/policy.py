"""Who may send which requests to the compute service. What depends on the object is decided where it is found: servers
of other projects are not found at all."""

from __future__ import annotations

from calor.localcloud.roles import WRITING
from calor.localcloud.web import Call


def members(call: Call) -> bool:
    """Members of the project."""
    return bool(call.caller.roles & WRITING) and call.caller.project_id is not None


def members_or_admins(call: Call) -> bool:
    """For server actions, which have further rules of their own."""
    return members(call) or call.caller.is_admin
