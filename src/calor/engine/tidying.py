"""What is left of an action that was cancelled, and whose engine ended before it was done with what was under way."""

from __future__ import annotations

import time

from sqlalchemy import Engine, select, update

from calor.store import contents, sealing, tables

REASON = "Engine went down"

stack, resource = tables.stack, tables.resource


def tidy(database: Engine, root: str) -> None:
    """Turns IN_PROGRESS into FAILED in all of a tree that nobody works on, if its action has ended. Whoever calls this
    has the lease, or knows that nobody else works."""
    with database.begin() as connection:
        query = select(stack.c.status, stack.c.definition).where(stack.c.id == root)
        found = connection.execute(query.with_for_update()).one_or_none()
        if found is None or found.status == "IN_PROGRESS":
            return
        ids = list(connection.execute(select(stack.c.id).where(stack.c.root == root)).scalars())
        values = {"status": "FAILED", "reason": REASON, "updated_at": time.time()}
        sealed = contents.is_sealed(found.definition)
        for table, of_tree in ((stack, stack.c.id), (resource, resource.c.stack)):
            [row] = sealing.protect(connection, table, [values], sealed)
            unfinished = of_tree.in_(ids), table.c.status == "IN_PROGRESS"
            connection.execute(update(table).where(*unfinished).values(row))
