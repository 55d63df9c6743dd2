"""Detects stacks that crash or hang engines, such as by endless computations.

An engine that takes over such a stack would crash, too. So incidents are recorded: engines that died or hung while
computing for an action on a stack, and the action's progress. A second incident at the same point fails the action.
Engines that are killed for other reasons die at different points.
"""

from __future__ import annotations

import faulthandler
import logging
import threading
import time
from collections.abc import Callable, Iterable

from calor.engine.run.presence import Computing, Presence, is_suspended
from calor.store.database import Database
from calor.store.engines import has_leases, note_incident

log = logging.getLogger(__name__)

KILLER = "The engine stopped working twice while it processed this stack, so the stack is not processed again"
HANGS_AFTER = 2.0
"""After how many seconds a computation is recorded as hanging: less than a lease lasts."""
HOPELESS_AFTER = 20.0
"""Seconds after which a hanging engine is killed, so that it is restarted."""
MUTE_AFTER = 120.0
"""Seconds after which a process is killed in which not even the watchdog thread runs; also one that was suspended for
as long."""
GLANCE = 0.25
"""Seconds between two reads, which are equal if an engine hangs."""


class Suspicion:
    """Records incidents of this engine and of others on the machine."""

    def __init__(self, database: Database, presence: Presence, engine: str) -> None:
        self._database = database
        self._presence = presence
        self._engine = engine

    def record_dead_engines(self) -> None:
        """Records what dead engines of this machine computed. Their files are removed when their leases are gone: until
        then others see by them that they are dead."""
        for engine in self._presence.dead_engines():
            seen = self._presence.activity_of(engine)
            if seen is not None:
                self._note(engine, seen.serial, seen.computing)
            if not has_leases(self._database, engine):
                self._presence.remove(engine)

    def record_hung_engine(self, engine: str, root: str) -> None:
        """Records an incident if a live engine of this machine, which has lost a stack, still computes for it. One that
        was suspended does not count."""
        before = self._presence.activity_of(engine)
        if before is None or self._presence.is_dead(engine):
            return
        suspect = before.on_event_loop
        if suspect is None or suspect.stack != root or is_suspended(before.pid):
            return
        time.sleep(GLANCE)
        after = self._presence.activity_of(engine)
        if after is not None and after.serial == before.serial and not is_suspended(before.pid):
            self._note(engine, before.serial, [suspect])

    def note_own(self, serial: int, computing: Computing) -> None:
        """Records a computation of this engine that takes too long."""
        self._note(self._engine, serial, [computing])

    def _note(self, engine: str, serial: int, computing: Iterable[Computing]) -> None:
        for one in computing:
            note_incident(self._database, f"{engine} {serial}", one.stack, one.run_id)


class Watchdog:
    """A thread that detects when its engine hangs. It counts its own turns, not seconds: a suspended process does not
    hang."""

    TURN = 0.25

    def __init__(
        self,
        presence: Presence,
        doubt: Suspicion,
        give_up: Callable[[], None] | None,
        mute_after: float = MUTE_AFTER,
    ) -> None:
        """`give_up` kills the process. Without it, a hanging process is only logged."""
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
                # Works even if the GIL is not released.
                faulthandler.dump_traceback_later(self._mute_after, exit=True)
            seen = self._presence.own_activity()
            suspect = seen.on_event_loop
            turns = turns + 1 if suspect is not None and seen.serial == serial else 0
            serial = seen.serial
            if suspect is not None and turns == round(HANGS_AFTER / self.TURN):
                log.error("the engine hangs in a computation for the stack %s", suspect.stack)
                try:
                    self._suspicion.note_own(serial, suspect)
                except Exception:
                    log.exception("the incident could not be recorded")
            if turns >= HOPELESS_AFTER / self.TURN and self._give_up is not None:
                self._give_up()
        if self._give_up is not None:
            faulthandler.cancel_dump_traceback_later()
