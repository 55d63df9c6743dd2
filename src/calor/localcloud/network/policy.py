"""Who may send which requests to the network service. Which objects they see is decided for each: see `viewer.py`."""

from __future__ import annotations

from calor.localcloud.roles import READING, WRITING
from calor.localcloud.web import Call, Rule


def project_readers(call: Call) -> bool:
    """Users with a role in the project. Visibility is checked for each object."""
    caller = call.caller
    return caller.is_admin or (caller.project_id is not None and bool(caller.roles & READING))


def project_members(call: Call) -> bool:
    """Members of the project."""
    return call.caller.project_id is not None and bool(call.caller.roles & WRITING)


def usual_rule(method: str) -> Rule:
    return project_readers if method == "GET" else project_members
