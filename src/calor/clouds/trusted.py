"""Login through a trust: exchanges the service account's token for one of the trust.

That is much faster than a password, which is slow to verify by design.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from keystoneauth1.access import AccessInfo
from keystoneauth1.exceptions import HTTPClientError
from keystoneauth1.identity import v3
from keystoneauth1.identity.base import BaseIdentityPlugin
from keystoneauth1.session import Session


class TrustLogin(BaseIdentityPlugin):
    """Falls back to the password if the identity service does not allow tokens to be exchanged."""

    def __init__(
        self,
        identity_url: str,
        trust_id: str,
        service: Session,
        by_password: v3.Password,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`service` is the trustee's session; `by_password` is its login through the trust."""
        super().__init__(identity_url)
        self._identity_url = identity_url
        self._trust_id = trust_id
        self._service = service
        self._by_password = by_password
        self._clock = clock

    def get_auth_ref(self, session: Session) -> AccessInfo:
        try:
            exchange = v3.Token(self._identity_url, self._lasting_token(), trust_id=self._trust_id)
            return exchange.get_auth_ref(session)
        except HTTPClientError:
            return self._by_password.get_auth_ref(session)

    def _lasting_token(self) -> str:
        """The new token expires with the exchanged one, which is therefore renewed in the second half of its life."""
        known = self._access()
        if known.issued is not None and known.expires is not None:
            left = known.expires - self._clock()
            if left * 2 < known.expires - known.issued:
                self._service.invalidate()
                known = self._access()
        return str(known.auth_token)

    def _access(self) -> AccessInfo:
        auth = self._service.auth
        assert isinstance(auth, BaseIdentityPlugin)
        return auth.get_access(self._service)
