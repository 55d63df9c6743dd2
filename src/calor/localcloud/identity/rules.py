"""Who may ask for what. Each route names its rule; what depends on the body is decided where it is read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from calor.localcloud.identity.state import Identity
from calor.localcloud.problems import Forbidden
from calor.localcloud.web import Call, Reply, Rule


@dataclass(frozen=True)
class IdentityRoute:
    method: str
    path: str
    handler: Callable[[Identity, Call], Reply | Awaitable[Reply]]
    rule: Rule | None


def anyone(call: Call) -> bool:
    """Whoever has a valid token."""
    return True


def admins(call: Call) -> bool:
    return call.caller.is_admin


def readers(call: Call) -> bool:
    """Admins, and auditors: those who may read in the whole system."""
    return call.caller.is_admin or (call.caller.system and "reader" in call.caller.roles)


def services(call: Call) -> bool:
    """Those who hold the requests of others against the identity service."""
    return call.caller.is_admin or "service" in call.caller.roles


def the_user_or_admins(call: Call) -> bool:
    return admins(call) or call.path["user_id"] == call.caller.user_id


def the_user_or_readers(call: Call) -> bool:
    return readers(call) or call.path["user_id"] == call.caller.user_id


def the_user(call: Call) -> bool:
    """Not even an admin may do this for another."""
    return call.path["user_id"] == call.caller.user_id


def members_or_readers(call: Call) -> bool:
    """Whoever works in the project may see it."""
    return readers(call) or call.path["project_id"] == call.caller.project_id


def inhabitants_or_readers(call: Call) -> bool:
    """Whoever works in the domain may see it."""
    caller = call.caller
    at_home = (caller.domain_id, caller.project_domain_id, caller.user_domain_id)
    return readers(call) or call.path["domain_id"] in at_home


def undelegated(rule: Rule) -> Rule:
    """The rule, but not for tokens of trusts and restricted application credentials: what was delegated must not be
    made into something that lasts longer or reaches further."""
    return lambda call: rule(call) and not call.caller.trust_id and not call.caller.restricted


def require_owner(call: Call, user_id: str | None) -> None:
    if not call.caller.is_admin and user_id != call.caller.user_id:
        raise Forbidden("You are not authorized to perform the requested action.")
