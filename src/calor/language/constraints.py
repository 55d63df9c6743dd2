"""Constraints on values: the same ones for parameters and for properties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

CustomCheck = Callable[[str, Any], str | None]
"""Given a custom constraint's name and a value, what is wrong with it, or None."""


class Expressions(Protocol):
    """Evaluates what users write as code, in bounded time."""

    def check(self, expression: str) -> None:
        """Raises ValueError unless the text is a regular expression."""

    def matches(self, expression: str, text: str) -> bool:
        """Whether the match of a regular expression at the start of a text reaches to its end. Raises ValueError if
        that takes too long to tell."""

    def begins(self, expression: str, text: str) -> bool:
        """Whether a regular expression matches at the start of a text. Raises ValueError if that takes too long."""

    def check_yaql(self, expression: str) -> None:
        """Raises YaqlFailed unless the text is a YAQL expression."""

    def yaql(self, expression: str, data: Any) -> Any:
        """The result of a YAQL expression. Raises YaqlFailed."""


@dataclass(frozen=True, slots=True)
class Checks:
    """What constraints have to ask others for."""

    custom: CustomCheck
    expressions: Expressions


@dataclass(frozen=True, slots=True)
class Constraint:
    """One condition on a value. `description`, when given, replaces the message."""

    description: str | None = None

    def violation(self, value: Any, checks: Checks) -> str | None:
        """Says what is wrong with the value, or None."""
        problem = self.problem(value, checks)
        return None if problem is None else self.description or problem

    def problem(self, value: Any, checks: Checks) -> str | None:
        raise NotImplementedError


def _bounds(low: float | None, high: float | None) -> str:
    return f"{'any' if low is None else low} to {'any' if high is None else high}"


@dataclass(frozen=True, slots=True)
class Length(Constraint):
    min: int | None = None
    max: int | None = None

    def problem(self, value: Any, checks: Checks) -> str | None:
        size = len(value)
        if (self.min is not None and size < self.min) or (self.max is not None and size > self.max):
            return f"its length is {size}, allowed is {_bounds(self.min, self.max)}"
        return None


@dataclass(frozen=True, slots=True)
class Range(Constraint):
    min: float | None = None
    max: float | None = None

    def problem(self, value: Any, checks: Checks) -> str | None:
        number = as_number(value)
        if (self.min is not None and number < self.min) or (self.max is not None and number > self.max):
            return f"{value} is out of range: allowed is {_bounds(self.min, self.max)}"
        return None


@dataclass(frozen=True, slots=True)
class Modulo(Constraint):
    step: int = 1
    offset: int = 0

    def problem(self, value: Any, checks: Checks) -> str | None:
        if as_number(value) % self.step != self.offset:
            return f"{value} is not a multiple of {self.step} with an offset of {self.offset}"
        return None


@dataclass(frozen=True, slots=True)
class AllowedValues(Constraint):
    values: tuple[Any, ...] = ()
    written: tuple[Any, ...] = field(default=(), compare=False)
    """The values as a template writes them, where these are converted."""

    def problem(self, value: Any, checks: Checks) -> str | None:
        if isinstance(value, list):
            stray = [item for item in value if item not in self.values]
            return f"{stray} not allowed: each must be one of {self.listed()}" if stray else None
        return None if value in self.values else f"{value!r} is not one of {self.listed()}"

    def listed(self) -> str:
        return ", ".join(str(value) for value in self.values)


@dataclass(frozen=True, slots=True)
class AllowedPattern(Constraint):
    """The pattern must match from the start, and its match must end where the value ends."""

    pattern: str = ""

    def problem(self, value: Any, checks: Checks) -> str | None:
        if checks.expressions.matches(self.pattern, value):
            return None
        return f"{value!r} does not match the pattern {self.pattern}"


@dataclass(frozen=True, slots=True)
class Custom(Constraint):
    """A check by name, most of them a look-up in a service (`nova.flavor`)."""

    name: str = ""

    def problem(self, value: Any, checks: Checks) -> str | None:
        for item in value if isinstance(value, list) else [value]:
            problem = checks.custom(self.name, item)
            if problem is not None:
                return problem
        return None


def length(min: int | None = None, max: int | None = None, description: str | None = None) -> Length:
    return Length(description, min, max)


def range_(min: float | None = None, max: float | None = None, description: str | None = None) -> Range:
    return Range(description, min, max)


def modulo(step: int, offset: int, description: str | None = None) -> Modulo:
    return Modulo(description, step, offset)


def one_of(*values: Any, description: str | None = None) -> AllowedValues:
    return AllowedValues(description, values)


def pattern(text: str, description: str | None = None) -> AllowedPattern:
    return AllowedPattern(description, text)


def custom(name: str, description: str | None = None) -> Custom:
    return Custom(description, name)


def as_number(value: Any) -> float:
    """Reads a number as templates write it: an integer if it can be one. Raises ValueError or TypeError."""
    if isinstance(value, (int, float)):
        return value
    try:
        return int(value)
    except ValueError:
        return float(value)
