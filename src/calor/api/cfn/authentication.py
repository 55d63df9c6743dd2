"""Who sends a request: by an EC2 signature, or by a token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from calor.api.auth import Authenticator, Identity, IsAdmin
from calor.api.cfn.errors import Refused
from calor.api.cfn.expiry import check_current, check_dated
from calor.clouds.ec2 import ReceivedRequest, Signer, claim_of, has_signature
from calor.clouds.errors import CloudError, Unauthorized
from calor.service.caller import Caller

_WEAK_VERSIONS = ("0", "1")
"""Whoever has recorded such a request can change its parameters."""

Verify = Callable[[ReceivedRequest], Signer]
"""Returns the signer of a request. Raises CloudError."""


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Authentication:
    """Methods that identify callers may block. They raise Refused and ServiceError."""

    verify: Verify
    is_admin: IsAdmin
    tokens: Authenticator | None = None
    """Authenticates requests with a token; None if only signatures count."""
    clock: Callable[[], datetime] = _now

    @property
    def challenge(self) -> str | None:
        return None if self.tokens is None else self.tokens.challenge

    def goes_by_token(self, request: ReceivedRequest) -> bool:
        """Whether a request is authenticated by its token, which needs no body."""
        has_token = any(name.lower() == "x-auth-token" for name in request.headers)
        return self.tokens is not None and has_token and not has_signature(request)

    def by_token(self, request: ReceivedRequest) -> Caller:
        assert self.tokens is not None
        return self.tokens.authenticate_at_home({name.lower(): one for name, one in request.headers.items()})

    def signer(self, request: ReceivedRequest) -> Caller:
        """The caller who has signed a request, in the project of the keys."""
        check_signed(request)
        check_current(request, self.clock())
        try:
            signer = self.verify(request)
        except Unauthorized:
            raise Refused("AccessDenied", "The signature is not valid.") from None
        except CloudError as error:
            raise Refused("ServiceUnavailable", str(error)) from None
        # The token is as new as the request.
        identity = Identity.of_token(signer.token, signer.details, float("inf"))
        return identity.at_home(self.is_admin)

    def dated_signer(self, request: ReceivedRequest) -> Caller:
        """Like `signer`, for requests that must not be valid for ever."""
        check_signed(request)
        check_dated(request)
        return self.signer(request)


def check_signed(request: ReceivedRequest) -> None:
    """Raises Refused if the signature of a request is incomplete, without checking it."""
    if not has_signature(request):
        raise Refused("IncompleteSignature", "The request is not signed.")
    if claim_of(request) is None:
        raise Refused("MissingAuthenticationToken", "The request has a signature, but no access key.")
    if request.params.get("SignatureVersion") in _WEAK_VERSIONS:
        raise Refused(
            "AccessDenied", "Signatures of this version do not cover all of a request: use version 2 or 4."
        )
