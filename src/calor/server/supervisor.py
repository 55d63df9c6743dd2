"""Runs the programs of a server as processes and starts again what ends unasked.

A program is forked, not started anew: what the parent has imported is shared. If the parent is killed, its
children end at once, so that a restart never meets one of them.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

log = logging.getLogger(__name__)

GRACE_SECONDS = 10.0
SHORTEST_LIFE = 2.0
_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15


@dataclass(frozen=True, slots=True)
class Program:
    """Something to run in a process of its own until it is told to stop."""

    name: str
    main: Callable[[], None]
    needed: bool = False
    """Whether the other programs need it to finish what is under way: it is told to stop when they have."""


class Supervisor:
    def __init__(
        self,
        programs: list[Program],
        grace: float | None = GRACE_SECONDS,
        parting: Callable[[], None] = lambda: None,
    ) -> None:
        """Programs that take longer than the grace, if there is one, to stop are killed. `parting` is done before they
        are told to."""
        self._programs = programs
        self._grace = grace
        self._parting = parting
        self._running: dict[int, tuple[Program, float]] = {}
        self._stopping = False
        # Its write end is open only in this process: when that is gone, every child reads the end.
        self._lifeline, self._hold = os.pipe()

    def run(self) -> None:
        """Runs until SIGTERM or SIGINT, then stops all programs."""
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)
        for program in self._programs:
            self._start(program)
        while self._running:
            try:
                pid, status = os.wait()
            except InterruptedError:
                continue
            except ChildProcessError:
                break
            self._ended(pid, status)

    def _start(self, program: Program) -> None:
        pid = os.fork()
        if pid:
            self._running[pid] = (program, time.monotonic())
            if self._stopping:
                # Told to stop after the look at that, before the pid was known.
                os.kill(pid, signal.SIGTERM)
            return
        code = 1
        try:
            os.close(self._hold)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            self._die_with_parent()
            self._show_name(program.name)
            program.main()
            code = 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        except BaseException:
            log.exception("%s failed", program.name)
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _die_with_parent(self) -> None:
        if sys.platform == "linux":
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

        def watch() -> None:
            os.read(self._lifeline, 1)
            os._exit(1)

        threading.Thread(target=watch, name="lifeline", daemon=True).start()

    @staticmethod
    def _show_name(name: str) -> None:
        """What `ps` and `top` call the process."""
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PR_SET_NAME, f"calor {name}".encode())

    def _ended(self, pid: int, status: int) -> None:
        if pid not in self._running:
            return
        program, started = self._running.pop(pid)
        if self._stopping:
            if all(other.needed for other, _ in self._running.values()):
                self._tell(needed=True)
            return
        lived = time.monotonic() - started
        log.warning("%s ended (%s); starting it again", program.name, os.waitstatus_to_exitcode(status))
        if lived < SHORTEST_LIFE:
            time.sleep(min(SHORTEST_LIFE, 0.2 + lived))
        if not self._stopping:
            self._start(program)

    def _stop(self, number: int, frame: object) -> None:
        if self._stopping:
            return
        self._stopping = True
        self._parting()
        self._tell(needed=all(program.needed for program, _ in self._running.values()))
        if self._grace is not None:
            threading.Thread(target=self._insist, args=(self._grace,), daemon=True).start()

    def _tell(self, *, needed: bool) -> None:
        """Tells programs to stop: those that others need, or the others."""
        for pid, (program, _) in self._running.items():
            if program.needed is needed:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)

    def _insist(self, grace: float) -> None:
        time.sleep(grace)
        for pid in list(self._running):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
