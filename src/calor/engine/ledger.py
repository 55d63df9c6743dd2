"""What a run reads, of its stacks and for their owner."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Engine, select

from calor.clouds.errors import CloudError, NotFound, Permanent
from calor.clouds.zaqar import Queues
from calor.engine import definitions, snapshots, tree
from calor.engine.cloud_access import CloudAccess
from calor.engine.journal import Journal
from calor.engine.remote import RemoteStacks, asked
from calor.engine.states import ResourceState, StepFailed
from calor.engine.users import ResourceUsers
from calor.engine.vault import Vault
from calor.language.definition import Definition
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.store import records, tables
from calor.store.database import reading
from calor.types.behaviour import ResourceFailed

if TYPE_CHECKING:
    from calor.engine.runs import Run

log = logging.getLogger(__name__)


class Ledger:
    """The rows of a tree of stacks, and what lets the engine act for their owner."""

    database: Engine
    journal: Journal
    stack: records.Stack
    users: ResourceUsers | None
    vault: Vault | None
    world: World
    file_digests: Mapping[str, str]
    denied_types: Collection[str]

    def __init__(self) -> None:
        self._access: dict[str | None, CloudAccess] = {}
        self._made: set[str] = set()

    @property
    def _run(self) -> Run:
        """The whole of which this is a part."""
        return cast("Run", self)

    async def stack_below(self, above: records.Stack, owner: tree.Owner) -> records.Stack | None:
        """The stack below a resource as it is now, what the run itself has changed included."""
        if owner.physical_id is None or not tree.has_stack(owner):
            return None
        return await self._stored_stack(tree.stack_below, above, owner)

    async def stack_of_tree(self, id: str) -> records.Stack | None:
        """A stack of the run's own tree as it is now."""
        return await self._stored_stack(tree.stack_of_tree, self.stack, id)

    async def owns_stack(self, id: str) -> bool:
        """Whether the run's project has a stack with that id."""

        def read() -> bool:
            with reading(self.database).connect() as connection:
                return tree.is_of_project(connection, self.stack.project, id)

        return await asyncio.get_running_loop().run_in_executor(None, read)

    async def _stored_stack(
        self, find: Callable[..., records.Stack | None], *args: Any
    ) -> records.Stack | None:
        await self.journal.flush()

        def read() -> records.Stack | None:
            with reading(self.database).connect() as connection:
                return find(connection, *args)

        return await asyncio.get_running_loop().run_in_executor(None, read)

    def read_ailing(self) -> set[str]:
        stack, resource = tables.stack, tables.resource
        below = select(stack.c.id, stack.c.parent).where(
            stack.c.root == self.stack.root, stack.c.parent.is_not(None), stack.c.deleted_at.is_(None)
        )
        failed = select(resource.c.stack).join(stack, stack.c.id == resource.c.stack)
        failed = failed.where(stack.c.root == self.stack.root, resource.c.status != "COMPLETE").distinct()
        with reading(self.database).connect() as connection:
            parents = {row.id: row.parent for row in connection.execute(below)}
            waiting = list(connection.execute(failed).scalars())
        found: set[str] = set()
        while waiting:
            id = waiting.pop()
            if id in parents and id not in found:
                found.add(id)
                waiting.append(parents[id])
        return found

    async def template_of(self, stack: records.Stack) -> dict[str, Any]:
        """The template that a stack has now."""
        template: dict[str, Any] = (await self.request_of(stack))[0]["template"]
        return template

    async def request_of(self, stack: records.Stack) -> tuple[dict[str, Any], dict[str, str]]:
        """What a stack is made of now, and the digests of its files by name."""
        return await asyncio.get_running_loop().run_in_executor(None, self._request_of, stack.definition)

    def _request_of(self, digest: str) -> tuple[dict[str, Any], dict[str, str]]:
        with reading(self.database).connect() as connection:
            return definitions.load_with_digests(connection, digest)

    async def resource_rows(self, stack: str) -> list[records.Resource]:
        await self.journal.flush()
        return await asyncio.get_running_loop().run_in_executor(None, self._resource_rows, stack)

    def _resource_rows(self, stack: str) -> list[records.Resource]:
        with reading(self.database).connect() as connection:
            query = select(tables.resource).where(tables.resource.c.stack == stack)
            return [records.record(records.Resource, row) for row in connection.execute(query)]

    def defined(self, digest: str) -> Definition:
        """What the root is, by the digest of its definition."""
        return self.define(self.request(digest))

    def request(self, digest: str) -> dict[str, Any]:
        """What the root was asked to be, by the digest of its definition. Its files are known from then on."""
        with reading(self.database).connect() as connection:
            request, self.file_digests = definitions.load_with_digests(connection, digest)
        self.denied_types = request.get(definitions.DENIED) or ()
        return request

    def define(self, request: Mapping[str, Any]) -> Definition:
        identity = StackIdentity(self.stack.name, self.stack.id, self.stack.project)
        world = replace(self.world, availability_zones=cache(self._zones))
        definition, report = definitions.define(request, world, identity)
        if definition is None:
            raise StepFailed("StackValidationFailed", next(iter(report)).full_message)
        return definition

    def _zones(self) -> Sequence[str]:
        """The availability zones that the owner's servers can be placed in. Raises CloudError, which ends the run for
        now."""
        secret = self._read_secret() if self.vault is not None and self.stack.credentials else None
        if self.vault is None or secret is None:
            return self.world.availability_zones()
        services = self.vault.services(secret)
        return self.vault.reach.lookups.zones(services) if services.has("compute") else ()

    # Acting for the owner.

    async def remote_stacks(self, place: Mapping[str, Any]) -> RemoteStacks:
        secret = await self._secret()
        if self.vault is None or secret is None:
            raise StepFailed("MissingCredentialError", "nothing lets the engine act for the stack's owner")
        return RemoteStacks(self._run, await asked(self._run, self.vault.remote_heat, secret, place))

    async def cloud(self, region: str | None = None) -> CloudAccess:
        """The services of the cloud, for the owner. The log-in is done when the first is asked."""
        known = self._access.get(region)
        if known is None:
            secret = await self._secret()
            if self.vault is None or secret is None:
                raise StepFailed(
                    "MissingCredentialError", "nothing lets the engine act for the stack's owner"
                )
            services = self.vault.services(secret, region)
            # Another step may have been as quick.
            known = self._access.setdefault(region, CloudAccess(self._run, services, self.vault.reach))
        return known

    async def taken(self, physical_ids: Sequence[str], but: str) -> frozenset[str]:
        """Those of the ids that a resource other than one has. Whoever asks, and notes an id of the others at once,
        has it alone."""
        if self.vault is not None:
            await self.vault.reach.births()
        stored = await asyncio.get_running_loop().run_in_executor(None, self._taken, physical_ids, but)
        return stored | {id for id in physical_ids if self._makers.get(id, but) != but}

    def note_maker(self, state: ResourceState) -> None:
        assert state.physical_id is not None
        self._makers[state.physical_id] = state.id
        self._made.add(state.physical_id)

    def forget_maker(self, state: ResourceState) -> None:
        """What is removed has nothing any more."""
        if state.physical_id is not None and self._makers.get(state.physical_id) == state.id:
            del self._makers[state.physical_id]

    def forget_makers(self) -> None:
        """What is made is stored by the end of a run."""
        for id in self._made:
            self._makers.pop(id, None)
        self._made.clear()

    @property
    def _makers(self) -> dict[str, str]:
        return self.vault.reach.makers if self.vault is not None else {}

    def _taken(self, physical_ids: Sequence[str], but: str) -> frozenset[str]:
        table = tables.resource
        query = select(table.c.physical_id).where(table.c.physical_id.in_(physical_ids), table.c.id != but)
        with reading(self.database).connect() as connection:
            return frozenset(connection.execute(query).scalars())

    def queues(self) -> Queues:
        secret = self._read_secret()
        if self.vault is None or secret is None:
            raise Permanent("nothing lets the engine act for the stack's owner")
        return self.vault.queues(secret)

    async def _secret(self) -> bytes | None:
        return await asyncio.get_running_loop().run_in_executor(None, self._read_secret)

    def _read_secret(self) -> bytes | None:
        table = tables.credentials
        with reading(self.database).connect() as connection:
            query = select(table.c.secret).where(table.c.id == self.stack.credentials)
            found = connection.execute(query).scalar_one_or_none()
        return None if found is None else bytes(found)

    # Snapshots.

    def read_kept(self) -> snapshots.Kept:
        table = tables.snapshot
        with reading(self.database).connect() as connection:
            query = select(table).where(
                table.c.id == self.stack.run.get("snapshot"), table.c.stack == self.stack.id
            )
            row = connection.execute(query).one_or_none()
        data = records.record(records.Snapshot, row).data if row is not None else None
        return snapshots.kept(data, self.world.declaration)

    async def discard_snapshots(self) -> None:
        """Deletes what the stack's snapshots have in the cloud. What the cloud refuses must not keep the stack."""

        def read() -> list[snapshots.Part]:
            with reading(self.database).connect() as connection:
                found = snapshots.of_stack(connection, self.stack.id)
            return [part for one in found for part in snapshots.parts(one.data, self.world.declaration)]

        for part in await asyncio.get_running_loop().run_in_executor(None, read):
            try:
                await (await self.cloud()).ask(part.service, "DELETE", part.collection, part.id)
            except NotFound:
                continue
            except (CloudError, StepFailed) as error:
                log.warning("%s %s of a snapshot stayed: %s", part.collection, part.id, error)

    async def give_up_credentials(self) -> None:
        """What lets the engine act for the owner goes with the stack, and so do its users."""
        if self.users is not None:
            await self._taken_back("users", partial(self.users.remove_project, self.stack))
        secret = await self._secret() if self.stack.credentials else None
        if secret is None or self.vault is None:
            return
        await self._taken_back("trust", partial(asked, self._run, self.vault.destroy, secret))
        self.journal.changes.delete(tables.credentials, str(self.stack.credentials))

    async def _taken_back(self, what: str, take_back: Callable[[], Awaitable[None]]) -> None:
        """A cloud that refuses must not keep the stack from going."""
        try:
            await take_back()
        except ResourceFailed as error:
            log.warning("the %s of stack %s stayed: %s", what, self.stack.id, error.message)
