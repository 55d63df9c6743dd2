"""Stacks that end their engines: something that is computed for them never ends, or takes the process down.

Whoever takes over would end in the same way. So it is noted which engines ended, or hung, while they computed something
for an action of a stack, and how far the action had got. The second one at the same point fails the action. Engines
that are killed for other reasons end at different points.
"""

from __future__ import annotations

import faulthandler
import logging
import threading
import time
from collections.abc import Callable, Iterable

from sqlalchemy import Connection, Engine, ScalarSelect, func, insert, or_, select
from sqlalchemy.exc import IntegrityError

from calor.engine.presence import Computing, Presence, stands_still
from calor.store.tables import event, lease, stack, suspicion

log = logging.getLogger(__name__)

MOST = 6
"""So many incidents are enough, however far the action gets between them."""
KILLER = "The engine stopped working twice while it processed this stack, so the stack is not processed again"
HANGS_AFTER = 2.0
"""Seconds for which an engine computes one thing before others are told: less than a lease lasts."""
HOPELESS_AFTER = 20.0
"""Seconds after which an engine that hangs is ended, so that another one is started in its place."""
MUTE_AFTER = 120.0
"""Seconds after which a process in which not even this thread gets a turn is ended. So is one that was stopped by a
signal for as long."""
GLANCE = 0.25
"""Seconds between two looks of which both see the same if an engine hangs."""


class Suspicion:
    """What one engine thinks of stacks, of those of others as well as of its own."""

    def __init__(self, database: Engine, presence: Presence, engine: str) -> None:
        self._database = database
        self._presence = presence
        self._engine = engine

    def is_guilty(self) -> ScalarSelect[bool]:
        """For a query of stacks: whether two engines ended at the same point of the present action, or very many at
        any, while they computed something for it."""
        same = suspicion.c.stack == stack.c.id, suspicion.c.run_id == stack.c.run_id
        incidents, points = func.count(), func.count(suspicion.c.progress.distinct())
        guilty = select(or_(incidents > points, incidents >= MOST))
        return guilty.select_from(suspicion).where(*same).correlate(stack).scalar_subquery()

    def look_after_the_dead(self) -> None:
        """Notes what the engines of this machine computed that have ended without having said so. They are forgotten
        when their leases are: until then others know by their files that they are gone."""
        for engine in self._presence.dead():
            seen = self._presence.look_at(engine)
            if seen is not None:
                self._note(engine, seen.serial, seen.computing)
            with self._database.begin() as connection:
                held = connection.execute(select(lease.c.stack).where(lease.c.owner == engine)).first()
            if held is None:
                self._presence.forget(engine)

    def look_at_the_hung(self, engine: str, root: str) -> None:
        """Notes whether an engine of this machine, which lives but has lost a stack, still computes something for it.
        One that was stopped by a signal does not."""
        before = self._presence.look_at(engine)
        if before is None or self._presence.is_dead(engine):
            return
        suspect = before.holding_up
        if suspect is None or suspect.stack != root or stands_still(before.pid):
            return
        time.sleep(GLANCE)
        after = self._presence.look_at(engine)
        if after is not None and after.serial == before.serial and not stands_still(before.pid):
            self._note(engine, before.serial, [suspect])

    def note_own(self, serial: int, computing: Computing) -> None:
        """Notes for what this engine has been computing for too long."""
        self._note(self._engine, serial, [computing])

    def _note(self, engine: str, serial: int, computing: Iterable[Computing]) -> None:
        for one in computing:
            try:
                with self._database.begin() as connection:
                    _insert(connection, f"{engine} {serial}", one)
            except IntegrityError:
                # Somebody else has seen it, too.
                continue


def _insert(connection: Connection, incident: str, computing: Computing) -> None:
    last_event = select(func.max(event.c.seq)).where(event.c.root == computing.stack)
    values = {
        "stack": computing.stack,
        "run_id": computing.run_id,
        "incident": incident,
        "progress": connection.execute(last_event).scalar() or 0,
        "at": time.time(),
    }
    connection.execute(insert(suspicion).values(values))


class Watchdog:
    """A thread that sees when its engine hangs. It counts its own turns, not seconds: a process that was stopped by a
    signal does not hang."""

    TURN = 0.25

    def __init__(
        self,
        presence: Presence,
        doubt: Suspicion,
        give_up: Callable[[], None] | None,
        mute_after: float = MUTE_AFTER,
    ) -> None:
        """`give_up` ends the process. Without it a process that hangs is left alone."""
        self._presence = presence
        self._suspicion = doubt
        self._give_up = give_up
        self._mute_after = mute_after
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()

    def _watch(self) -> None:
        turns, serial = 0, -1
        while not self._ended.wait(self.TURN):
            if self._give_up is not None:
                # Whatever holds the interpreter's lock does not hold this up.
                faulthandler.dump_traceback_later(self._mute_after, exit=True)
            seen = self._presence.own()
            suspect = seen.holding_up
            turns = turns + 1 if suspect is not None and seen.serial == serial else 0
            serial = seen.serial
            if suspect is not None and turns == round(HANGS_AFTER / self.TURN):
                log.error("the engine hangs while it computes something for the stack %s", suspect.stack)
                try:
                    self._suspicion.note_own(serial, suspect)
                except Exception:
                    log.exception("that could not be noted")
            if turns >= HOPELESS_AFTER / self.TURN and self._give_up is not None:
                self._give_up()
        if self._give_up is not None:
            faulthandler.cancel_dump_traceback_later()
