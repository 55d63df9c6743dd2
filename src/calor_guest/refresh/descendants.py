"""The processes that this one has started, and those that they have started."""

import os
import signal
from contextlib import suppress
from typing import Dict, Iterable, List, Set


def kill() -> None:
    """Kills all of them. Repeated until none is new, since those that live meanwhile start others."""
    killed: Set[int] = set()
    while True:
        found = [pid for pid in below(os.getpid(), _parents()) if pid not in killed]
        if not found:
            return
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            killed.add(pid)


def below(root: int, parents: Dict[int, int]) -> List[int]:
    """Parents before children, so that no killed process is replaced."""
    children: Dict[int, List[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    found: List[int] = []
    waiting = list(children.get(root, ()))
    while waiting:
        pid = waiting.pop(0)
        found.append(pid)
        waiting += children.get(pid, ())
    return found


def _parents() -> Dict[int, int]:
    found = {}
    for pid in _pids():
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                # The name, in parentheses, may hold anything.
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if state != b"Z":
            found[pid] = int(parent)
    return found


def _pids() -> Iterable[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]
