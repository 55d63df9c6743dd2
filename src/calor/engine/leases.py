"""Who walks a stack: leases in the database, and how long this process may count on its own.

No clock that can be set decides anything. An owner counts the seconds of its lease from before it asked for it, and
stops a while before they are over. Others count from when they have seen the last renewal, so they begin later. An
owner that was stopped, or that cannot reach the database, learns of the end of its lease in the same way.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

from sqlalchemy import Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from calor.observe.series import LEASES_TAKEN_OVER
from calor.store.clock import now
from calor.store.database import reading
from calor.store.tables import lease as table
from calor.store.writer import Lease

LEASE_SECONDS = 5.0
MARGIN_SECONDS = 1.0
"""So long before the end of its lease an owner stops: what it has sent by then arrives before others begin."""

# Goes on while the machine sleeps, which the monotonic clock of Linux does not.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

_State = tuple[str, int, int]
"""Owner, epoch and number of renewals."""


def _boot_time() -> float:
    return time.clock_gettime(_CLOCK)


class Leases:
    """The leases of one owner, and what it has seen of those of others."""

    def __init__(
        self,
        database: Engine,
        owner: str,
        is_dead: Callable[[str], bool] = lambda owner: False,
        clock: Callable[[], float] = _boot_time,
    ) -> None:
        """`is_dead` tells of an owner whether its process is known to have ended. `clock` only ever goes on."""
        self._database = database
        self._owner = owner
        self._is_dead = is_dead
        self._clock = clock
        self._until: dict[Lease, float] = {}
        self._seen: dict[str, tuple[_State, float]] = {}
        """Of each lease of others: what was seen last, and since when it is so."""
        # Threads claim, renew and give back at the same time.
        self._lock = threading.Lock()

    def claim(self, stack: str) -> Lease | None:
        """A lease that nobody holds, or None."""
        began = self._clock()
        found = select(table.c.owner, table.c.epoch, table.c.renewals).where(table.c.stack == stack)
        # Another owner may be claiming it at the same time.
        with contextlib.suppress(IntegrityError), self._database.begin() as connection:
            row = connection.execute(found).one_or_none()
            if row is not None:
                # Whoever stands still in a transaction keeps it locked, and nobody else is to wait for that.
                row = connection.execute(found.with_for_update(skip_locked=True)).one_or_none()
                if row is None or not self._is_free(stack, (row.owner, row.epoch, row.renewals)):
                    return None
                if row.owner != self._owner:
                    LEASES_TAKEN_OVER.add()
            lease = Lease(stack, self._owner, row.epoch + 1 if row is not None else 1)
            values = {"owner": lease.owner, "epoch": lease.epoch, "expires_at": now() + LEASE_SECONDS}
            if row is None:
                connection.execute(insert(table).values(stack=stack, renewals=0, **values))
            else:
                connection.execute(update(table).where(table.c.stack == stack).values(values))
            with self._lock:
                # A claim that was made but not heard of is made again.
                self._until.pop(Lease(stack, self._owner, lease.epoch - 1), None)
                self._until[lease] = began + LEASE_SECONDS
            return lease
        return None

    def watch(self) -> list[str]:
        """Looks at the leases of others. The stacks of those that are over: their owners have ended, or have not
        renewed them for as long as a lease lasts."""
        query = select(table.c.stack, table.c.owner, table.c.epoch, table.c.renewals)
        with reading(self._database).connect() as connection:
            rows = connection.execute(query.where(table.c.owner != self._owner)).all()
        # Not before: what is read was renewed by now, and its owner has counted from then.
        at = self._clock()
        before, self._seen = self._seen, {}
        for stack, *state in rows:
            known = before.get(stack)
            same = known is not None and known[0] == tuple(state)
            self._seen[stack] = known if known is not None and same else ((state[0], state[1], state[2]), at)
        dead = {owner for owner in {state[0] for state, _ in self._seen.values()} if self._is_dead(owner)}
        return [
            stack
            for stack, (state, since) in self._seen.items()
            if state[0] in dead or at - since >= LEASE_SECONDS
        ]

    def owner_seen(self, stack: str) -> str | None:
        """Who had a stack's lease when it was last looked at, if that was somebody else."""
        known = self._seen.get(stack)
        return known[0][0] if known is not None else None

    def _is_free(self, stack: str, state: _State) -> bool:
        """Whether a lease may be taken, as it is now that it is locked."""
        if state[0] == self._owner:
            return True
        seen, since = self._seen.get(stack, (None, 0.0))
        return (seen == state and self._clock() - since >= LEASE_SECONDS) or self._is_dead(state[0])

    def extend(self) -> set[Lease]:
        """Renews all leases; those that are still held."""
        began = self._clock()
        with self._lock:
            mine = set(self._until)
        own = table.c.stack.in_({lease.stack for lease in mine}), table.c.owner == self._owner
        # In the order in which writers take them, too: nobody waits for each other.
        query = select(table.c.stack, table.c.owner, table.c.epoch).where(*own).order_by(table.c.stack)
        renewed = {"renewals": table.c.renewals + 1, "expires_at": now() + LEASE_SECONDS}
        with self._database.begin() as connection:
            kept = {Lease(*row) for row in connection.execute(query.with_for_update())}
            connection.execute(update(table).where(*own).values(renewed))
        with self._lock:
            for lost in mine - kept:
                self._until.pop(lost, None)
            # What was given back meanwhile stays so.
            kept &= self._until.keys()
            self._until.update(dict.fromkeys(kept, began + LEASE_SECONDS))
        return kept

    def holds(self, lease: Lease) -> bool:
        """Whether nobody else can have the lease yet, nor soon. Asks no database."""
        return self._clock() < self._until.get(lease, 0.0) - MARGIN_SECONDS

    def release(self, lease: Lease) -> None:
        with self._lock:
            self._until.pop(lease, None)
        with self._database.begin() as connection:
            connection.execute(
                delete(table).where(
                    table.c.stack == lease.stack, table.c.owner == lease.owner, table.c.epoch == lease.epoch
                )
            )

    def clear(self) -> list[str]:
        """Takes all leases from everybody; the stacks they were for."""
        with self._database.begin() as connection:
            stacks = list(connection.execute(select(table.c.stack)).scalars())
            LEASES_TAKEN_OVER.add(by=connection.execute(delete(table)).rowcount)
        return stacks
