"""Who may send which requests to the volume service."""

from __future__ import annotations

from calor.localcloud.roles import MEMBER
from calor.localcloud.web import Call


def writers(call: Call) -> bool:
    """Members and admins, not readers."""
    return call.caller.is_admin or MEMBER in call.caller.roles
