"""Starts a holder: python -m calor.localcloud.linux.starting FOLDER READY

A program that is run in a server is forked from the holder, and the root of the server may have replaced it by a script
with the interpreter /proc/self/exe. So the holder runs from a read-only mount of the Python interpreter, which becomes
noexec once it runs.
"""

from __future__ import annotations

import fcntl
import os
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from calor.localcloud.linux import syscalls
from calor.localcloud.linux.entry import enter
from calor.localcloud.linux.syscalls import MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_RDONLY

_EXECUTABLE = "/proc/self/exe"
_SECONDS_TO_EXIT = 10.0


def start(folder: Path, ready: int) -> NoReturn:
    """Gains the privileges of the holder and executes it. Fails if the folder has a holder already, which does not
    exit soon."""
    lock = os.open(folder / "holder.lock", os.O_WRONLY | os.O_CREAT, 0o600)
    _lock(lock)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    enter()
    interpreter = os.path.realpath(sys.executable)
    syscalls.bind(interpreter, interpreter, read_only=True)
    for kept in (lock, ready):
        os.set_inheritable(kept, True)
    command = [sys.executable, "-m", "calor.localcloud.linux.holder", str(folder), str(ready), str(lock)]
    os.execv(sys.executable, command)


def _lock(file: int) -> None:
    """A holder that was asked to stop, or killed, may need a moment. Raises BlockingIOError."""
    end = time.monotonic() + _SECONDS_TO_EXIT
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise
        time.sleep(0.05)


def protect_interpreter() -> None:
    """Raises OSError if the process was not started by `start`."""
    if not os.statvfs(_EXECUTABLE).f_flag & os.ST_RDONLY:
        raise OSError("servers could write to the interpreter")
    syscalls.restrict_mount(_EXECUTABLE, MS_RDONLY | MS_NOEXEC | MS_NOSUID | MS_NODEV)


def main() -> None:
    folder, ready = Path(sys.argv[1]), int(sys.argv[2])
    try:
        start(folder, ready)
    except BaseException as error:
        with suppress(OSError):
            os.write(ready, f"{type(error).__name__}: {error}".encode())
        raise


if __name__ == "__main__":
    main()
