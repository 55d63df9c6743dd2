"""Statements of runs: only the run of the current action may change a stack's row."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, Table, bindparam, delete, func, select, update

from calor.lifecycle import Action, Status
from calor.store import contents, records, sealing, statements
from calor.store.database import reading
from calor.store.sealing import Values
from calor.store.tables import event, inbox, lease, resource, snapshot, software_deployment, stack
from calor.store.writer import Changes, Lease

_AT_ONCE = 500
"""How many ids one statement may contain."""

# Built once, because engines run them often.
_RESOURCES = select(resource).where(resource.c.stack == bindparam("stack_id"))
_NESTED = select(stack.c.id, stack.c.parent).where(
    stack.c.root == bindparam("root_id"), stack.c.parent.is_not(None), stack.c.deleted_at.is_(None)
)
_WITH_UNFINISHED = (
    select(resource.c.stack)
    .join(stack, stack.c.id == resource.c.stack)
    .where(stack.c.root == bindparam("root_id"), resource.c.status != Status.COMPLETE)
    .distinct()
)
_FORGET_SNAPSHOTS = delete(snapshot).where(snapshot.c.stack == bindparam("stack_id"))


@dataclass(frozen=True, slots=True)
class RunChange:
    """A change of a stack's row by the run of one action."""

    stack: str
    run_id: str
    sealed: bool

    def write(
        self, connection: Connection, values: Mapping[str, object], event_row: Mapping[str, object]
    ) -> bool:
        """Changes the row and adds an event, unless a newer action has begun; returns whether it did."""
        if not self._update(connection, dict(values)):
            return False
        statements.insert(connection, event, [dict(event_row)], sealed=self.sealed)
        return True

    def write_reason(self, connection: Connection, reason: str) -> None:
        """Changes the reason of a stack that is IN_PROGRESS."""
        self._update(connection, {"reason": reason}, status=Status.IN_PROGRESS)

    def _update(self, connection: Connection, values: Values, **key: str) -> int:
        return statements.update(
            connection, stack, values, sealed=self.sealed, id=self.stack, run_id=self.run_id, **key
        )


def giving_up(
    row: records.Stack,
    held: Lease,
    reason: str,
    event_of: Callable[[records.Stack, float], Values],
) -> Changes:
    """Changes that fail the current action, unless a newer one has begun; without a current action, they delete the
    stack's signals. `event_of` builds the event row of a stack's state."""
    values = {"status": Status.FAILED, "reason": reason, "run": {}}
    change = RunChange(row.id, row.run_id, row.sealed)

    def write(connection: Connection) -> None:
        # Read again: the run's copy may have changes that could not be written.
        mine = stack.c.id == row.id, stack.c.run_id == row.run_id
        found = connection.execute(select(stack).where(*mine)).one_or_none()
        present = records.record(records.Stack, found) if found is not None else None
        if present is not None and present.status == Status.IN_PROGRESS:
            change.write(connection, values, event_of(records.changed(present, **values), time.time()))
        elif present is not None:
            connection.execute(delete(inbox).where(inbox.c.root == row.id))

    changes = Changes(held, row.sealed)
    changes.then(write)
    return changes


def fail_unfinished(database: Engine, root: str, reason: str) -> None:
    """Changes IN_PROGRESS to FAILED in a whole tree whose action has ended. The caller holds the lease, or knows that
    no engine works on the tree."""
    with database.begin() as connection:
        query = select(stack.c.status, stack.c.definition).where(stack.c.id == root)
        found = connection.execute(query.with_for_update()).one_or_none()
        if found is None or found.status == Status.IN_PROGRESS:
            return
        ids = list(connection.execute(select(stack.c.id).where(stack.c.root == root)).scalars())
        values = {"status": Status.FAILED, "reason": reason, "updated_at": time.time()}
        sealed = contents.is_sealed(found.definition)
        for table, of_tree in ((stack, stack.c.id), (resource, resource.c.stack)):
            [row] = sealing.protect(connection, table, [values], sealed)
            unfinished = of_tree.in_(ids), table.c.status == Status.IN_PROGRESS
            connection.execute(update(table).where(*unfinished).values(row))


_NOT_SHOWN_AS_UPDATED = (Action.UPDATE, Action.DELETE, Action.SUSPEND)


