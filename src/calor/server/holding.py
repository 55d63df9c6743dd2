"""Who uses a state directory: one server that does everything, or any number of processes that share the work."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

PARTING_SECONDS = 5.0
_SERVER = "lock"
_CLOUD = "cloud.lock"
_KEYS = "keys.lock"


class StateDirTaken(Exception):
    """Another server uses the state directory."""


def hold_alone(state_dir: Path) -> tuple[TextIO, float]:
    """Takes the state directory as long as the file is open. Also the seconds for which its ports may still be in
    use: a server that was killed a moment ago leaves processes that are about to end, and those are waited for.
    Raises StateDirTaken."""
    path = _lock_file(state_dir)
    file = path.open("a+")
    file.seek(0)
    before = file.read()
    killed = before.isdigit() and not _lives(int(before))
    _take(file, fcntl.LOCK_EX, state_dir, PARTING_SECONDS if killed else 0.0)
    _sign(file)
    return file, PARTING_SECONDS if killed else 0.0


def hold_together(state_dir: Path) -> TextIO:
    """Takes the state directory with others that do so, as long as the file is open. Raises StateDirTaken."""
    file = _lock_file(state_dir).open("a+")
    _take(file, fcntl.LOCK_SH, state_dir, 0.0)
    return file


def hold_cloud(state_dir: Path) -> TextIO:
    """Takes the embedded cloud, of which there is one. Raises StateDirTaken."""
    file = (state_dir / _CLOUD).open("a+")
    _take(file, fcntl.LOCK_EX, state_dir, 0.0, "cloud")
    _sign(file)
    return file


def use_keys(state_dir: Path) -> TextIO:
    """Keeps the keys of a state directory from being changed as long as the file is open: they are read once. Raises
    StateDirTaken."""
    file = (state_dir / _KEYS).open("a+")
    _take(file, fcntl.LOCK_SH, state_dir, 0.0, "rotate-key")
    return file


def hold_keys(state_dir: Path) -> ExitStack:
    """Keeps processes that use the keys from starting until it is closed. The embedded cloud does not use them. Raises
    StateDirTaken."""
    with ExitStack() as held:
        held.enter_context(hold_together(state_dir))
        file = held.enter_context((state_dir / _KEYS).open("a+"))
        _take(file, fcntl.LOCK_EX, state_dir, 0.0)
        return held.pop_all()


def cloud_keeper(state_dir: Path) -> str | None:
    """The process that runs the embedded cloud of a state directory, in words; None if nobody does."""
    for name, what in ((_SERVER, "calor serve"), (_CLOUD, "calor cloud")):
        try:
            file = (state_dir / name).open()
        except FileNotFoundError:
            continue
        with file:
            pid = file.read()
            # One that was just ended may leave processes that are about to end, too.
            patience = 0.0 if not pid.isdigit() or _lives(int(pid)) else PARTING_SECONDS
            if not _take_within(file, fcntl.LOCK_SH, patience):
                return f"`{what}`" + (f" (process {pid})" if pid.isdigit() else "")
    return None


def _lock_file(state_dir: Path) -> Path:
    state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    return state_dir / _SERVER


def _sign(file: TextIO) -> None:
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()


def _take(file: TextIO, how: int, state_dir: Path, patience: float, what: str = "server") -> None:
    if not _take_within(file, how, patience):
        file.close()
        raise StateDirTaken(f"another {what} uses {state_dir}")


def _take_within(file: TextIO, how: int, patience: float) -> bool:
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(file, how | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() >= end:
                return False
        time.sleep(0.01)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
