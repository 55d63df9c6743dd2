"""Lets the engine act for a stack's owner: by a trust, made when the stack is, and kept encrypted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from calor.clouds.heat import RemoteHeat
from calor.clouds.services import Services
from calor.clouds.trusts import create_trust, delete_trust
from calor.clouds.zaqar import Queues
from calor.engine.cloud_access import Reach

if TYPE_CHECKING:
    from keystoneauth1.session import Session

    from calor.clouds.sessions import Cloud
    from calor.store.cipher import Cipher


class Vault:
    def __init__(self, cloud: Cloud, cipher: Cipher, roles: Sequence[str] = ()) -> None:
        """`roles` are those that owners pass on; all they have if there are none."""
        self._cloud = cloud
        self._cipher = cipher
        self._roles = roles
        self.reach = Reach()

    def deposit(self, token: str, user_id: str, roles: Sequence[str], trust_id: str | None) -> bytes:
        """What lets somebody act for a user, the owner of a token, to be stored. Raises CloudError.

        Whoever comes by a trust already cannot pass on another: that trust is used, and left alone afterwards.
        """
        owner = {"user_id": user_id, "roles": sorted(roles)}
        if trust_id is not None:
            return self._cipher.encrypt({**owner, "trust_id": trust_id, "borrowed": True})
        trust = create_trust(self._cloud, token, self._roles)
        return self._cipher.encrypt({**owner, "trust_id": trust.id})

    def is_from(self, secret: bytes, user_id: str, roles: Sequence[str], trust_id: str | None) -> bool:
        """Whether a user has deposited it, and with the same rights: who comes with fewer, by a trust or an
        application credential, must not have the stack act with more."""
        known = self._cipher.decrypt(secret)
        if known.get("user_id") != user_id or known.get("roles", sorted(roles)) != sorted(roles):
            return False
        return (known["trust_id"] if known.get("borrowed") else None) == trust_id

    def has_role(self, secret: bytes, role: str) -> bool:
        """Whether whoever deposited it had a role."""
        return role in self._cipher.decrypt(secret).get("roles", ())

    def destroy(self, secret: bytes) -> None:
        """Takes back what was deposited. What is gone is fine. Raises CloudError."""
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

    def remote_heat(self, secret: bytes, place: Mapping[str, Any]) -> RemoteHeat:
        """The orchestration API of a region, for the owner. Raises CloudError."""
        session = self.session(secret)
        url = self._cloud.endpoint(session, "orchestration", region=place.get("region_name"))
        return RemoteHeat(session, url)
