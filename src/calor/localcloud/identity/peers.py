"""What the identity service offers to the other services."""

from __future__ import annotations

from calor.localcloud.caller import Caller
from calor.localcloud.identity.seeding import DEFAULT_DOMAIN
from calor.localcloud.identity.service import IdentityService
from calor.localcloud.identity.tokens import caller_of
from calor.localcloud.seeding import SeedAccounts


class IdentityPeer:
    def __init__(self, service: IdentityService) -> None:
        self._service = service

    def authenticate(self, token: str) -> Caller | None:
        return caller_of(self._service, token)

    def seed_accounts(self) -> SeedAccounts:
        records = self._service.records
        projects = records.projects.find_in("name", ["admin", "demo"], domain_id=DEFAULT_DOMAIN)
        ids = {project.name: project.id for project in projects}
        demo = records.users.first(name="demo", domain_id=DEFAULT_DOMAIN)
        return SeedAccounts(ids.get("admin"), ids.get("demo"), demo.id if demo else None)
