"""The cloud of a stack's owner: the engine acts with the owner's trust."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from calor.clouds.errors import Permanent
from calor.clouds.zaqar import Queues
from calor.engine.run.cloud_access import CloudAccess, Reporting
from calor.engine.run.control import Control
from calor.engine.run.journal import Journal
from calor.engine.run.late_objects import LateObject, LateObjects
from calor.engine.run.outages import Outages
from calor.engine.run.remote import RemoteStacks, request
from calor.engine.run.root import RootStack
from calor.engine.run.users import ResourceUsers
from calor.resources.outcomes import ResourceFailed
from calor.stacks.states import ResourceState, StepFailed
from calor.stacks.vault import Vault
from calor.store import tables
from calor.store.credentials import secret_of
from calor.store.database import Database
from calor.store.runs import physical_ids_in_use

log = logging.getLogger(__name__)

NO_CREDENTIALS = "the engine has no credentials of the stack's owner"


class Owner:
    """The stack owner's cloud in one run."""

    def __init__(
        self,
        database: Database,
        root: RootStack,
        control: Control,
        journal: Journal,
        outages: Outages,
        vault: Vault | None,
        late_objects: LateObjects | None,
    ) -> None:
        self._database = database
        self._root = root
        self._control = control
        self._journal = journal
        self._outages = outages
        self.vault = vault
        self._late_objects = late_objects
        self._late: dict[str, LateObject] = {}
        self._access: dict[str | None, CloudAccess] = {}
        self._created: set[str] = set()

    async def cloud(self, region: str | None = None) -> CloudAccess:
        """The services of a region. Logs in on the first request."""
        known = self._access.get(region)
        if known is None:
            vault, secret = self._with_vault(await self._secret())
            reporting = Reporting(self._control, self._journal, self._outages, self._note_late)
            services = vault.services(secret, region)
            # Another step may have set it meanwhile.
            known = self._access.setdefault(region, CloudAccess(reporting, services, vault.shared))
        return known

    async def remote_stacks(self, place: Mapping[str, object]) -> RemoteStacks:
        vault, secret = self._with_vault(await self._secret())
        return RemoteStacks(self._control, await request(self._control, vault.remote_heat, secret, place))

    def _with_vault(self, secret: bytes | None) -> tuple[Vault, bytes]:
        if self.vault is None or secret is None:
            raise StepFailed("MissingCredentialError", NO_CREDENTIALS)
        return self.vault, secret

    def queues(self) -> Queues:
        """The owner's queues. Blocking."""
        secret = self._read_secret()
        if self.vault is None or secret is None:
            raise Permanent(NO_CREDENTIALS)
        return self.vault.queues(secret)

    def availability_zones(self, default: Callable[[], Sequence[str]]) -> Sequence[str]:
        """The availability zones for the owner's servers. Blocking. Raises CloudError."""
        secret = self._read_secret() if self.vault is not None and self._root.row.credentials else None
        if self.vault is None or secret is None:
            return default()
        services = self.vault.services(secret)
        return self.vault.shared.lookups.zones(services) if services.has("compute") else ()

    async def _secret(self) -> bytes | None:
        return await asyncio.get_running_loop().run_in_executor(None, self._read_secret)

    def _read_secret(self) -> bytes | None:
        return secret_of(self._database, self._root.row.credentials)

    # Objects of resources.

    async def ids_in_use(self, physical_ids: Sequence[str], but: str) -> frozenset[str]:
        """The ids that belong to resources other than `but`. A caller that registers one of the other ids at once has
        it exclusively."""
        if self.vault is not None:
            await self.vault.shared.pending_creates()
        read = partial(physical_ids_in_use, self._database, physical_ids, but)
        stored = await asyncio.get_running_loop().run_in_executor(None, read)
        return stored | {id for id in physical_ids if self._owners.get(id, but) != but}

    def register_object(self, state: ResourceState) -> None:
        """Registers the object of a resource, before it is stored. An object that was created too late may not belong
        to any resource."""
        assert state.physical_id is not None
        self._owners[state.physical_id] = state.id
        self._created.add(state.physical_id)
        late = self._late.pop(state.physical_id, None)
        if late is not None and self._late_objects is not None:
            self._late_objects.watch(late)

    def unregister_object(self, state: ResourceState) -> None:
        """Unregisters the object of a deleted resource."""
        if state.physical_id is not None and self._owners.get(state.physical_id) == state.id:
            del self._owners[state.physical_id]

    def unregister_all(self) -> None:
        """Unregisters all objects at the end of a run, when their ids are stored."""
        for id in self._created:
            self._owners.pop(id, None)
        self._created.clear()

    @property
    def _owners(self) -> dict[str, str]:
        return self.vault.shared.owners if self.vault is not None else {}

    def _note_late(self, late: LateObject) -> None:
        self._late[late.id] = late

    # The end.

    async def delete_credentials(self, users: ResourceUsers | None) -> None:
        """Deletes the stack's users and its trust, when the stack is deleted."""
        stack = self._root.row
        if users is not None:
            await self._try("users", partial(users.remove_project, stack))
        if stack.credentials is None or self.vault is None:
            return
        await self._try("trust", partial(request, self._control, self._delete_trust, self.vault))
        self._journal.changes.delete(tables.credentials, stack.credentials)

    def _delete_trust(self, vault: Vault) -> None:
        if (secret := self._read_secret()) is not None:
            vault.delete_credentials(secret)

    async def _try(self, what: str, delete: Callable[[], Awaitable[None]]) -> None:
        """Errors must not prevent the stack from being deleted."""
        try:
            await delete()
        except ResourceFailed as error:
            log.warning("the %s of stack %s could not be deleted: %s", what, self._root.row.id, error.message)
