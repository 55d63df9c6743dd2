"""Who walks a stack: leases in the database, and how long this process may count on its own.

An owner that was stopped, or that cannot reach the database, does not learn of its lease's end from there. It
goes by a clock of its own, that nobody sets, and counts from before it asked: it stops before others begin.
"""

from __future__ import annotations

import contextlib
import threading
import time

from sqlalchemy import Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from calor.observe.series import LEASES_TAKEN_OVER
from calor.store.clock import now
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
        # Threads claim, renew and give back at the same time.
        self._lock = threading.Lock()

    def claim(self, stack: str) -> Lease | None:
        """A lease that nobody holds, or None."""
        began = time.clock_gettime(_CLOCK)
        found = select(table.c.owner, table.c.epoch, table.c.expires_at < now()).where(table.c.stack == stack)
        # Another owner may be claiming it at the same time.
        with contextlib.suppress(IntegrityError), self._database.begin() as connection:
            row = connection.execute(found.with_for_update()).one_or_none()
            owner, epoch, expired = row if row is not None else (self._owner, 0, True)
            if owner != self._owner and not expired:
                return None
            if owner != self._owner:
                LEASES_TAKEN_OVER.add()
            lease = Lease(stack, self._owner, epoch + 1)
            values = {"owner": lease.owner, "epoch": lease.epoch, "expires_at": now() + LEASE_SECONDS}
            if row is None:
                connection.execute(insert(table).values(stack=stack, **values))
            else:
                connection.execute(update(table).where(table.c.stack == stack).values(values))
            with self._lock:
                # A claim that was made but not heard of is made again.
                self._until.pop(Lease(stack, self._owner, epoch), None)
                self._until[lease] = began + LEASE_SECONDS
            return lease
        return None

    def extend(self) -> set[Lease]:
        """Renews all leases; those that are still held."""
        began = time.clock_gettime(_CLOCK)
        with self._lock:
            stacks = {lease.stack for lease in self._until}
        mine = table.c.stack.in_(stacks), table.c.owner == self._owner
        # In the order in which writers take them, too: nobody waits for each other.
        query = select(table.c.stack, table.c.owner, table.c.epoch).where(*mine).order_by(table.c.stack)
        with self._database.begin() as connection:
            kept = {Lease(*row) for row in connection.execute(query.with_for_update())}
            connection.execute(update(table).where(*mine).values(expires_at=now() + LEASE_SECONDS))
        with self._lock:
            # What was given back meanwhile stays so.
            kept &= self._until.keys()
            self._until.update(dict.fromkeys(kept, began + LEASE_SECONDS))
        return kept

    def holds(self, lease: Lease) -> bool:
        """Whether nobody else can have the lease yet. Asks no database."""
        return time.clock_gettime(_CLOCK) < self._until.get(lease, 0.0)

    def release(self, lease: Lease) -> None:
        with self._lock:
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
