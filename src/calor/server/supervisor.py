"""Runs the programs of a server as processes and restarts those that exit unexpectedly.

Programs are forked, so that they share the parent's imports. If the parent is killed, its children exit at once, so
that they never run beside a restarted server.
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
    """A function to run in a process until it receives SIGTERM."""

    name: str
    main: Callable[[], None]
    needed: bool = False
    """Whether the other programs need it to finish their work: it is stopped after them."""


class Supervisor:
    def __init__(
        self,
        programs: list[Program],
        grace: float | None = GRACE_SECONDS,
        before_stop: Callable[[], None] = lambda: None,
    ) -> None:
        """Programs that take longer than `grace` seconds to stop are killed; None waits for them. `before_stop` is
        called before they are stopped."""
        self._programs = programs
        self._grace = grace
        self._before_stop = before_stop
        self._running: dict[int, tuple[Program, float]] = {}
        self._stopping = False
        # The write end is open only in this process: when it exits, every child reads end of file.
        self._lifeline, self._write_end = os.pipe()

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
            self._on_exit(pid, status)

    def _start(self, program: Program) -> None:
        pid = os.fork()
        if pid:
            self._running[pid] = (program, time.monotonic())
            if self._stopping:
                # Stopped after the caller checked and before the pid was known.
                os.kill(pid, signal.SIGTERM)
            return
        code = 1
        try:
            os.close(self._write_end)
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
        """Sets the name that `ps` and `top` show."""
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PR_SET_NAME, f"calor {name}".encode())

    def _on_exit(self, pid: int, status: int) -> None:
        if pid not in self._running:
            return
        program, started = self._running.pop(pid)
        if self._stopping:
            if all(other.needed for other, _ in self._running.values()):
                self._terminate(needed=True)
            return
        lived = time.monotonic() - started
        log.warning("%s exited (%s); restarting it", program.name, os.waitstatus_to_exitcode(status))
        if lived < SHORTEST_LIFE:
            time.sleep(min(SHORTEST_LIFE, 0.2 + lived))
        if not self._stopping:
            self._start(program)

    def _stop(self, number: int, frame: object) -> None:
        if self._stopping:
            return
        self._stopping = True
        self._before_stop()
        self._terminate(needed=all(program.needed for program, _ in self._running.values()))
        if self._grace is not None:
            threading.Thread(target=self._kill_after, args=(self._grace,), daemon=True).start()

    def _terminate(self, *, needed: bool) -> None:
        """Sends SIGTERM to the programs that others need, or to the others."""
        for pid, (program, _) in self._running.items():
            if program.needed is needed:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)

    def _kill_after(self, grace: float) -> None:
        time.sleep(grace)
        for pid in list(self._running):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
