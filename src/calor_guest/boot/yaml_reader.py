"""Reads YAML from untrusted sources, with limits for time and size."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

_MOST_BYTES = 1 << 20
_MOST_VALUES = 100_000
_MOST_LEVELS = 200
_MOST_CHARACTERS = 4 << 20
_MOST_SECONDS = 5.0
_BETWEEN_LOOKS = 1024


def read_yaml(data: bytes) -> object:
    """Raises ValueError for invalid or too large documents."""
    return YamlReader()(data)


class YamlReader:
    """Reads the documents of one server, which share their limits: bytes, values, characters once aliases are replaced,
    and seconds of computing. Raises ValueError for what cannot be read."""

    def __init__(self, clock: Callable[[], float] = time.thread_time) -> None:
        self._clock = clock
        self._end = clock() + _MOST_SECONDS
        self._bytes = _MOST_BYTES
        self._values: float = _MOST_VALUES
        self._characters: float = _MOST_CHARACTERS

    def __call__(self, data: bytes) -> object:
        import yaml

        # The loader in C is ten times as fast, but may be missing in servers.
        loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
        self._bytes -= len(data)
        if self._bytes < 0:
            raise ValueError(f"it is larger than {_MOST_BYTES} bytes")
        try:
            self._look_over(yaml.parse(data, Loader=loader))
            found = yaml.load(data, Loader=loader)
            values, characters = _extent(found, {})
        except yaml.YAMLError as error:
            raise ValueError(" ".join(str(error).split())) from None
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        self._values -= values
        self._characters -= characters
        if self._values < 0 or self._characters < 0:
            raise ValueError("it is too large when its aliases are expanded")
        return found

    def _look_over(self, events: Any) -> None:
        """Checks the limits before objects are created, which takes most of the time. Parsing is quadratic in the
        depth."""
        depth = 0
        for number, event in enumerate(events):
            kind = type(event).__name__
            if kind in ("SequenceStartEvent", "MappingStartEvent"):
                depth += 1
            elif kind in ("SequenceEndEvent", "MappingEndEvent"):
                depth -= 1
            if depth > _MOST_LEVELS:
                raise ValueError("it is nested too deeply")
            if number > 2 * self._values:
                raise ValueError(f"it has more than {_MOST_VALUES} values, and is too large")
            if number % _BETWEEN_LOOKS == 0 and self._clock() > self._end:
                raise ValueError("parsing it takes too long")


def _extent(value: Any, known: dict[int, tuple[float, float]]) -> tuple[float, float]:
    """The number of values and characters with aliases expanded. A value that contains
    itself is infinite."""
    if isinstance(value, str | bytes):
        return 1, len(value)
    if not isinstance(value, list | dict | set | tuple):
        return 1, 0
    if id(value) not in known:
        known[id(value)] = float("inf"), 0
        inner = [*value, *value.values()] if isinstance(value, dict) else list(value)
        extents = [_extent(one, known) for one in inner]
        known[id(value)] = 1 + sum(one for one, _ in extents), sum(one for _, one in extents)
    return known[id(value)]
