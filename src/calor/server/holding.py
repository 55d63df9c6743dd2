"""Who uses a state directory: one server that does everything, or any number of processes that share the work."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import TextIO

PARTING_SECONDS = 5.0


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
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file, PARTING_SECONDS if killed else 0.0


def hold_together(state_dir: Path) -> TextIO:
    """Takes the state directory with others that do so, as long as the file is open. Raises StateDirTaken."""
    file = _lock_file(state_dir).open("a+")
    _take(file, fcntl.LOCK_SH, state_dir, 0.0)
    return file


def hold_cloud(state_dir: Path) -> TextIO:
    """Takes the embedded cloud, of which there is one. Raises StateDirTaken."""
    file = (state_dir / "cloud.lock").open("a+")
    _take(file, fcntl.LOCK_EX, state_dir, 0.0, "cloud")
    return file


def _lock_file(state_dir: Path) -> Path:
    state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    return state_dir / "lock"


def _take(file: TextIO, how: int, state_dir: Path, patience: float, what: str = "server") -> None:
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(file, how | fcntl.LOCK_NB)
            return
        except OSError:
            if time.monotonic() >= end:
                file.close()
                raise StateDirTaken(f"another {what} uses {state_dir}") from None
        time.sleep(0.01)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
