"""Roles and implied roles."""

from __future__ import annotations

from calor.localcloud.identity.domains import need_domain
from calor.localcloud.identity.grants import imply, with_implied
from calor.localcloud.identity.lists import indexed_filters, list_reply
from calor.localcloud.identity.policy import domain_readers, readers, require_reach, require_role_reach
from calor.localcloud.identity.records import Role, need, new_id, new_record, updated_record
from calor.localcloud.identity.removal import remove_role
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.identity.views import show_role
from calor.localcloud.policy import admins
from calor.localcloud.problems import BadRequest, Forbidden, NotFound
from calor.localcloud.requests import identifier, mapping, name, nullable, shape, text
from calor.localcloud.roles import ADMIN
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply

_MEMBERS = {"description": nullable(text()), "domain_id": nullable(identifier), "options": mapping}
_NEW = shape({"name": name}, _MEMBERS, others=True)
_CHANGE = shape(optional={"name": name, **_MEMBERS}, others=True)


def list_roles(identity: IdentityService, call: Call) -> Reply:
    """Without a domain in the query, the roles that belong to none."""
    domain_id = call.query.get("domain_id") or None
    if domain_id is not None:
        require_reach(call, domain_id)
    found = identity.records.roles.find(**indexed_filters(call, "name"), domain_id=domain_id)
    return list_reply(call, "roles", [show_role(call, each) for each in found], ("id", "name"))


def create_role(identity: IdentityService, call: Call) -> Reply:
    given = call.read_in("role", _NEW)
    if given.get("domain_id"):
        need_domain(identity, given["domain_id"])
    role = new_record(Role, given, id=new_id())
    return Reply(201, {"role": show_role(call, identity.records.roles.add(role))})


def get_role(identity: IdentityService, call: Call) -> Reply:
    return Reply(body={"role": show_role(call, _role(identity, call))})


def update_role(identity: IdentityService, call: Call) -> Reply:
    role = _role(identity, call)
    given = call.read_in("role", _CHANGE)
    if given.get("domain_id", role.domain_id) != role.domain_id:
        raise BadRequest("role.domain_id cannot be changed.")
    return Reply(body={"role": show_role(call, identity.records.roles.put(updated_record(role, given)))})


def delete_role(identity: IdentityService, call: Call) -> Reply:
    role = _role(identity, call)
    with identity.records.store.transaction():
        remove_role(identity.records, role.id)
    return NO_CONTENT


def list_implied(identity: IdentityService, call: Call) -> Reply:
    role = _role(identity, call)
    return Reply(body={"role_inference": _inference(identity, call, role), "links": {"self": call.url}})


def get_implied(identity: IdentityService, call: Call) -> Reply:
    prior, implied = _role(identity, call), _implied(identity, call)
    if identity.records.implications.get(f"{prior.id}:{implied.id}") is None:
        raise NotFound.of("implied role", implied.id)
    return _pair(call, 200, prior, implied)


def put_implied(identity: IdentityService, call: Call) -> Reply:
    prior, implied = _role(identity, call), _implied(identity, call)
    if implied.name == ADMIN:
        raise Forbidden("The role admin cannot be an implied role.")
    if prior.id in with_implied(identity.records.implications.find(), [implied.id]):
        raise Forbidden("Implied roles must not form a cycle.")
    imply(identity.records, prior.id, implied.id)
    return _pair(call, 201, prior, implied)


def delete_implied(identity: IdentityService, call: Call) -> Reply:
    get_implied(identity, call)
    identity.records.implications.remove(f"{call.path['role_id']}:{call.path['implied_id']}")
    return NO_CONTENT


def list_inferences(identity: IdentityService, call: Call) -> Reply:
    roles = identity.records.roles.find()
    inferences = [_inference(identity, call, role) for role in roles]
    return Reply(
        body={
            "role_inferences": [each for each in inferences if each["implies"]],
            "links": {"self": call.url, "previous": None, "next": None},
        }
    )


def _inference(identity: IdentityService, call: Call, role: Role) -> Json:
    implied = (
        identity.records.roles.get(implication.implied_id)
        for implication in identity.records.implications.find(prior_id=role.id)
    )
    return {
        "prior_role": show_role(call, role),
        "implies": [show_role(call, each) for each in implied if each],
    }


def _pair(call: Call, status: int, prior: Role, implied: Role) -> Reply:
    pair = {"prior_role": show_role(call, prior), "implies": show_role(call, implied)}
    return Reply(status, {"role_inference": pair, "links": {"self": call.url}})


def _role(identity: IdentityService, call: Call) -> Role:
    role = need("role", identity.records.roles, call.path["role_id"])
    require_role_reach(call, role)
    return role


def _implied(identity: IdentityService, call: Call) -> Role:
    return need("role", identity.records.roles, call.path["implied_id"])


_ONE = "/v3/roles/{role_id}"
_IMPLIED = f"{_ONE}/implies/{{implied_id}}"

ROUTES = (
    ServiceRoute("GET", "/v3/roles", list_roles, domain_readers),
    ServiceRoute("POST", "/v3/roles", create_role, admins),
    ServiceRoute("GET", _ONE, get_role, domain_readers),
    ServiceRoute("PATCH", _ONE, update_role, admins),
    ServiceRoute("DELETE", _ONE, delete_role, admins),
    ServiceRoute("GET", f"{_ONE}/implies", list_implied, readers),
    ServiceRoute("GET", _IMPLIED, get_implied, readers),
    ServiceRoute("PUT", _IMPLIED, put_implied, admins),
    ServiceRoute("DELETE", _IMPLIED, delete_implied, admins),
    ServiceRoute("GET", "/v3/role_inferences", list_inferences, readers),
)
