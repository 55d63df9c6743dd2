"""The use cases that write, by subject."""

from __future__ import annotations

import time
from collections.abc import Callable

from calor.language.library import World
from calor.service.admission import Admission, EveryType, TypePolicy
from calor.service.caller_services import CallerServices
from calor.service.intents import Intents
from calor.service.preview_commands import PreviewCommands
from calor.service.progress_commands import ProgressCommands
from calor.service.quotas import Limits, Quotas
from calor.service.requests import NewStack, StackChange
from calor.service.resource_commands import ResourceCommands
from calor.service.snapshot_commands import SnapshotCommands
from calor.service.software_commands import SoftwareCommands
from calor.service.stack_commands import Accepted, StackCommands
from calor.service.transfer_commands import TransferCommands
from calor.service.update_planning import UpdatePlanner
from calor.stacks.vault import Vault
from calor.store.database import Database
from calor.store.writer import Writer

__all__ = ["Commands", "Limits", "NewStack", "StackChange"]


class Commands:
    def __init__(
        self,
        database: Database,
        writer: Writer,
        world: World,
        notify_engines: Callable[[], None],
        *,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
        policy: TypePolicy | None = None,
        vault: Vault | None = None,
        accepted: Accepted = lambda stack, definition: None,
    ) -> None:
        """`notify_engines` wakes the engines; without a `policy`, every type is allowed."""
        self.services = CallerServices(database, vault)
        self.quotas = Quotas(database, limits or Limits())
        self.admission = Admission(database, world, self.quotas, self.services, policy or EveryType())
        self.intents = Intents(database, writer, notify_engines, clock, vault)
        planner = UpdatePlanner(database, world)
        self.stacks = StackCommands(self.admission, self.intents, planner, accepted)
        self.previews = PreviewCommands(world, self.quotas, self.admission, planner)
        self.progress = ProgressCommands(database, self.intents)
        self.resources = ResourceCommands(database, world, self.quotas, self.intents, self.progress)
        self.snapshots = SnapshotCommands(database, world, self.quotas, self.services, self.intents)
        self.transfers = TransferCommands(database, world, self.admission, self.intents, self.stacks)
        self.software = SoftwareCommands(database, world, self.quotas, self.services, self.intents)
