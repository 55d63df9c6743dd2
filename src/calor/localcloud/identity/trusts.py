"""Trusts: a user (the trustor) delegates roles on a project to another user (the trustee)."""

from __future__ import annotations

from calor.localcloud.identity.grants import Target, roles_on
from calor.localcloud.identity.limits import check_trusts
from calor.localcloud.identity.lists import indexed_filters, list_reply
from calor.localcloud.identity.policy import readers
from calor.localcloud.identity.records import Role, Trust, need, new_id
from calor.localcloud.identity.removal import remove_trust
from calor.localcloud.identity.scoping import usable_trust
from calor.localcloud.identity.service import IdentityService, format_time
from calor.localcloud.identity.views import show_role, show_trust, show_whole_trust
from calor.localcloud.policy import anyone
from calor.localcloud.problems import BadRequest, Forbidden, NotFound
from calor.localcloud.requests import boolean, identifier, listing, moment, name, nullable, shape, whole
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply

DEEPEST_REDELEGATION = 3

ROLE = shape(optional={"id": identifier, "name": name})
_NEW = shape(
    {"trustor_user_id": identifier, "trustee_user_id": identifier, "impersonation": boolean},
    {
        "allow_redelegation": nullable(boolean),
        "expires_at": nullable(moment),
        "project_id": nullable(identifier),
        "redelegation_count": nullable(whole(0, 2**31)),
        "remaining_uses": nullable(whole(1, 2**31)),
        "roles": listing(ROLE),
    },
)


def create_trust(identity: IdentityService, call: Call) -> Reply:
    given = call.read_in("trust", _NEW)
    records = identity.records
    if given["trustor_user_id"] != call.caller.user_id:
        raise Forbidden("A trust can be created by its trustor only.")
    if call.caller.restricted:
        raise Forbidden("A restricted application credential cannot create trusts.")
    need("user", records.users, given["trustee_user_id"])
    expires = given.get("expires_at")
    if expires and expires <= identity.clock():
        raise BadRequest("trust.expires_at must be in the future.")
    project_id = given.get("project_id")
    parent = need("trust", records.trusts, call.caller.trust_id) if call.caller.trust_id else None
    trust = Trust(
        id=new_id(),
        trustor_user_id=given["trustor_user_id"],
        trustee_user_id=given["trustee_user_id"],
        impersonation=given["impersonation"],
        role_ids=_delegated_roles(identity, call, project_id, given.get("roles", ())),
        project_id=project_id,
        expires_at=format_time(expires) if expires else parent.expires_at if parent else None,
        remaining_uses=given.get("remaining_uses"),
        redelegation_count=_redelegations(given, parent),
        redelegated_trust_id=parent.id if parent else None,
    )
    if parent and (fault := redelegation_error(parent, trust)):
        raise Forbidden(fault)
    check_trusts(records, trust.trustor_user_id)
    records.trusts.add(trust)
    return Reply(201, {"trust": show_whole_trust(call, records, trust)})


def _delegated_roles(
    identity: IdentityService, call: Call, project_id: str | None, wanted: tuple[dict[str, str], ...]
) -> tuple[str, ...]:
    """The ids of the roles, which the trustor must have on the project."""
    if project_id is None:
        if wanted:
            raise BadRequest("trust.project_id is required when roles are delegated.")
        return ()
    need("project", identity.records.projects, project_id)
    if not wanted:
        raise Forbidden("A trust must delegate at least one role.")
    held = roles_on(identity.records, call.caller.user_id, Target("project", project_id))
    if call.caller.application_credential_id:
        # What the credential was made without must not be had through a trust.
        at_hand = call.caller.roles if project_id == call.caller.project_id else frozenset()
        held = tuple(role for role in held if role.name in at_hand)
    return pick_roles(held, wanted)


def pick_roles(held: tuple[Role, ...], wanted: tuple[dict[str, str], ...]) -> tuple[str, ...]:
    """The ids of the requested roles, which must be among those that the user has."""
    found: dict[str, None] = {}
    for role in wanted:
        if not role:
            raise BadRequest("A role must have an id or a name.")
        match = [
            each
            for each in held
            if role.get("id", each.id) == each.id and role.get("name", each.name) == each.name
        ]
        if not match:
            raise NotFound.of("role", role.get("id") or role["name"])
        found[match[0].id] = None
    return tuple(found)


