"""Leases in the database: which engine works on a stack.

Wall clocks do not matter. An owner counts the seconds of its lease from before it claimed it, and stops some time
before it expires. Others count from when they saw the last renewal, so they start later. So an owner that was
suspended, or that cannot reach the database, notices that its lease has expired.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from sqlalchemy import Connection, Engine, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from calor.observe.series import LEASES_TAKEN_OVER
from calor.store.clock import now
from calor.store.database import reading
from calor.store.tables import lease as table
from calor.store.writer import Changes, Lease

LEASE_SECONDS = 5.0
MARGIN_SECONDS = 1.0
"""How long before the lease expires its owner stops: requests sent by then arrive before another engine starts."""

# Continues while the machine sleeps, unlike Linux's monotonic clock.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

_State = tuple[str, int, int]
"""Owner, epoch and number of renewals."""


def _boot_time() -> float:
    return time.clock_gettime(_CLOCK)


# Built once, because engines run them often.
_TAKEN = select(table.c.stack).where(table.c.stack.in_(bindparam("stacks", expanding=True)))
_GRANT = insert(table).values(epoch=1, renewals=0, expires_at=now() + LEASE_SECONDS)
_RELEASE = delete(table).where(
    table.c.stack == bindparam("held"),
    table.c.owner == bindparam("holder"),
    table.c.epoch == bindparam("since"),
)


class Leases:
    """The leases of one owner, and what it has observed of others'."""

    def __init__(
        self,
        database: Engine,
        owner: str,
        is_dead: Callable[[str], bool] = lambda owner: False,
        clock: Callable[[], float] = _boot_time,
    ) -> None:
        """`is_dead` returns whether an owner's process is known to have ended. `clock` must be monotonic."""
        self._database = database
        self._owner = owner
        self._is_dead = is_dead
        self._clock = clock
        self._until: dict[Lease, float] = {}
        self._seen: dict[str, tuple[_State, float]] = {}
        """For each lease of others the last state, and when it was first seen."""
        # Threads claim, renew and release concurrently.
        self._lock = threading.Lock()

    def claim_all(self, stacks: Iterable[str]) -> list[Lease]:
        """Claims leases; returns those that were free. New leases take one transaction."""
        wanted = sorted(set(stacks))
        leases = {lease.stack: lease for lease in self._claim_new(wanted)}
        for stack in wanted:
            if stack not in leases and (lease := self.claim(stack)) is not None:
                leases[stack] = lease
        return list(leases.values())

    def _claim_new(self, stacks: Sequence[str]) -> list[Lease]:
        began = self._clock()
        # Another owner may be claiming some of them at the same time: then they are claimed one by one.
        with contextlib.suppress(IntegrityError), self._database.begin() as connection:
            taken = set(connection.execute(_TAKEN, {"stacks": list(stacks)}).scalars())
            leases = [Lease(stack, self._owner, 1) for stack in stacks if stack not in taken]
            if leases:
                connection.execute(_GRANT, [{"stack": lease.stack, "owner": self._owner} for lease in leases])
                with self._lock:
                    self._until.update(dict.fromkeys(leases, began + LEASE_SECONDS))
            return leases
        return []

    def claim(self, stack: str) -> Lease | None:
        """Claims a lease; returns None if it is held."""
        began = self._clock()
        found = select(table.c.owner, table.c.epoch, table.c.renewals).where(table.c.stack == stack)
        # Another owner may be claiming it at the same time.
        with contextlib.suppress(IntegrityError), self._database.begin() as connection:
            row = connection.execute(found).one_or_none()
            if row is not None:
                # Skip locked rows: a suspended process may hold the lock.
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
                # Replaces an earlier claim whose confirmation was lost.
                self._until.pop(Lease(stack, self._owner, lease.epoch - 1), None)
                self._until[lease] = began + LEASE_SECONDS
            return lease
        return None

    def watch(self) -> list[str]:
        """Reads the leases of others; returns the stacks whose leases have expired, or whose owners have died."""
        query = select(table.c.stack, table.c.owner, table.c.epoch, table.c.renewals)
        with reading(self._database).connect() as connection:
            rows = connection.execute(query.where(table.c.owner != self._owner)).all()
        # Taken after the read: owners count from before their renewals.
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
        """The last observed owner of a stack's lease, if it was another engine."""
        known = self._seen.get(stack)
        return known[0][0] if known is not None else None

    def _is_free(self, stack: str, state: _State) -> bool:
        """Whether a locked lease may be taken over."""
        if state[0] == self._owner:
            return True
        seen, since = self._seen.get(stack, (None, 0.0))
        return (seen == state and self._clock() - since >= LEASE_SECONDS) or self._is_dead(state[0])

    def extend(self) -> set[Lease]:
        """Renews all leases; returns those that are still held."""
        began = self._clock()
        with self._lock:
            mine = set(self._until)
        own = table.c.stack.in_({lease.stack for lease in mine}), table.c.owner == self._owner
        # In the same order as writers, to avoid deadlocks.
        query = select(table.c.stack, table.c.owner, table.c.epoch).where(*own).order_by(table.c.stack)
        renewed = {"renewals": table.c.renewals + 1, "expires_at": now() + LEASE_SECONDS}
        with self._database.begin() as connection:
            kept = {Lease(*row) for row in connection.execute(query.with_for_update())}
            connection.execute(update(table).where(*own).values(renewed))
        with self._lock:
            for lost in mine - kept:
                self._until.pop(lost, None)
            # Without those that were released meanwhile.
            kept &= self._until.keys()
            self._until.update(dict.fromkeys(kept, began + LEASE_SECONDS))
        return kept

    def holds(self, lease: Lease) -> bool:
        """Whether the lease is certainly held, with a margin. Does not query the database."""
        return self._clock() < self._until.get(lease, 0.0) - MARGIN_SECONDS

    def release(self, lease: Lease) -> Changes:
        """Gives up a lease; returns the changes to write so that others can claim it."""
        with self._lock:
            self._until.pop(lease, None)
        changes = Changes()
        changes.then(partial(_delete, lease=lease))
        return changes

    def clear(self) -> list[str]:
        """Deletes all leases; returns their stacks."""
        with self._database.begin() as connection:
            stacks = list(connection.execute(select(table.c.stack)).scalars())
            LEASES_TAKEN_OVER.add(by=connection.execute(delete(table)).rowcount)
        return stacks


def _delete(connection: Connection, lease: Lease) -> None:
    connection.execute(_RELEASE, {"held": lease.stack, "holder": lease.owner, "since": lease.epoch})