def show_nested_as_updated(connection: Connection, root: records.Stack) -> None:
    """Sets the nested stacks of an updated tree, and the resources that own them, to UPDATE_COMPLETE, as in Heat, which
    updates all of them. Adds no events, as nothing was done."""
    nested = (
        stack.c.root == root.root,
        stack.c.parent.is_not(None),
        stack.c.deleted_at.is_(None),
    )
    stacks = select(stack.c.id).where(
        *nested, stack.c.status == Status.COMPLETE, stack.c.action.not_in(_NOT_SHOWN_AS_UPDATED)
    )
    owners = select(resource.c.id).join(stack, stack.c.id == resource.c.physical_id)
    owners = owners.where(
        *nested,
        resource.c.stack == stack.c.parent,
        resource.c.status == Status.COMPLETE,
        resource.c.action.not_in(_NOT_SHOWN_AS_UPDATED),
    )
    values = {"action": Action.UPDATE, "reason": "Stack UPDATE completed successfully"}
    _update_all(connection, stack, connection.execute(stacks).scalars().all(), values, root.sealed)
    values = {"action": Action.UPDATE, "reason": "state changed"}
    _update_all(connection, resource, connection.execute(owners).scalars().all(), values, root.sealed)


def _update_all(
    connection: Connection, table: Table, ids: Sequence[str], values: dict[str, str], sealed: bool
) -> None:
    [row] = sealing.protect(connection, table, [values], sealed)
    for first in range(0, len(ids), _AT_ONCE):
        some = ids[first : first + _AT_ONCE]
        connection.execute(update(table).where(table.c.id.in_(some)).values(row))


def fail_deployments(connection: Connection, run: records.Stack, ids: Sequence[str], *, always: bool) -> None:
    """Fails the unfinished ones of these deployments if a newer action has taken the stack over, or `always`."""
    present = connection.execute(select(stack.c.run_id).where(stack.c.id == run.id)).scalar()
    if always or present != run.run_id:
        table = software_deployment
        unfinished = table.c.id.in_(ids), table.c.status == Status.IN_PROGRESS
        failed = {"status": Status.FAILED, "reason": "Deployment cancelled.", "updated_at": time.time()}
        connection.execute(update(table).where(*unfinished).values(failed))


def forget_snapshots(connection: Connection, id: str) -> None:
    connection.execute(_FORGET_SNAPSHOTS, {"stack_id": id})


# Queries of runs.


def resources_of(database: Engine, id: str) -> list[records.Resource]:
    with reading(database).connect() as connection:
        rows = connection.execute(_RESOURCES, {"stack_id": id})
        return [records.record(records.Resource, row) for row in rows]


def unhealthy_stacks(database: Engine, root: str) -> set[str]:
    """The nested stacks of a tree with a resource that is not COMPLETE, at any level."""
    with reading(database).connect() as connection:
        parents = {row.id: row.parent for row in connection.execute(_NESTED, {"root_id": root})}
        waiting = list(connection.execute(_WITH_UNFINISHED, {"root_id": root}).scalars()) if parents else []
    found: set[str] = set()
    while waiting:
        id = waiting.pop()
        if id in parents and id not in found:
            found.add(id)
            waiting.append(parents[id])
    return found


def physical_ids_in_use(database: Engine, ids: Collection[str], but: str | None = None) -> frozenset[str]:
    """The physical ids that a resource other than `but` has."""
    query = select(resource.c.physical_id).where(resource.c.physical_id.in_(ids))
    if but is not None:
        query = query.where(resource.c.id != but)
    with reading(database).connect() as connection:
        return frozenset(connection.execute(query).scalars())


def is_worked_on(database: Engine, root: str) -> bool:
    """Whether a stack is IN_PROGRESS, or an engine has its lease."""
    with reading(database).connect() as connection:
        status = connection.execute(select(stack.c.status).where(stack.c.id == root)).scalar()
        held = connection.execute(select(lease.c.stack).where(lease.c.stack == root)).scalar()
    return status == Status.IN_PROGRESS or held is not None


def snapshot_of(database: Engine, id: str | None, of: str) -> records.Snapshot | None:
    query = select(snapshot).where(snapshot.c.id == id, snapshot.c.stack == of)
    with reading(database).connect() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else records.record(records.Snapshot, row)


def signals_for(database: Engine, root: str) -> list[records.Signal]:
    """The pending signals of a tree, in order."""
    query = select(inbox).where(inbox.c.root == root).order_by(inbox.c.seq, inbox.c.id)
    with reading(database).connect() as connection:
        return [records.record(records.Signal, row) for row in connection.execute(query)]


def events_after(database: Engine, root: str, last: int) -> list[records.Event]:
    """The events of a tree with a higher number."""
    query = select(event).where(event.c.root == root, event.c.seq > last).order_by(event.c.seq)
    with reading(database).connect() as connection:
        return [records.record(records.Event, row) for row in connection.execute(query)]


def event_before_action(database: Engine, row: records.Stack) -> int:
    """The number before the first event of a stack's current action."""
    began = select(func.max(event.c.seq)).where(
        event.c.stack == row.id,
        event.c.resource == row.name,
        event.c.action == row.action,
        event.c.status == Status.IN_PROGRESS,
    )
    with reading(database).connect() as connection:
        found = connection.execute(began).scalar()
    return found - 1 if found is not None else 0