def _redelegations(given: Json, parent: Trust | None) -> int:
    """The redelegation count of a new trust."""
    if not given.get("allow_redelegation"):
        return 0
    if given.get("remaining_uses") is not None:
        raise BadRequest("trust.remaining_uses must not be set if redelegation is allowed.")
    most = parent.redelegation_count - 1 if parent else DEEPEST_REDELEGATION
    asked = given.get("redelegation_count")
    if asked is not None and asked > most:
        raise Forbidden(f"trust.redelegation_count must be at most {max(most, 0)}.")
    return max(most, 0) if asked is None else int(asked)


def redelegation_error(parent: Trust, trust: Trust) -> str | None:
    """The error if a trust gives more than the one that is redelegated, or None."""
    if parent.redelegation_count < 1:
        return "The trust does not allow redelegation."
    if not parent.impersonation:
        return "A trust without impersonation cannot be redelegated."
    if trust.project_id != parent.project_id:
        return "A trust can be redelegated only for its own project."
    if not set(trust.role_ids) <= set(parent.role_ids):
        return "Some of the requested roles are not in the redelegated trust."
    if parent.expires_at and (trust.expires_at or "") > parent.expires_at:
        return "Requested expiration time is more than redelegated trust can provide."
    return None


def list_trusts(identity: IdentityService, call: Call) -> Reply:
    """Admins see all trusts; others those in which they are the trustor or the trustee."""
    query = call.query
    own = call.caller.user_id in (query.get("trustor_user_id"), query.get("trustee_user_id"))
    if not own and not readers(call):
        raise Forbidden("Only your own trusts can be listed, with trustor_user_id or trustee_user_id.")
    found = identity.records.trusts.find(**indexed_filters(call, "trustor_user_id", "trustee_user_id"))
    shown = [show_trust(call, trust) for trust in found if usable_trust(identity, trust.id)]
    return list_reply(call, "trusts", shown)


def get_trust(identity: IdentityService, call: Call) -> Reply:
    return Reply(body={"trust": show_whole_trust(call, identity.records, _trust(identity, call))})


def delete_trust(identity: IdentityService, call: Call) -> Reply:
    trust = need("trust", identity.records.trusts, call.path["trust_id"])
    if trust.trustor_user_id != call.caller.user_id and not call.caller.is_admin:
        raise Forbidden("A trust can be deleted by its trustor only.")
    if call.caller.restricted:
        raise Forbidden("A restricted application credential cannot delete trusts.")
    # The token acts as the trustor, but must not affect the trustor's other trusts.
    if call.caller.trust_id and call.caller.trust_id not in (trust.id, trust.redelegated_trust_id):
        raise Forbidden("A trust-scoped token cannot delete other trusts.")
    with identity.records.store.transaction():
        remove_trust(identity.records, trust)
    return NO_CONTENT


def list_trust_roles(identity: IdentityService, call: Call) -> Reply:
    return list_reply(call, "roles", [show_role(call, role) for role in _roles(identity, call)])


def get_trust_role(identity: IdentityService, call: Call) -> Reply:
    for role in _roles(identity, call):
        if role.id == call.path["role_id"]:
            return Reply(body={"role": show_role(call, role)})
    raise NotFound.of("role", call.path["role_id"])


def _roles(identity: IdentityService, call: Call) -> list[Role]:
    found = (identity.records.roles.get(role_id) for role_id in _trust(identity, call).role_ids)
    return [role for role in found if role]


def _trust(identity: IdentityService, call: Call) -> Trust:
    """The trust, for its trustor and trustee and for readers of the system."""
    trust = usable_trust(identity, call.path["trust_id"])
    if trust is None:
        raise NotFound.of("trust", call.path["trust_id"])
    if call.caller.user_id not in (trust.trustor_user_id, trust.trustee_user_id) and not readers(call):
        raise Forbidden("A trust is visible to its trustor and its trustee only.")
    return trust


_ALL = "/v3/OS-TRUST/trusts"
_ONE = f"{_ALL}/{{trust_id}}"

ROUTES = (
    ServiceRoute("GET", _ALL, list_trusts, anyone),
    ServiceRoute("POST", _ALL, create_trust, anyone),
    ServiceRoute("GET", _ONE, get_trust, anyone),
    ServiceRoute("DELETE", _ONE, delete_trust, anyone),
    ServiceRoute("GET", f"{_ONE}/roles", list_trust_roles, anyone),
    ServiceRoute("GET", f"{_ONE}/roles/{{role_id}}", get_trust_role, anyone),
)
