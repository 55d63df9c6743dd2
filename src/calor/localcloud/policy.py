"""Policy rules that several services share. Each service has its own in its `policy.py`."""

from __future__ import annotations

from calor.localcloud.roles import MEMBER, READING
from calor.localcloud.web import Call


def anyone(call: Call) -> bool:
    """Everyone with a valid token."""
    return True


def readers(call: Call) -> bool:
    """Readers, members and admins; not users with other roles only, such as those of stacks."""
    return bool(call.caller.roles & READING)


def writers(call: Call) -> bool:
    """Members of a project and admins; not readers."""
    caller = call.caller
    return caller.is_admin or (MEMBER in caller.roles and caller.project_id is not None)


def admins(call: Call) -> bool:
    return call.caller.is_admin
