"""Rules that the scaling groups and policies of both dialects share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calor.language.schema import Problem
from calor.resources.values import Properties


@dataclass(frozen=True, slots=True)
class SizesInOrder:
    """The smallest size is at most the largest, and the wanted one is between them."""

    smallest: str
    largest: str
    wanted: str

    def problems(self, given: Properties) -> Iterator[Problem]:
        low, high, wanted = (given.get(name) for name in (self.smallest, self.largest, self.wanted))
        if isinstance(low, int) and isinstance(high, int) and low > high:
            message = f"{self.smallest} ({low}) is greater than {self.largest} ({high})"
            yield Problem("StackValidationFailed", message, (self.smallest,))
        elif isinstance(wanted, int):
            if isinstance(low, int) and wanted < low:
                message = f"{self.wanted} ({wanted}) is less than {self.smallest} ({low})"
                yield Problem("StackValidationFailed", message, (self.wanted,))
            if isinstance(high, int) and wanted > high:
                message = f"{self.wanted} ({wanted}) is greater than {self.largest} ({high})"
                yield Problem("StackValidationFailed", message, (self.wanted,))


@dataclass(frozen=True, slots=True)
class StepOnlyForPercent:
    """A least step makes sense where the adjustment is a percentage."""

    step: str
    kind: str
    percent: str

    def problems(self, given: Properties) -> Iterator[Problem]:
        kind = given.get(self.kind)
        if given.get(self.step) is None or not isinstance(kind, str):
            return
        if kind != self.percent:
            message = f"{self.step} needs {self.kind} {self.percent}, not {kind}"
            yield Problem("ResourcePropertyValueDependency", message, (self.step,))
