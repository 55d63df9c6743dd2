"""Requests with EC2 signatures, which the identity service verifies."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from calor.clouds.calls import Api, content
from calor.clouds.errors import CloudError, Forbidden, NotFound, Permanent, Unauthorized
from calor.clouds.sessions import Cloud, access_of
from calor.resources.values import JsonMapping, JsonObject

if TYPE_CHECKING:
    from requests import Response

_VERSION_4 = "AWS4-HMAC-SHA256"
_WITHOUT_BODY = frozenset({"0", "1", "2"})
_SIGNATURES = frozenset({"Signature", "X-Amz-Signature"})


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request as received: the path is quoted, header names may be in any case."""

    verb: str
    host: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def params(self) -> Mapping[str, str]:
        """The parameters of query and form."""
        return {**self.form, **self.query}


@dataclass(frozen=True, slots=True)
class Claim:
    """The access key that a request claims to be signed with, and the signature."""

    access: str
    signature: str
    version_4: bool


@dataclass(frozen=True, slots=True)
class Signer:
    """A token of the user who signed a request, and the token's details."""

    token: str = field(repr=False)
    details: JsonMapping


def has_signature(request: ReceivedRequest) -> bool:
    """Whether a request has a signature, be it without an access key."""
    return any(request.params.get(name) for name in _SIGNATURES) or "Signature" in _authorization(request)


def claim_of(request: ReceivedRequest) -> Claim | None:
    """The claim of a request; None if it is not signed."""
    params = request.params
    if params.get("Signature") and params.get("AWSAccessKeyId"):
        return Claim(params["AWSAccessKeyId"], params["Signature"], version_4=False)
    if params.get("X-Amz-Signature") and params.get("X-Amz-Credential"):
        return Claim(_access(params["X-Amz-Credential"]), params["X-Amz-Signature"], version_4=True)
    parts = _authorization(request)
    if parts.get("Signature") and parts.get("Credential"):
        return Claim(_access(parts["Credential"]), parts["Signature"], version_4=True)
    return None


def is_version_4(request: ReceivedRequest) -> bool:
    claim = claim_of(request)
    return claim is not None and claim.version_4


def is_over_body(request: ReceivedRequest) -> bool:
    """Whether the signature may cover the body, which then has to be read to verify it. Versions before 4, used in
    pre-signed URLs, do not."""
    return request.params.get("SignatureVersion") not in _WITHOUT_BODY


def signed_paths(request: ReceivedRequest, claim: Claim) -> tuple[str, ...]:
    """The forms of the path that the signature may cover. In version 4, AWS's clients quote the path as it is sent once
    more, which Keystone cannot know."""
    plain = unquote(request.path)
    if not claim.version_4:
        return (plain,)
    return tuple(dict.fromkeys((plain, quote(request.path, safe="/-_.~"))))


def token_request(request: ReceivedRequest, claim: Claim, path: str | None = None) -> JsonObject:
    """The body of the request to the identity service that verifies a signature, over another form of the path if
    given."""
    # Version 4 signs a form as a body.
    params = request.query if claim.version_4 else request.params
    return {
        "ec2Credentials": {
            "access": claim.access,
            "signature": claim.signature,
            "host": request.host.lower(),
            "verb": request.verb.upper(),
            "path": unquote(request.path) if path is None else path,
            "params": {key: value for key, value in params.items() if key not in _SIGNATURES},
            # Keystone expects Authorization and X-Amz-Date in this case.
            "headers": {name.title(): value for name, value in request.headers.items()},
            "body_hash": hashlib.sha256(request.body).hexdigest(),
        }
    }


def signer_of(cloud: Cloud, request: ReceivedRequest, claim: Claim) -> Signer:
    """The verified signer. Raises Unauthorized only if the signature is invalid."""
    *others, last = signed_paths(request, claim)
    for path in others:
        with suppress(Unauthorized):
            return _signer_over(cloud, token_request(request, claim, path))
    return _signer_over(cloud, token_request(request, claim, last))


def _signer_over(cloud: Cloud, body: JsonObject) -> Signer:
    identity = cloud.identity(cloud.service)
    try:
        token = str(access_of(cloud.service).auth_token)
    except Unauthorized as error:
        raise _not_the_signer(error) from error
    try:
        response = _exchange(identity, body)
    except Unauthorized:
        # The service account's token may have been rejected instead.
        if _is_valid(identity, token):
            raise
        response = _exchange(identity, body)
    return Signer(response.headers["X-Subject-Token"], content(response)["token"])


def _exchange(identity: Api, body: JsonObject) -> Response:
    try:
        # Invalid signatures must not make the service account log in each time.
        return identity.send("POST", "/ec2tokens", body=body, log_in_again=False)
    except NotFound as error:
        # Some versions respond so to an unknown key.
        raise Unauthorized(error.message, request_id=error.request_id, status=error.status) from error
    except Forbidden as error:
        raise _not_the_signer(error) from error


def _is_valid(identity: Api, token: str) -> bool:
    """Whether the session's token is still valid. If not, the session gets a new one."""
    try:
        identity.send("GET", "/auth/tokens?nocatalog", headers={"X-Subject-Token": token})
    except NotFound:
        return False
    return True


def _not_the_signer(error: CloudError) -> Permanent:
    """The service account was rejected, which is not the signer's fault."""
    return Permanent(error.message, request_id=error.request_id, status=error.status)


def _access(credential: str) -> str:
    return credential.partition("/")[0]


def _authorization(request: ReceivedRequest) -> dict[str, str]:
    """The parts of a version 4 Authorization header."""
    header = next((value for name, value in request.headers.items() if name.lower() == "authorization"), "")
    kind, _, rest = header.partition(" ")
    if kind != _VERSION_4:
        return {}
    parts = (part.strip().partition("=") for part in rest.split(","))
    return {key: value for key, _, value in parts}
