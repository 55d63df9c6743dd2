"""Intents: the rows by which engines know which action to run on a stack. A request is answered as soon as they are
written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

from calor.language.definition import Definition
from calor.lifecycle import Action, Status
from calor.observe import fields
from calor.service import sealing
from calor.service.caller import Caller
from calor.service.errors import ActionInProgress, NotFound, NotSupported
from calor.service.requests import NewStack, Request
from calor.service.trusts import TrustChange, create_trust, delete_trust, trust_change
from calor.stacks import definitions
from calor.stacks.events import stack_event_row
from calor.stacks.ids import new_id
from calor.stacks.keys import WHOLE_STACK
from calor.stacks.run_notes import RunNotes
from calor.stacks.states import StepFailed
from calor.stacks.vault import Vault
from calor.store import contents, credentials, events, records, signals, snapshots, stacks
from calor.store.database import Connection, Database
from calor.store.records import Document
from calor.store.stacks import StackState
from calor.store.writer import Changes, Writer

Condition = Callable[[records.Stack, StackState], None]
"""Gets a stack as it was read and as it is now. Raises ServiceError if it must not be changed."""


class NewValues(TypedDict, total=False):
    """Columns that an action sets in addition to the stack's state."""

    definition: str
    description: str
    disable_rollback: bool
    timeout_mins: int
    tags: list[str]


@dataclass(slots=True)
class Intents:
    database: Database
    writer: Writer
    notify_engines: Callable[[], None]
    clock: Callable[[], float]
    vault: Vault | None = None

    def create(
        self,
        caller: Caller,
        new: NewStack,
        id: str,
        request: Request,
        definition: Definition,
        *,
        action: Action,
        notes: RunNotes,
    ) -> records.Stack:
        """Adds a stack, IN_PROGRESS. Raises DuplicateRow if the name is already taken."""
        seal = sealing.seal_for(self.database, request, definition)
        digest, bodies = definitions.encode(request, seal)
        secret = create_trust(self.vault, caller)
        credentials_id = new_id() if secret is not None else None
        stack = records.Stack(
            id=id,
            name=new.name,
            project=caller.project,
            root=id,
            parent=None,
            parent_resource=None,
            depth=0,
            action=action,
            status=Status.IN_PROGRESS,
            reason=f"Stack {action} started",
            created_at=self.clock(),
            updated_at=None,
            deleted_at=None,
            definition=digest,
            previous=None,
            description=definition.template.description,
            disable_rollback=new.disable_rollback,
            timeout_mins=new.timeout_mins,
            username=caller.username,
            user_project=None,
            credentials=credentials_id,
            tags=list(new.tags),
            outputs=None,
            run_id=new_id(),
            run=_stored(notes),
        )
        changes = Changes(sealed=stack.sealed)
        stacks.add(changes, stack)
        if secret is not None and credentials_id is not None:
            credentials.add(changes, credentials_id, caller.project, secret)
        self._add_event(changes, stack)
        changes.then(lambda connection: contents.put(connection, bodies))
        try:
            self.writer.write(changes)
        except Exception:
            delete_trust(self.vault, secret)
            raise
        self.notify_engines()
        return stack

    def start(
        self,
        caller: Caller,
        stack: records.Stack,
        action: Action,
        bodies: Mapping[str, bytes] | None = None,
        also: Changes | None = None,
        only_if: Condition | None = None,
        notes: RunNotes | None = None,
        **values: Unpack[NewValues],
    ) -> records.Stack:
        """Starts an action. Returns once the stack is IN_PROGRESS and `also` is written. Raises NotSupported for a
        nested stack, which follows its root, and whatever `only_if` raises."""
        check_root(stack)
        trust = trust_change(self.vault, self.database, caller, stack, action)
        started = records.changed(
            stack,
            action=action,
            status=Status.IN_PROGRESS,
            reason=f"Stack {action} started",
            updated_at=self.clock(),
            run_id=new_id(),
            run=_stored(notes or RunNotes()),
            **values,
        )
        documents = dict(bodies or {})
        if started.sealed or stack.sealed:
            started, sealed = sealing.seal_definitions(self.database, started)
            documents |= sealed
        changes = also or Changes()
        changes.sealed = started.sealed
        self._add_event(changes, started)
        changes.then(lambda connection: _change(connection, stack, started, only_if))
        if "tags" in values:
            changes.then(lambda connection: stacks.set_tags(connection, stack.id, started.tags))
        if stack.state == f"{Action.SNAPSHOT}_{Status.IN_PROGRESS}":
            changes.then(lambda connection: _fail_snapshot(connection, stack, action))
        if documents:
            changes.then(lambda connection: contents.put(connection, documents))
        self._write(changes, trust)
        self.notify_engines()
        return started

    def cancel(self, stack: records.Stack, only_if: Condition) -> None:
        """Ends the action on a stack: no further steps are started, and running ones are completed. A nested stack is
        ended by the engine that runs its root."""
        changes = Changes(sealed=stack.sealed)
        ended = records.changed(
            stack,
            status=Status.FAILED,
            reason=StepFailed.cancelled(stack.action).reason,
            run_id=new_id(),
            run=replace(RunNotes.of(stack), cancelled=True).stored(),
        )
        if stack.is_root:
            self._add_event(changes, ended)
        else:
            signals.add(changes, new_id(), stack, WHOLE_STACK, None)

        def write(connection: Connection) -> None:
            only_if(stack, _lock(connection, stack))
            if stack.is_root:
                stacks.change(connection, stack, ended)

        changes.then(write)
        self.writer.write(changes)
        self.notify_engines()

    def signal(self, stack: records.Stack, resource: str, details: Document | None) -> str:
        """Adds a signal for a resource. Returns its id, which is valid until the signal is handled."""
        id = new_id()
        changes = Changes()
        signals.add(changes, id, stack, resource, details)
        self.writer.write(changes)
        self.notify_engines()
        return id

    def _write(self, changes: Changes, trust: TrustChange | None) -> None:
        if trust is None:
            self.writer.write(changes)
            return
        credentials.replace(changes, trust.credentials, trust.secret)
        try:
            self.writer.write(changes)
        except Exception:
            delete_trust(self.vault, trust.secret)
            raise
        delete_trust(self.vault, trust.before)

    def _add_event(self, changes: Changes, stack: records.Stack) -> None:
        events.add(changes, stack_event_row(stack, self.clock()))


