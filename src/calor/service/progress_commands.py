"""Records how far deployments have come on their servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from calor.lifecycle import Status
from calor.service.errors import ServiceError
from calor.service.intents import Intents
from calor.stacks import deployment_progress
from calor.stacks.deployment_progress import InvalidProgress
from calor.stacks.events import event_row
from calor.store import events, records, software, stacks
from calor.store import resources as resource_rows
from calor.store.database import Database, reading
from calor.store.records import Document
from calor.store.writer import Changes

FETCHED = "The server has fetched the deployment"


@dataclass(frozen=True, slots=True)
class ProgressCommands:
    database: Database
    intents: Intents

    def record_fetch(self, deployments: Sequence[records.SoftwareDeployment]) -> None:
        """An agent has read these deployments for the first time."""
        if not deployments:
            return
        now = self.intents.clock()
        changes = Changes()
        with reading(self.database).connect() as connection:
            for one in deployments:
                for found in resource_rows.with_physical_id(connection, one.project, one.id):
                    stack = stacks.get(connection, found.resource.stack)
                    if stack is not None:
                        self._add_event(changes, stack, found.resource, FETCHED, now)
        changes.then(partial(software.set_fetched, ids=[one.id for one in deployments], at=now))
        self.intents.writer.write(changes)

    def report(self, stack: records.Stack, resource: records.Resource, details: Document) -> None:
        """The agent runs the deployment of a resource. Reports about earlier configs have no effect. Raises
        ServiceError."""
        try:
            report = deployment_progress.report_of(details)
        except InvalidProgress as error:
            raise ServiceError("StackValidationFailed", str(error)) from None
        with reading(self.database).connect() as connection:
            found = software.software_deployment(connection, resource.physical_id or "", stack.project)
        if found is None or found.config != report.config or found.status != Status.IN_PROGRESS:
            return
        now = self.intents.clock()
        progress, is_due = deployment_progress.advanced(found.progress, report, now)
        changes = Changes(sealed=stack.sealed)
        if is_due:
            self._add_event(changes, stack, resource, deployment_progress.running(progress, now), now)
        work = partial(software.set_progress, id=found.id, config=report.config, progress=progress)
        changes.then(work)
        self.intents.writer.write(changes)

    @staticmethod
    def _add_event(
        changes: Changes, stack: records.Stack, resource: records.Resource, reason: str, now: float
    ) -> None:
        state = (resource.action, resource.status)
        row = event_row(stack, resource.name, resource.type, resource.physical_id, state, reason, now)
        changes.sealed = changes.sealed or stack.sealed
        events.add(changes, row)
