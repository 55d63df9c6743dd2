"""For operators: ends what is under way on a stack, whoever does it."""

from __future__ import annotations

import time

from sqlalchemy import Engine, delete, select, update

from calor.engine.ids import new_id
from calor.store import contents, sealing, tables

REASON = "The status was reset by an operator"

stack, resource = tables.stack, tables.resource


def reset(database: Engine, id: str) -> bool:
    """Turns IN_PROGRESS into FAILED in a whole tree and takes the lease away; whether the stack was under way. An
    engine that works on it stops, as the action has a new id, and what it still writes is refused."""
    with database.begin() as connection:
        found = connection.execute(select(stack).where(stack.c.id == id).with_for_update()).one_or_none()
        if found is None or found.status != "IN_PROGRESS":
            return False
        below = select(stack.c.id).where(stack.c.root == found.root)
        ids = list(connection.execute(below).scalars())
        values = {"status": "FAILED", "reason": REASON, "updated_at": time.time()}
        sealed = contents.is_sealed(found.definition)
        [stacks] = sealing.protect(connection, stack, [{**values, "run_id": new_id(), "run": {}}], sealed)
        [resources] = sealing.protect(connection, resource, [values], sealed)
        working = stack.c.status == "IN_PROGRESS"
        connection.execute(update(stack).where(stack.c.id.in_(ids), working).values(stacks))
        working = resource.c.status == "IN_PROGRESS"
        connection.execute(update(resource).where(resource.c.stack.in_(ids), working).values(resources))
        connection.execute(delete(tables.lease).where(tables.lease.c.stack == found.root))
    return True
