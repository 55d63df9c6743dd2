"""Exports, abandons and adopts stacks with their existing resources."""

from __future__ import annotations

import time
from dataclasses import dataclass

from calor.language import reader
from calor.language.diagnostics import Report
from calor.language.library import World
from calor.lifecycle import Action
from calor.resources.values import JsonMapping
from calor.service.admission import Admission
from calor.service.caller import Caller
from calor.service.errors import ServiceError
from calor.service.intents import Intents, check_still_idle
from calor.service.requests import NewStack
from calor.service.snapshot_commands import check_idle
from calor.service.stack_commands import StackCommands
from calor.stacks.exporting import exported
from calor.stacks.run_notes import RunNotes
from calor.store import records, stacks
from calor.store.database import Database, reading
from calor.store.records import Document

DELETION_SECONDS = 5.0
"""How long to wait for the deletion of an abandoned stack."""
PAUSE = 0.02


@dataclass(frozen=True, slots=True)
class TransferCommands:
    """All methods raise ServiceError."""

    database: Database
    world: World
    admission: Admission
    intents: Intents
    stacks: StackCommands

    def adopt(self, caller: Caller, new: NewStack, data: JsonMapping) -> records.Stack:
        """Creates a stack from the data of an abandoned one, with its resources."""
        adopted = data.get("resources")
        if not isinstance(adopted, dict):
            raise ServiceError("HTTPBadRequest", "adopt_stack_data has no resources.")
        self.admission.check_types(caller, list(_nested_types(adopted)))
        return self.stacks.create(caller, new, Action.ADOPT, RunNotes(adopt=adopted))

    def export(self, caller: Caller, stack: records.Stack) -> Document:
        """The stack as data: its template (parsed, if it was sent as text) and the ids of its resources."""
        with reading(self.database).connect() as connection:
            data = exported(connection, stack, self.world)
        if isinstance(data["template"], str):
            source = reader.read_mapping(data["template"], "template", Report(), self.world.limits)
            data["template"] = source.data if source is not None else {}
        return data

    def abandon(self, caller: Caller, stack: records.Stack) -> Document:
        """Exports the stack and deletes it, but not its resources. Waits briefly for the deletion, so that the name is
        available again."""
        check_idle(stack)
        data = self.export(caller, stack)
        notes = RunNotes(retain=True)
        self.intents.start(caller, stack, Action.DELETE, only_if=check_still_idle, notes=notes)
        end = time.monotonic() + DELETION_SECONDS
        while self._is_in_progress(stack) and time.monotonic() < end:
            time.sleep(PAUSE)
        return data

    def _is_in_progress(self, stack: records.Stack) -> bool:
        with reading(self.database).connect() as connection:
            return stacks.is_in_progress(connection, stack.id)


def _nested_types(resources: JsonMapping) -> dict[str, None]:
    """The types in the templates of nested stacks, which are adopted unchanged."""
    found: dict[str, None] = {}
    waiting = list(resources.values())
    while waiting:
        one = waiting.pop()
        waiting.extend((one.get("resources") or {}).values())
        template = one.get("template")
        members = (
            (template.get("resources") or template.get("Resources")) if isinstance(template, dict) else None
        )
        for member in members.values() if isinstance(members, dict) else ():
            named = (member.get("type") or member.get("Type")) if isinstance(member, dict) else None
            if isinstance(named, str):
                found[named] = None
    return found
