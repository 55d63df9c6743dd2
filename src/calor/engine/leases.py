"""Who walks a stack: leases in the database, and how long this process may count on its own.

An owner that was stopped, or that cannot reach the database, does not learn of its lease's end from there. It
goes by a clock of its own, that nobody sets, and counts from before it asked: it stops before others begin.
"""

from __future__ import annotations

import time

from sqlalchemy import Engine, delete, insert, select, update

from calor.observe.series import LEASES_TAKEN_OVER
from calor.store.tables import lease as table
from calor.store.writer import Lease

LEASE_SECONDS = 4.0

# Goes on while the machine sleeps, which the monotonic clock of Linux does not.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Leases:
    """The leases of one owner."""

    def __init__(self, database: Engine, owner: str) -> None:
        self._database = database
        self._owner = owner
        self._until: dict[Lease, float] = {}

    def claim(self, stack: str) -> Lease | None:
        """A lease that nobody holds, or None."""
        began = time.clock_gettime(_CLOCK)
        now = time.time()
        with self._database.begin() as connection:
            row = connection.execute(
                select(table).where(table.c.stack == stack).with_for_update()
            ).one_or_none()
            if row is not None and row.expires_at >= now and row.owner != self._owner:
                return None
            if row is not None and row.owner != self._owner:
                LEASES_TAKEN_OVER.add()
            epoch = row.epoch + 1 if row is not None else 1
            values = {"owner": self._owner, "epoch": epoch, "expires_at": now + LEASE_SECONDS}
            if row is None:
                connection.execute(insert(table).values(stack=stack, **values))
            else:
                connection.execute(update(table).where(table.c.stack == stack).values(values))
        lease = Lease(stack, self._owner, epoch)
        self._until[lease] = began + LEASE_SECONDS
        return lease

    def extend(self) -> set[Lease]:
        """Renews all leases; those that are still held."""
        began = time.clock_gettime(_CLOCK)
        expires_at = time.time() + LEASE_SECONDS
        mine = table.c.owner == self._owner
        with self._database.begin() as connection:
            connection.execute(update(table).where(mine).values(expires_at=expires_at))
            query = select(table.c.stack, table.c.owner, table.c.epoch).where(mine)
            kept = {Lease(*row) for row in connection.execute(query)}
        for lease in kept:
            self._until[lease] = began + LEASE_SECONDS
        return kept

    def holds(self, lease: Lease) -> bool:
        """Whether nobody else can have the lease yet. Asks no database."""
        return time.clock_gettime(_CLOCK) < self._until.get(lease, 0.0)

    def release(self, lease: Lease) -> None:
        self._until.pop(lease, None)
        with self._database.begin() as connection:
            connection.execute(
                delete(table).where(
                    table.c.stack == lease.stack, table.c.owner == lease.owner, table.c.epoch == lease.epoch
                )
            )

    def clear(self) -> None:
        """Takes all leases from everybody."""
        with self._database.begin() as connection:
            LEASES_TAKEN_OVER.add(by=connection.execute(delete(table)).rowcount)
