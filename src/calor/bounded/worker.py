"""The program of a worker process: runs tasks one after the other, with limits enforced by the kernel."""

from __future__ import annotations

import json
import os
import re
import resource
import select
import signal
import struct
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, BinaryIO

MEMORY = 1024**3
IDLE_SECONDS = 60.0

_LENGTH = struct.Struct(">I")


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        # Other systems do not support it.
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    source, target = os.fdopen(0, "rb", 0), os.fdopen(1, "wb", 0)
    while select.select([source], [], [], IDLE_SECONDS)[0]:
        head = _read(source, _LENGTH.size)
        if head is None:
            break
        body = _read(source, _LENGTH.unpack(head)[0])
        if body is None:
            break
        answer = run_task(body)
        _write(target, _LENGTH.pack(len(answer)) + answer)


def run_task(body: bytes) -> bytes:
    """The encoded answer to a task. A signal kills the process when its time is up."""
    try:
        task = json.loads(body)
        signal.setitimer(signal.ITIMER_PROF, task["seconds"])
        return json.dumps({"result": TASKS[task["task"]](task)}).encode()
    except MemoryError:
        return json.dumps({"error": "it uses too much memory", "kind": "MemoryError"}).encode()
    except Exception as error:
        # All errors are caused by the expression or its data.
        return json.dumps({"error": str(error)[:10_000], "kind": type(error).__name__}).encode()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _read(source: BinaryIO, length: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < length:
        part = source.read(length - len(parts))
        if not part:
            return None
        parts += part
    return bytes(parts)


def _write(target: BinaryIO, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[target.write(left) :]


def _compiles(task: dict[str, Any]) -> None:
    re.compile(task["expression"], task["flags"])


def _matches(task: dict[str, Any]) -> int | None:
    """Where the match ends, or None."""
    pattern = re.compile(task["expression"], task["flags"])
    found = getattr(pattern, task["way"])(task["text"])
    return None if found is None else found.end()


@lru_cache(maxsize=1024)
def _statement(iterators: int, memory: int, expression: str) -> Any:
    return _engine(iterators, memory)(expression)


@lru_cache(maxsize=1)
def _engine(iterators: int, memory: int) -> Any:
    import yaql

    return yaql.YaqlFactory().create({"yaql.limitIterators": iterators, "yaql.memoryQuota": memory})


@lru_cache(maxsize=1)
def _context() -> Any:
    import yaql

    return yaql.create_context()


def _parses(task: dict[str, Any]) -> None:
    _statement(task["iterators"], task["memory"], task["expression"])


def _evaluates(task: dict[str, object]) -> object:
    statement = _statement(task["iterators"], task["memory"], task["expression"])
    context = _context().create_child_context()
    context["$"] = {"data": unpack(task["data"])}
    return pack(statement.evaluate(context=context))


TASKS: dict[str, Callable[[dict[str, object]], object]] = {
    "compile": _compiles,
    "match": _matches,
    "parse": _parses,
    "yaql": _evaluates,
}

PAIRS = "\0pairs"
"""The key that marks a map with keys other than strings, which JSON does not support."""


def pack(value: object) -> object:
    """Encodes template data for JSON. Raises TypeError for other values."""
    if isinstance(value, (set, frozenset)):
        return sorted((pack(item) for item in value), key=repr)
    if isinstance(value, (list, tuple)):
        return [pack(item) for item in value]
    if isinstance(value, dict):
        if all(isinstance(key, str) and key != PAIRS for key in value):
            return {key: pack(item) for key, item in value.items()}
        return {PAIRS: [[_key(key), pack(item)] for key, item in value.items()]}
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise TypeError(f"values of this type are not supported in templates: {type(value).__name__}")


def _key(value: object) -> object:
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise TypeError(f"keys of this type are not supported in templates: {type(value).__name__}")


def unpack(value: object) -> object:
    if isinstance(value, list):
        return [unpack(item) for item in value]
    if isinstance(value, dict):
        if PAIRS in value:
            return {key: unpack(item) for key, item in value[PAIRS]}
        return {key: unpack(item) for key, item in value.items()}
    return value


if __name__ == "__main__":
    main()
