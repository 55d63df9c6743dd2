"""Stack owners' credentials: trusts that are created with the stacks and stored encrypted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from calor.clouds.errors import Forbidden
from calor.clouds.heat import RemoteHeat
from calor.clouds.lookups import Lookups
from calor.clouds.services import Services
from calor.clouds.shared_state import SharedState
from calor.clouds.trusts import create_trust, delete_trust, is_usable
from calor.clouds.zaqar import Queues
from calor.resources.values import JsonMapping

if TYPE_CHECKING:
    from keystoneauth1.session import Session

    from calor.clouds.sessions import Cloud
    from calor.store.cipher import Cipher
from calor.types import catalogue


class Vault:
    def __init__(self, cloud: Cloud, cipher: Cipher, roles: Sequence[str] = ()) -> None:
        """`roles` are those that owners delegate; all of theirs if empty."""
        self._cloud = cloud
        self._cipher = cipher
        self._roles = roles
        self.shared = SharedState(Lookups(catalogue.lookup))

    def prefetch_token(self) -> None:
        """Logs the service account in early, so that the first stack does not have to wait."""
        self._cloud.prefetch_token()

    def create_credentials(
        self, token: str, user_id: str, roles: Sequence[str], trust_id: str | None
    ) -> bytes:
        """Creates a trust from the owner of a token; returns it encrypted, to be stored. Raises CloudError.

        A token of a trust cannot create another: the existing trust is used, and not deleted afterwards. Its trustee
        has to be the service account.
        """
        owner = {"user_id": user_id, "roles": sorted(roles)}
        if trust_id is not None:
            if not is_usable(self._cloud, token):
                raise Forbidden("The request uses a trust to another user, which cannot be delegated.")
            return self._cipher.encrypt({**owner, "trust_id": trust_id, "borrowed": True})
        trust = create_trust(self._cloud, token, self._roles)
        return self._cipher.encrypt({**owner, "trust_id": trust.id})

    def is_from(self, secret: bytes, user_id: str, roles: Sequence[str], trust_id: str | None) -> bool:
        """Whether the credentials are of this user with the same rights: with fewer, as with a trust or an application
        credential, the user must not use the stack's greater rights."""
        known = self._cipher.decrypt(secret)
        if known.get("user_id") != user_id or known.get("roles", sorted(roles)) != sorted(roles):
            return False
        return (known["trust_id"] if known.get("borrowed") else None) == trust_id

    def has_role(self, secret: bytes, role: str) -> bool:
        """Whether the credentials' owner had a role."""
        return role in self._cipher.decrypt(secret).get("roles", ())

    def delete_credentials(self, secret: bytes) -> None:
        """Deletes the trust, if it exists and was created here. Raises CloudError."""
        known = self._cipher.decrypt(secret)
        if not known.get("borrowed"):
            delete_trust(self._cloud, known["trust_id"])

    def heat_for(self, token: str, region: str | None) -> RemoteHeat:
        """The orchestration API of a region, for the owner of a token. Raises CloudError."""
        session = self._cloud.with_token(token)
        return RemoteHeat(session, self._cloud.endpoint(session, "orchestration", region=region))

    def services(self, secret: bytes, region: str | None = None) -> Services:
        return Services(self._cloud, self.session(secret), region)

    def services_for(self, token: str) -> Services:
        """The services of the cloud, for the owner of a token. Raises CloudError."""
        return Services(self._cloud, self._cloud.with_token(token))

    def session(self, secret: bytes) -> Session:
        return self._cloud.through_trust(self._cipher.decrypt(secret)["trust_id"])

    def queues(self, secret: bytes) -> Queues:
        """The messaging service, for the owner. Raises CloudError."""
        session = self.session(secret)
        return Queues(session, self._cloud.endpoint(session, "messaging"))

    def remote_heat(self, secret: bytes, place: JsonMapping) -> RemoteHeat:
        """The orchestration API of a region, for the owner. Raises CloudError."""
        session = self.session(secret)
        url = self._cloud.endpoint(session, "orchestration", region=place.get("region_name"))
        return RemoteHeat(session, url)
