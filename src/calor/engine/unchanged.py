"""Shows nested stacks that an update had no reason to touch as Heat does, which walks all of them: UPDATE_COMPLETE."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Table, select, update

from calor.store import records, sealing, tables

_AT_ONCE = 500
_KEPT = ("UPDATE", "DELETE", "SUSPEND")


def show_as_updated(connection: Connection, root: records.Stack) -> None:
    """Gives the stacks below one that was updated, and the resources that they belong to, the state after an update.
    Nothing is written for those that have it, and no event tells of it: nothing was done."""
    stack, resource = tables.stack, tables.resource
    below = (
        stack.c.root == root.root,
        stack.c.parent.is_not(None),
        stack.c.deleted_at.is_(None),
    )
    stacks = select(stack.c.id).where(*below, stack.c.status == "COMPLETE", stack.c.action.not_in(_KEPT))
    owners = select(resource.c.id).join(stack, stack.c.id == resource.c.physical_id)
    owners = owners.where(
        *below,
        resource.c.stack == stack.c.parent,
        resource.c.status == "COMPLETE",
        resource.c.action.not_in(_KEPT),
    )
    values = {"action": "UPDATE", "reason": "Stack UPDATE completed successfully"}
    _write(connection, stack, connection.execute(stacks).scalars().all(), values, root.sealed)
    values = {"action": "UPDATE", "reason": "state changed"}
    _write(connection, resource, connection.execute(owners).scalars().all(), values, root.sealed)


def _write(
    connection: Connection, table: Table, ids: Sequence[str], values: dict[str, str], sealed: bool
) -> None:
    [row] = sealing.protect(connection, table, [values], sealed)
    for first in range(0, len(ids), _AT_ONCE):
        some = ids[first : first + _AT_ONCE]
        connection.execute(update(table).where(table.c.id.in_(some)).values(row))