def check_root(stack: records.Stack) -> None:
    """Raises NotSupported for a nested stack."""
    if not stack.is_root:
        raise NotSupported(
            f"Changing the nested stack {stack.name} separately from its parent is not supported."
        )


def check_still_idle(seen: records.Stack, present: StackState) -> None:
    """Raises ActionInProgress if an action has begun since the stack was read."""
    if present.run_id != seen.run_id or present.status == Status.IN_PROGRESS:
        raise ActionInProgress(seen.name)


def _lock(connection: Connection, seen: records.Stack) -> StackState:
    """Raises NotFound."""
    present = stacks.lock(connection, seen.id)
    if present is None:
        raise NotFound("Stack", seen.name)
    return present


def _change(
    connection: Connection, seen: records.Stack, wanted: records.Stack, only_if: Condition | None
) -> None:
    """Changes a stack unless its deletion has started meanwhile. Raises ServiceError."""
    present = _lock(connection, seen)
    if only_if is not None:
        only_if(seen, present)
    if present.action == Action.DELETE and wanted.action != Action.DELETE:
        raise NotSupported(f"{wanted.action} of a stack that is being deleted is not supported.")
    stacks.change(connection, seen, wanted)


def _stored(notes: RunNotes) -> Document:
    """The notes with the context of the present request, which starts the action."""
    return replace(notes, origin=fields.origin()).stored()


def _fail_snapshot(connection: Connection, stack: records.Stack, action: Action) -> None:
    """Fails a snapshot in progress, which another action prevents from completing."""
    snapshots.fail_unfinished(
        connection, RunNotes.of(stack).snapshot or "", f"Stack {action} started", sealed=stack.sealed
    )
