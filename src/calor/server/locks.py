"""Locks on a state directory: used by one server with all parts, or shared by any number of single processes."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

EXIT_SECONDS = 5.0
"""How long the child processes of a killed server may take to exit."""
_SERVER = "lock"
_CLOUD = "cloud.lock"
_KEYS = "keys.lock"


class StateDirInUse(Exception):
    """Another server uses the state directory."""


def lock_exclusively(state_dir: Path) -> tuple[TextIO, float]:
    """Locks the state directory for as long as the file is open. Also returns for how many seconds its ports may still
    be in use: the processes of a server that was just killed are about to exit. Raises StateDirInUse."""
    path = _lock_file(state_dir)
    file = path.open("a+")
    file.seek(0)
    previous = file.read()
    killed = previous.isdigit() and not _is_alive(int(previous))
    patience = EXIT_SECONDS if killed else 0.0
    _lock(file, fcntl.LOCK_EX, state_dir, patience)
    _write_pid(file)
    return file, patience


def lock_shared(state_dir: Path) -> TextIO:
    """Shares the state directory with other processes for as long as the file is open. Raises StateDirInUse."""
    file = _lock_file(state_dir).open("a+")
    _lock(file, fcntl.LOCK_SH, state_dir, 0.0)
    return file


def lock_cloud(state_dir: Path) -> TextIO:
    """Locks the embedded cloud of the state directory. Raises StateDirInUse."""
    file = (state_dir / _CLOUD).open("a+")
    _lock(file, fcntl.LOCK_EX, state_dir, 0.0, "cloud")
    _write_pid(file)
    return file


def share_keys(state_dir: Path) -> TextIO:
    """Prevents a rotation of the state directory's keys for as long as the file is open: processes read them once.
    Raises StateDirInUse."""
    file = (state_dir / _KEYS).open("a+")
    _lock(file, fcntl.LOCK_SH, state_dir, 0.0, "rotate-key")
    return file


def lock_keys(state_dir: Path) -> ExitStack:
    """Prevents processes that use the keys from starting until closed; the embedded cloud does not use them. Raises
    StateDirInUse."""
    with ExitStack() as locks:
        locks.enter_context(lock_shared(state_dir))
        file = locks.enter_context((state_dir / _KEYS).open("a+"))
        _lock(file, fcntl.LOCK_EX, state_dir, 0.0)
        return locks.pop_all()


def cloud_process(state_dir: Path) -> str | None:
    """A description of the process that runs the state directory's embedded cloud; None if it is not running."""
    for name, what in ((_SERVER, "calor serve"), (_CLOUD, "calor cloud")):
        try:
            file = (state_dir / name).open()
        except FileNotFoundError:
            continue
        with file:
            pid = file.read()
            # A server that just ended may have left processes that are about to exit, too.
            patience = 0.0 if not pid.isdigit() or _is_alive(int(pid)) else EXIT_SECONDS
            if not _lock_within(file, fcntl.LOCK_SH, patience):
                return f"`{what}`" + (f" (process {pid})" if pid.isdigit() else "")
    return None


def _lock_file(state_dir: Path) -> Path:
    state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    return state_dir / _SERVER


def _write_pid(file: TextIO) -> None:
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()


def _lock(file: TextIO, mode: int, state_dir: Path, patience: float, what: str = "server") -> None:
    if not _lock_within(file, mode, patience):
        file.close()
        raise StateDirInUse(f"another {what} uses {state_dir}")


def _lock_within(file: TextIO, mode: int, patience: float) -> bool:
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(file, mode | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() >= end:
                return False
        time.sleep(0.01)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
