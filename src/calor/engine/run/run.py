"""A run: one action on one stack. `calor.engine.execution` executes it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from calor.engine.run.control import Control
from calor.engine.run.journal import Journal
from calor.engine.run.late_objects import LateObjects
from calor.engine.run.outages import Outages
from calor.engine.run.owner import Owner
from calor.engine.run.presence import Computing, Presence
from calor.engine.run.root import RootStack
from calor.engine.run.rows import TreeRows
from calor.engine.run.sizes import SizeLimits
from calor.engine.run.software import RunSoftware
from calor.engine.run.telemetry import Telemetry
from calor.engine.run.users import ResourceUsers, UserServices
from calor.language.definition import Definition
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.language.registry import Registry
from calor.lifecycle import Action
from calor.resources.values import JsonMapping, JsonObject
from calor.stacks import definitions, snapshots
from calor.stacks.states import StepFailed
from calor.stacks.vault import Vault
from calor.store import records
from calor.store.database import Database, seal_of
from calor.store.writer import Lease, Writer

RETRY_LIMIT = 5


@dataclass(frozen=True, slots=True)
class RunDependencies:
    """What an engine passes to its runs."""

    database: Database
    writer: Writer
    world: World
    vault: Vault | None = None
    user_services: UserServices | None = None
    default_timeout: float | None = None
    """The timeout in seconds of stacks without one."""
    retry_limit: int = RETRY_LIMIT
    """How often the creation of a resource is retried."""
    late_objects: LateObjects | None = None
    presence: Presence | None = None


class Run:
    """The shared parts of one run."""

    def __init__(
        self,
        stack: records.Stack,
        lease: Lease,
        dependencies: RunDependencies,
        holds: Callable[[], bool] = lambda: True,
    ) -> None:
        self.lease = lease
        self.database = dependencies.database
        self.world = dependencies.world
        self.retry_limit = dependencies.retry_limit
        self._default_timeout = dependencies.default_timeout
        self.telemetry = Telemetry(dependencies.world.declaration)
        self.journal = Journal(
            dependencies.writer, lease, self.now, sealed=stack.sealed, telemetry=self.telemetry
        )
        self.control = Control(stack.id, self.journal, holds)
        self.root = RootStack(stack, self.journal)
        self.rows = TreeRows(dependencies.database, stack, self.journal)
        self.outages = Outages(self.root, self.journal)
        self.owner = Owner(
            dependencies.database,
            self.root,
            self.control,
            self.journal,
            self.outages,
            dependencies.vault,
            dependencies.late_objects,
        )
        self.software = RunSoftware(dependencies.database, self.root, self.rows, self.journal, self.owner)
        self.users = (
            ResourceUsers(self.control, self.root, self.rows, self.journal, dependencies.user_services)
            if dependencies.user_services is not None
            else None
        )
        self.sizes = SizeLimits(dependencies.world.sizes)
        self.seal = seal_of(dependencies.database) if stack.sealed else None
        """Encrypts the definitions of nested stacks, if the stack's own is encrypted."""
        self.presence = dependencies.presence or Presence(None, lease.owner)
        self.computing = Computing(stack.root, stack.run_id)
        """Shown to other processes during computations for the run."""
        self._shown = self.computing.encoded()
        self.registry = Registry()
        """Hooks and restrictions of the root's resources."""
        self.file_digests: Mapping[str, str] = {}
        self.denied_types: Collection[str] = ()
        """The types that the user may not use."""
        self.kept = snapshots.Kept()
        """The resource data of the snapshot that is restored."""
        self.unhealthy: set[str] = set()
        """The stacks of the tree with a resource, at any level, that was not COMPLETE when the run began."""

    @staticmethod
    def now() -> float:
        return time.time()

    @property
    def stack(self) -> records.Stack:
        """The current row of the root stack."""
        return self.root.row

    @property
    def is_deletion(self) -> bool:
        return self.stack.action == Action.DELETE

    @property
    def occasion(self) -> str:
        """Identifies this action, as distinct from its rollback."""
        return f"{self.stack.run_id} {self.stack.action}"

    def timeout(self, stack: records.Stack) -> float | None:
        """The timeout of a stack in seconds."""
        return stack.timeout_mins * 60.0 if stack.timeout_mins else self._default_timeout

    def tracked(self, step: Coroutine[Any, Any, None]) -> Awaitable[None]:
        """Runs a step and shows its computations to other processes."""
        return self.presence.tracked(self._shown, step)

    # The root's definition. Blocking.

    def request(self, digest: str) -> JsonObject:
        """The request that defines the root, by digest. Sets the file digests."""
        request, self.file_digests = self.rows.query_now(definitions.load_with_digests, digest)
        self.denied_types = request.get(definitions.DENIED) or ()
        return request

    def define(self, request: JsonMapping) -> Definition:
        identity = StackIdentity(self.stack.name, self.stack.id, self.stack.project)
        zones = partial(self.owner.availability_zones, self.world.availability_zones)
        world = replace(self.world, availability_zones=cache(zones))
        definition, report = definitions.define(request, world, identity)
        if definition is None:
            raise StepFailed("StackValidationFailed", next(iter(report)).full_message)
        return definition

    def defined(self, digest: str) -> Definition:
        return self.define(self.request(digest))
