"""Counters, gauges and histograms in Prometheus's text format.

Recording a value takes a lock and a dictionary, well below a microsecond. Every process has its own metrics, labelled
with its name; `merge` joins the texts of several.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from typing import TypeVar
from weakref import WeakKeyDictionary, ref

Owner = TypeVar("Owner")

Labels = tuple[str, ...]
Sample = tuple[str, Labels, str]
"""The suffix of the name, formatted labels, and the value."""

SHORT = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
LONG = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0)
SIZES = (1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 1000.0)


class Family:
    """A metric with all its series."""

    kind = ""

    def __init__(self, name: str, help: str, labels: Labels = ()) -> None:
        self.name = name
        self.help = help
        self.labels = labels
        self._lock = Lock()

    def samples(self) -> Iterator[Sample]:
        raise NotImplementedError

    def text(self, process: str) -> str:
        lines = [f"# HELP {self.name} {self.help}", f"# TYPE {self.name} {self.kind}"]
        label = (_format_label("process", process),) if process else ()
        for suffix, labels, value in self.samples():
            shown = ",".join((*labels, *label))
            lines.append(
                f"{self.name}{suffix}{{{shown}}} {value}" if shown else f"{self.name}{suffix} {value}"
            )
        return "\n".join(lines) + "\n"

    def _labels(self, values: Labels) -> Labels:
        return tuple(_format_label(*pair) for pair in zip(self.labels, values, strict=True))


class Counter(Family):
    kind = "counter"

    def __init__(self, name: str, help: str, labels: Labels = ()) -> None:
        super().__init__(name, help, labels)
        self._values: dict[Labels, float] = {} if labels else {(): 0}

    def add(self, *labels: str, by: float = 1) -> None:
        with self._lock:
            self._values[labels] = self._values.get(labels, 0) + by

    def samples(self) -> Iterator[Sample]:
        with self._lock:
            values = sorted(self._values.items())
        for labels, value in values:
            yield "", self._labels(labels), _number(value)


class Gauge(Family):
    """A gauge that is computed only when it is read."""

    kind = "gauge"

    def __init__(self, name: str, help: str, labels: Labels = ()) -> None:
        super().__init__(name, help, labels)
        self._tracked: WeakKeyDictionary[object, Callable[[], float]] = WeakKeyDictionary()

    def track(self, owner: Owner, value: Callable[[Owner], float]) -> None:
        """Adds `value(owner)` to the gauge for as long as the owner lives."""
        reference = ref(owner)
        self._tracked[owner] = lambda: value(alive) if (alive := reference()) is not None else 0.0

    def samples(self) -> Iterator[Sample]:
        values = list(self._tracked.values())
        if values:
            yield "", (), _number(sum(value() for value in values))

    def text_of(self, values: Iterable[tuple[Labels, float]]) -> str:
        """The text of values that are the same for all processes."""
        lines = [f"# HELP {self.name} {self.help}", f"# TYPE {self.name} gauge"]
        for labels, value in values:
            shown = ",".join(self._labels(labels))
            lines.append(
                f"{self.name}{{{shown}}} {_number(value)}" if shown else f"{self.name} {_number(value)}"
            )
        return "\n".join(lines) + "\n"


class Histogram(Family):
    kind = "histogram"

    def __init__(self, name: str, help: str, labels: Labels = (), bounds: tuple[float, ...] = SHORT) -> None:
        super().__init__(name, help, labels)
        self._bounds = bounds
        self._rows: dict[Labels, list[float]] = {}
        """For each series the count of each bucket, the count above all, and the sum."""

    def observe(self, value: float, *labels: str) -> None:
        with self._lock:
            row = self._rows.get(labels)
            if row is None:
                row = self._rows[labels] = self._empty()
            row[bisect_left(self._bounds, value)] += 1
            row[-1] += value

    def _empty(self) -> list[float]:
        return [0] * (len(self._bounds) + 1) + [0.0]

    def samples(self) -> Iterator[Sample]:
        with self._lock:
            rows = sorted((labels, list(row)) for labels, row in self._rows.items())
        for labels, row in rows:
            shown, number = self._labels(labels), 0.0
            for bound, count in zip((*map(_number, self._bounds), "+Inf"), row[:-1], strict=True):
                number += count
                yield "_bucket", (*shown, _format_label("le", bound)), _number(number)
            yield "_sum", shown, f"{row[-1]:.6f}"
            yield "_count", shown, _number(number)


def merge(texts: Iterable[str]) -> str:
    """Joins texts so that all samples of a metric are together, as the format requires."""
    heads: dict[str, str] = {}
    samples: dict[str, list[str]] = {}
    for text in texts:
        for part in text.split("# HELP ")[1:]:
            help, kind, *lines = part.splitlines()
            name = help.partition(" ")[0]
            heads.setdefault(name, f"# HELP {help}\n{kind}\n")
            samples.setdefault(name, []).extend(lines)
    return "".join(head + "".join(f"{line}\n" for line in samples[name]) for name, head in heads.items())


def _format_label(name: str, value: str) -> str:
    escaped = value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'{name}="{escaped}"'


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
