"""Credentials of type ec2 and others, and tokens for requests that are signed with them."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from datetime import timedelta

from calor.localcloud.caller import Caller
from calor.localcloud.identity.grants import Actor
from calor.localcloud.identity.hashing import fingerprint
from calor.localcloud.identity.limits import check_credentials
from calor.localcloud.identity.lists import indexed_filters, list_reply
from calor.localcloud.identity.policy import (
    not_delegated,
    require_unprivileged,
    services,
    user_or_domain_admins,
)
from calor.localcloud.identity.records import Credential, Project, User, need, new_id, updated_record
from calor.localcloud.identity.scoping import resolve_scope
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.identity.signatures import SignedRequest, is_genuine, signed_at
from calor.localcloud.identity.tokens import Proof, active_user, issue
from calor.localcloud.identity.views import show_credential, show_token
from calor.localcloud.policy import anyone
from calor.localcloud.problems import BadRequest, Forbidden, NotFound, Unauthorized
from calor.localcloud.requests import identifier, mapping, name, nullable, parse_json, shape, text
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply

# The maximum age of a signature, against replays.
SIGNATURE_LIFETIME = timedelta(minutes=15)

_BLOB = text(16_384)
_NEW = shape({"blob": _BLOB, "type": name}, {"user_id": identifier, "project_id": nullable(identifier)})
_CHANGE = shape(
    optional={"blob": _BLOB, "type": name, "user_id": identifier, "project_id": nullable(identifier)}
)
_EC2_NEW = shape(optional={"tenant_id": identifier})
_EC2_KEYS = shape({"access": identifier, "secret": identifier}, others=True)
_SIGNED = shape(
    {"access": identifier, "signature": text(1024)},
    {
        "body_hash": nullable(text(128)),
        "headers": nullable(mapping),
        "host": text(1024),
        "params": nullable(mapping),
        "path": text(8192),
        "verb": text(16),
    },
)


def create_credential(identity: IdentityService, call: Call) -> Reply:
    given = call.read_in("credential", _NEW)
    user_id = given.get("user_id", call.caller.user_id)
    _require_owner(identity, call, user_id)
    check_credentials(identity.records, user_id)
    credential = Credential(new_id(), given["type"], given["blob"], user_id, given.get("project_id"))
    if credential.type == "ec2":
        credential = _ec2_identified(credential)
    return Reply(201, {"credential": show_credential(call, identity.records.credentials.add(credential))})


def _ec2_identified(credential: Credential) -> Credential:
    """The credential with the hash of its access key as the id."""
    if credential.project_id is None:
        raise BadRequest("A credential of type ec2 must have a project_id.")
    keys = _EC2_KEYS(parse_json(credential.blob.encode()), "credential.blob")
    return replace(credential, id=fingerprint(keys["access"]))


def list_credentials(identity: IdentityService, call: Call) -> Reply:
    """Those of the caller; all for admins. Not for readers of the system, since credentials are shown with their
    secrets."""
    found = identity.records.credentials.find(**indexed_filters(call, "user_id"))
    visible = [each for each in found if call.caller.is_admin or each.user_id == call.caller.user_id]
    shown = [show_credential(call, credential) for credential in visible]
    return list_reply(call, "credentials", shown, ("user_id", "type"))


def get_credential(identity: IdentityService, call: Call) -> Reply:
    return Reply(body={"credential": show_credential(call, _credential(identity, call))})


def update_credential(identity: IdentityService, call: Call) -> Reply:
    credential = _credential(identity, call)
    given = call.read_in("credential", _CHANGE)
    if "user_id" in given:
        _require_owner(identity, call, given["user_id"])
    credential = updated_record(credential, given)
    if credential.type == "ec2" and _ec2_identified(credential).id != credential.id:
        raise BadRequest("The access key of a credential cannot be changed.")
    return Reply(body={"credential": show_credential(call, identity.records.credentials.put(credential))})


def delete_credential(identity: IdentityService, call: Call) -> Reply:
    credential = _credential(identity, call)
    identity.records.credentials.remove(credential.id)
    return NO_CONTENT


def _credential(identity: IdentityService, call: Call) -> Credential:
    credential = identity.records.credentials.get(call.path["credential_id"])
    if credential is None:
        raise NotFound.of("credential", call.path["credential_id"])
    _require_owner(identity, call, credential.user_id)
    return credential


def _require_owner(identity: IdentityService, call: Call, user_id: str) -> User:
    """The user, if the caller is or administers the user. Raises NotFound or Forbidden."""
    user = need("user", identity.records.users, user_id)
    caller = call.caller
    if user.id == caller.user_id or caller.is_admin:
        return user
    if caller.administered_domain is None or caller.administered_domain != user.domain_id:
        raise Forbidden("You are not authorized to perform the requested action.")
    require_unprivileged(identity, call, Actor("user", user.id))
    return user


def create_ec2(identity: IdentityService, call: Call) -> Reply:
    given = call.read(_EC2_NEW)
    records, caller = identity.records, call.caller
    user = _require_owner(identity, call, call.path["user_id"])
    project_id = given.get("tenant_id") or caller.project_id
    if project_id is None:
        raise BadRequest("tenant_id is required.")
    project = need("project", records.projects, project_id)
    if not caller.is_admin and project_id != caller.project_id and not _administers(caller, project):
        raise Forbidden("A credential can be created for the project of the token only.")
    check_credentials(records, user.id)
    access = new_id()
    blob = json.dumps({"access": access, "secret": secrets.token_hex(16), "trust_id": None})
    credential = records.credentials.add(Credential(fingerprint(access), "ec2", blob, user.id, project_id))
    return Reply(201, {"credential": _show_ec2(call, credential)})


def _administers(caller: Caller, project: Project) -> bool:
    return caller.administered_domain is not None and caller.administered_domain == project.domain_id


def list_ec2(identity: IdentityService, call: Call) -> Reply:
    user = _require_owner(identity, call, call.path["user_id"])
    found = identity.records.credentials.find(user_id=user.id)
    shown = [_show_ec2(call, credential) for credential in found if credential.type == "ec2"]
    return list_reply(call, "credentials", shown)


def get_ec2(identity: IdentityService, call: Call) -> Reply:
    return Reply(body={"credential": _show_ec2(call, _ec2(identity, call))})


def delete_ec2(identity: IdentityService, call: Call) -> Reply:
    credential = _ec2(identity, call)
    identity.records.credentials.remove(credential.id)
    return NO_CONTENT


def _ec2(identity: IdentityService, call: Call) -> Credential:
    _require_owner(identity, call, call.path["user_id"])
    credential = identity.records.credentials.get(fingerprint(call.path["access"]))
    if credential is None or credential.user_id != call.path["user_id"]:
        raise NotFound.of("credential", call.path["access"])
    return credential


def _show_ec2(call: Call, credential: Credential) -> Json:
    keys = json.loads(credential.blob)
    link = f"{call.base}/v3/users/{credential.user_id}/credentials/OS-EC2/{keys['access']}"
    return {
        "user_id": credential.user_id,
        "tenant_id": credential.project_id,
        "access": keys["access"],
        "secret": keys["secret"],
        "trust_id": keys.get("trust_id"),
        "links": {"self": link},
    }


def exchange_signature(identity: IdentityService, call: Call) -> Reply:
    """Issues a token for the user who has signed a request to a service."""
    body = call.read(mapping)
    given = _SIGNED(body.get("ec2Credentials") or body.get("credentials"), "ec2Credentials")
    credential = identity.records.credentials.get(fingerprint(given["access"]))
    if credential is None or credential.type != "ec2":
        raise Unauthorized
    request = _signed_request(given)
    if not is_genuine(request, json.loads(credential.blob)["secret"]):
        raise Unauthorized
    try:
        moment = signed_at(request)
    except ValueError as error:
        raise Unauthorized(f"The time of the signature is invalid: {error}") from None
    if moment is not None and abs(identity.clock() - moment) > SIGNATURE_LIFETIME:
        raise Unauthorized("The signature has expired.")
    if not active_user(identity, credential.user_id):
        raise Unauthorized
    proof = Proof(credential.user_id, ("ec2credential",))
    scope = resolve_scope(identity, proof, {"project": {"id": credential.project_id}})
    token, state = issue(identity, proof, scope)
    shown = show_token(identity.records, state, with_catalog=True)
    return Reply(200, {"token": shown}, {"X-Subject-Token": token})


def _signed_request(given: Json) -> SignedRequest:
    params = {str(key): str(value) for key, value in (given.get("params") or {}).items()}
    headers = {str(key): str(value) for key, value in (given.get("headers") or {}).items()}
    request = SignedRequest(
        signature=given["signature"],
        verb=given.get("verb", "GET"),
        host=given.get("host", ""),
        path=given.get("path", "/"),
        params={key: value for key, value in params.items() if key != "Signature"},
        headers=headers,
    )
    body_hash = given.get("body_hash")
    return request if body_hash is None else replace(request, body_hash=body_hash)


# Credentials are shown with their secrets, which give all roles of the user: not for delegated tokens.
_SELF = not_delegated(anyone)
_OWNER = not_delegated(user_or_domain_admins)

_ONE = "/v3/credentials/{credential_id}"
_EC2 = "/v3/users/{user_id}/credentials/OS-EC2"

ROUTES = (
    ServiceRoute("GET", "/v3/credentials", list_credentials, _SELF),
    ServiceRoute("POST", "/v3/credentials", create_credential, _SELF),
    ServiceRoute("GET", _ONE, get_credential, _SELF),
    ServiceRoute("PATCH", _ONE, update_credential, _SELF),
    ServiceRoute("DELETE", _ONE, delete_credential, _SELF),
    ServiceRoute("GET", _EC2, list_ec2, _OWNER),
    ServiceRoute("POST", _EC2, create_ec2, _OWNER),
    ServiceRoute("GET", f"{_EC2}/{{access}}", get_ec2, _OWNER),
    ServiceRoute("DELETE", f"{_EC2}/{{access}}", delete_ec2, _OWNER),
    ServiceRoute("POST", "/v3/ec2tokens", exchange_signature, services),
)
