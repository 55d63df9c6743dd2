"""Who may ask for what, and from which version of the API on. What depends on the object is decided where it is
found: others' servers are not found at all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from calor.localcloud.compute.microversions import FIRST, LAST, Version
from calor.localcloud.compute.state import Compute
from calor.localcloud.web import Call, Reply, Rule

_READING = frozenset({"reader", "member", "admin"})
_WRITING = frozenset({"member", "admin"})


@dataclass(frozen=True)
class ComputeRoute:
    method: str
    path: str
    """Below /v2.1."""
    handler: Callable[[Compute, Call], Reply | Awaitable[Reply]]
    rule: Rule
    since: Version = FIRST
    until: Version = LAST


def readers(call: Call) -> bool:
    return bool(call.caller.roles & _READING)


def members(call: Call) -> bool:
    """Those who may change what belongs to their project."""
    return bool(call.caller.roles & _WRITING) and call.caller.project_id is not None


def admins(call: Call) -> bool:
    return call.caller.is_admin
