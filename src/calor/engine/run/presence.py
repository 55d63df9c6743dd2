"""Which engines of a machine are alive, and for which stack each of them is computing.

Each engine has a file in a directory that the processes of a machine share, locked while the process lives: an unlocked
file means that the engine is dead, without waiting for a timeout. The memory-mapped file contains what the engine is
computing, and outlives the process.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import struct
from collections.abc import Coroutine, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import coroutine
from typing import Any, TypeVar

Answer = TypeVar("Answer")

ENGINES = "engines"
"""The directory of the files, in the state directory."""

_ID = 36
_NOTE = 2 * _ID
_SLOTS = 16
_LOOP = 0
"""The slot of the event loop; the others are for threads."""
_SERIAL = 8
_PID = 16
_SIZE = _PID + _SERIAL + _SLOTS * _NOTE
_NOTHING = bytes(_NOTE)
_BEGINNING = struct.Struct(f">Q{_NOTE}s")
"""The serial number and the slot of the event loop. A slot that begins with zero is empty."""


@dataclass(frozen=True, slots=True)
class Computing:
    """The stack and the run of a computation."""

    stack: str
    run_id: str

    def encoded(self) -> bytes:
        return f"{self.stack:{_ID}.{_ID}}{self.run_id:{_ID}.{_ID}}".encode("ascii", "replace")


@dataclass(frozen=True, slots=True)
class Activity:
    """What an engine is computing."""

    pid: int
    serial: int
    """Changes with every computation."""
    computing: tuple[Computing, ...]
    """In all threads, some of which may be waiting."""
    on_event_loop: Computing | None
    """On the event loop, where it blocks everything else."""


class Presence:
    """The file of one engine. Without a directory, other engines are unknown."""

    def __init__(self, folder: Path | None, engine: str) -> None:
        self._folder = folder
        self._engine = engine
        self._file: int | None = None
        self._map: mmap.mmap | bytearray = bytearray(_SIZE)
        self._free = list(range(1, _SLOTS))
        self._serial = 0
        if folder is not None:
            self._open(folder)

    def _open(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Renamed only after locking: an unlocked file would mean a dead engine.
        temporary = folder / f".{self._engine}"
        self._file = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        os.ftruncate(self._file, _SIZE)
        fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._map = mmap.mmap(self._file, _SIZE)
        self._map[:_PID] = f"{os.getpid():{_PID}}".encode()
        temporary.rename(folder / self._engine)

    def close(self) -> None:
        """Removes the file at a regular exit."""
        if self._folder is not None and self._file is not None:
            (self._folder / self._engine).unlink(missing_ok=True)
            os.close(self._file)
            self._file = None

    # What this engine computes.

    @contextmanager
    def computing(self, what: Computing) -> Iterator[None]:
        """Shows a computation in a thread."""
        slot = self._free.pop() if self._free else None
        if slot is not None:
            self._write(slot, what.encoded())
        try:
            yield
        finally:
            if slot is not None:
                self._write(slot, _NOTHING)
                self._free.append(slot)

    @coroutine
    def tracked(self, note: bytes, work: Coroutine[Any, Any, Answer]) -> Generator[Any, Any, Answer]:
        """Runs a coroutine, and shows the encoded `Computing` whenever it is computing rather than waiting."""
        value = error = None
        begin = _BEGINNING.pack_into
        while True:
            self._serial += 1
            begin(self._map, _PID, self._serial, note)
            try:
                if error is not None:
                    awaited = work.throw(error)
                else:
                    awaited = work.send(value)
            except StopIteration as end:
                answer: Answer = end.value
                return answer
            finally:
                self._map[_PID + _SERIAL] = 0
            value = error = None
            try:
                value = yield awaited
            except GeneratorExit:
                work.close()
                raise
            except BaseException as thrown:
                error = thrown

    def own_activity(self) -> Activity:
        return _read(bytes(self._map))

    def _write(self, slot: int, note: bytes) -> None:
        start = _PID + _SERIAL + slot * _NOTE
        self._map[start : start + _NOTE] = note

    # Other engines.

    def is_dead(self, engine: str) -> bool:
        """Whether an engine of this machine is known to be dead."""
        return self._folder is not None and engine != self._engine and is_dead(self._folder, engine)

    def activity_of(self, engine: str) -> Activity | None:
        """What another engine of this machine is computing, or was computing when it died."""
        if self._folder is None or engine == self._engine:
            return None
        try:
            return _read((self._folder / engine).read_bytes())
        except OSError:
            return None

    def dead_engines(self) -> list[str]:
        """The engines of this machine that died without a regular exit."""
        if self._folder is None:
            return []
        names = [path.name for path in self._folder.iterdir() if not path.name.startswith(".")]
        return [name for name in names if self.is_dead(name)]

    def remove(self, engine: str) -> None:
        """Removes the file of a dead engine."""
        if self._folder is not None:
            (self._folder / engine).unlink(missing_ok=True)


def is_dead(folder: Path, engine: str) -> bool:
    """Whether an engine has a file in the directory, and its process is dead."""
    if not engine or engine.startswith(".") or os.sep in engine:
        return False
    try:
        file = os.open(folder / engine, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(file)
    return True


def is_suspended(pid: int) -> bool:
    """Whether a process is stopped, by a signal or a tracer."""
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in ("T", "t")
    return False


def _read(content: bytes) -> Activity:
    pid = content[:_PID].strip(b" \0")
    serial = int.from_bytes(content[_PID : _PID + _SERIAL], "big")
    slots = [_read_slot(content, slot) for slot in range(_SLOTS)]
    all_of_them = tuple(dict.fromkeys(note for note in slots if note is not None))
    return Activity(int(pid) if pid.isdigit() else 0, serial, all_of_them, slots[_LOOP])


def _read_slot(content: bytes, slot: int) -> Computing | None:
    start = _PID + _SERIAL + slot * _NOTE
    note = content[start : start + _NOTE]
    if len(note) < _NOTE or 0 in note:
        return None
    text = note.decode("ascii", "replace")
    return Computing(text[:_ID].strip(), text[_ID:].strip())
