"""Worker processes for work that may take too long, since only processes can be killed."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from calor.bounded.errors import TookTooLong

MOST_WORKERS = 4
LARGEST_ANSWER = 32 * 1024 * 1024
SPARE_SECONDS = 20.0
"""Seconds that an answer may take beyond its CPU time, on a busy machine."""

_LENGTH = struct.Struct(">I")


class Workers:
    """A pool of processes, started when needed. They exit when they have been idle for a while, when
    the CPU time of a task is used up, and when this process exits."""

    def __init__(self, most: int = MOST_WORKERS) -> None:
        self._most = most
        self._reset()
        atexit.register(self.close)

    def _reset(self) -> None:
        self._process = os.getpid()
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(self._most)

    def ask(self, task: dict[str, object], seconds: float) -> dict[str, object]:
        """The answer of a worker. Raises TookTooLong when it has used so many seconds of CPU time, or when no worker
        becomes free in time."""
        if self._process != os.getpid():
            # After a fork, the workers belong to the parent.
            self._reset()
        if not self._places.acquire(timeout=SPARE_SECONDS):
            raise TookTooLong("too many other evaluations are in progress")
        try:
            return self._ask({**task, "seconds": seconds}, seconds + SPARE_SECONDS)
        finally:
            self._places.release()

    def _ask(self, task: dict[str, object], patience: float) -> dict[str, object]:
        body = json.dumps(task).encode()
        while True:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            used = worker is not None
            worker = worker or _Worker()
            try:
                answer = worker.ask(body, patience)
            except BaseException:
                worker.kill()
                raise
            if answer is not None:
                with self._lock:
                    self._idle.append(worker)
                found: dict[str, object] = answer
                return found
            worker.kill()
            if worker.returncode < 0:
                raise TookTooLong("it took too long")
            if not used or worker.returncode:
                raise RuntimeError(f"a worker process ended with {worker.returncode}")
            # It has just exited because it was idle: try another one.

    def close(self) -> None:
        if self._process != os.getpid():
            return
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.kill()


class _Worker:
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [_python(), "-m", "calor.bounded.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            # Nothing else of this environment, which may contain passwords.
            env={"PYTHONPATH": os.pathsep.join(str(Path(one).resolve()) for one in sys.path)},
        )
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)

    @property
    def returncode(self) -> int:
        """The exit code; negative if it was killed by a signal."""
        return self._process.returncode or 0

    def ask(self, body: bytes, patience: float) -> Any:
        """The answer, or None if the worker exited. Raises TookTooLong."""
        deadline = time.monotonic() + patience
        try:
            self._write(_LENGTH.pack(len(body)) + body, deadline)
        except (BrokenPipeError, ConnectionError):
            return None
        answer = self._read(deadline)
        return None if answer is None else json.loads(answer)

    def kill(self) -> None:
        process = self._process
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _write(self, data: bytes, deadline: float) -> None:
        assert self._process.stdin is not None
        target = self._process.stdin.fileno()
        left = memoryview(data)
        while left:
            self._wait(target, select.POLLOUT, deadline)
            with contextlib.suppress(BlockingIOError):
                left = left[os.write(target, left) :]

    def _read(self, deadline: float) -> bytes | None:
        assert self._process.stdout is not None
        source = self._process.stdout.fileno()
        received = bytearray()
        while len(received) < _LENGTH.size or len(received) - _LENGTH.size < _body_length(received):
            self._wait(source, select.POLLIN, deadline)
            part = os.read(source, 1 << 20)
            if not part:
                # It has exited.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(5)
                return None
            received += part
        return bytes(received[_LENGTH.size :])

    @staticmethod
    def _wait(descriptor: int, event: int, deadline: float) -> None:
        poll = select.poll()
        poll.register(descriptor, event)
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise TookTooLong("it took too long")


def _body_length(received: bytearray) -> int:
    length: int = _LENGTH.unpack_from(received)[0]
    if length > LARGEST_ANSWER:
        raise TookTooLong("the result is too large")
    return length


def _python() -> str:
    """The interpreter, even if Python is embedded in another program, such as a WSGI server."""
    if "python" in Path(sys.executable or "").name:
        return sys.executable
    return str(Path(sys.prefix) / "bin" / "python3")
