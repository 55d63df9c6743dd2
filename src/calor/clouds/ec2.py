"""Requests signed in the manner of EC2: who signed them is for the identity service to say, which has the secrets."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from calor.clouds.calls import Api, content
from calor.clouds.errors import CloudError, Forbidden, NotFound, Permanent, Unauthorized
from calor.clouds.sessions import Cloud, access_of

if TYPE_CHECKING:
    from requests import Response

_VERSION_4 = "AWS4-HMAC-SHA256"
_SIGNATURES = frozenset({"Signature", "X-Amz-Signature"})


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request as it arrived: the path still quoted, the names of headers in whatever case."""

    verb: str
    host: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Claim:
    """Whose key a request says to be signed with, and the signature that is to prove it."""

    access: str
    signature: str
    version_4: bool


@dataclass(frozen=True, slots=True)
class Signer:
    """Who signed a request: a token of theirs, and what it is worth, as the identity service shows it."""

    token: str = field(repr=False)
    details: Mapping[str, Any]


def claim_of(request: ReceivedRequest) -> Claim | None:
    """What the request claims, None if it is not signed."""
    params = {**request.form, **request.query}
    if params.get("Signature") and params.get("AWSAccessKeyId"):
        return Claim(params["AWSAccessKeyId"], params["Signature"], version_4=False)
    if params.get("X-Amz-Signature") and params.get("X-Amz-Credential"):
        return Claim(_access(params["X-Amz-Credential"]), params["X-Amz-Signature"], version_4=True)
    parts = _authorization(request)
    if parts.get("Signature") and parts.get("Credential"):
        return Claim(_access(parts["Credential"]), parts["Signature"], version_4=True)
    return None


def token_request(request: ReceivedRequest, claim: Claim) -> dict[str, Any]:
    """What the identity service is to be told of a signed request."""
    # Version 4 signs a form as the body that it is.
    params = request.query if claim.version_4 else {**request.form, **request.query}
    return {
        "ec2Credentials": {
            "access": claim.access,
            "signature": claim.signature,
            "host": request.host.lower(),
            "verb": request.verb.upper(),
            "path": unquote(request.path),
            "params": {key: value for key, value in params.items() if key not in _SIGNATURES},
            # Keystone looks for Authorization and X-Amz-Date in just this case.
            "headers": {name.title(): value for name, value in request.headers.items()},
            "body_hash": hashlib.sha256(request.body).hexdigest(),
        }
    }


def signer_of(cloud: Cloud, request: ReceivedRequest, claim: Claim) -> Signer:
    """Raises Unauthorized if the signature is not what it claims to be, and nothing else is wrong."""
    identity, body = cloud.identity(cloud.service), token_request(request, claim)
    try:
        token = str(access_of(cloud.service).auth_token)
    except Unauthorized as error:
        raise _not_the_signer(error) from error
    try:
        answer = _exchange(identity, body)
    except Unauthorized:
        # It may be the service account's token that is not accepted.
        if _is_valid(identity, token):
            raise
        answer = _exchange(identity, body)
    return Signer(answer.headers["X-Subject-Token"], content(answer)["token"])


def _exchange(identity: Api, body: dict[str, Any]) -> Response:
    try:
        # Whoever sends bad signatures must not have the service account log in for each of them.
        return identity.send("POST", "/ec2tokens", body=body, log_in_again=False)
    except NotFound as error:
        # No such key, as some versions put it.
        raise Unauthorized(error.message, request_id=error.request_id, status=error.status) from error
    except Forbidden as error:
        raise _not_the_signer(error) from error


def _is_valid(identity: Api, token: str) -> bool:
    """Whether the session's token still counts. If not, the session has a new one afterwards."""
    try:
        identity.send("GET", "/auth/tokens?nocatalog", headers={"X-Subject-Token": token})
    except NotFound:
        return False
    return True


def _not_the_signer(error: CloudError) -> Permanent:
    """It is the service account that was refused, which is not for the signer to hear."""
    return Permanent(error.message, request_id=error.request_id, status=error.status)


def _access(credential: str) -> str:
    return credential.partition("/")[0]


def _authorization(request: ReceivedRequest) -> dict[str, str]:
    """The parts of a header Authorization of version 4."""
    written = next((value for name, value in request.headers.items() if name.lower() == "authorization"), "")
    kind, _, rest = written.partition(" ")
    if kind != _VERSION_4:
        return {}
    parts = (part.strip().partition("=") for part in rest.split(","))
    return {key: value for key, _, value in parts}
