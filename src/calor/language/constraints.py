"""Constraints on values: the same ones for parameters and for properties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from calor.language.values import TemplateValue

CustomCheck = Callable[[str, TemplateValue], str | None]
"""Checks a value against a custom constraint, by its name: the error message, or None."""


class Expressions(Protocol):
    """Evaluates expressions of users in bounded time."""

    def check(self, expression: str) -> None:
        """Raises ValueError unless the text is a regular expression."""

    def matches(self, expression: str, text: str) -> bool:
        """Whether a regular expression matches a whole text: the match at its start ends at its end. Raises ValueError
        if that takes too long."""

    def begins(self, expression: str, text: str) -> bool:
        """Whether a regular expression matches at the start of a text. Raises ValueError if that takes too long."""

    def check_yaql(self, expression: str) -> None:
        """Raises YaqlFailed unless the text is a YAQL expression."""

    def yaql(self, expression: str, data: object) -> TemplateValue:
        """The result of a YAQL expression. Raises YaqlFailed."""


@dataclass(frozen=True, slots=True)
class Checks:
    """What constraints need from outside the language."""

    custom: CustomCheck
    expressions: Expressions


@dataclass(frozen=True, slots=True)
class Constraint:
    """One condition on a value. `description`, when given, replaces the message."""

    description: str | None = None

    def violation(self, value: object, checks: Checks) -> str | None:
        """The error message for a value, or None."""
        problem = self.problem(value, checks)
        return None if problem is None else self.description or problem

    def problem(self, value: object, checks: Checks) -> str | None:
        raise NotImplementedError


def _bounds(low: float | None, high: float | None) -> str:
    return f"{'any' if low is None else low} to {'any' if high is None else high}"


@dataclass(frozen=True, slots=True)
class Length(Constraint):
    min: int | None = None
    max: int | None = None

    def problem(self, value: TemplateValue, checks: Checks) -> str | None:
        size = len(value)
        if (self.min is not None and size < self.min) or (self.max is not None and size > self.max):
            return f"its length is {size}; it must be {_bounds(self.min, self.max)}"
        return None


@dataclass(frozen=True, slots=True)
class Range(Constraint):
    min: float | None = None
    max: float | None = None

    def problem(self, value: object, checks: Checks) -> str | None:
        number = as_number(value)
        if (self.min is not None and number < self.min) or (self.max is not None and number > self.max):
            return f"{value} is out of range: it must be {_bounds(self.min, self.max)}"
        return None


@dataclass(frozen=True, slots=True)
class Modulo(Constraint):
    step: int = 1
    offset: int = 0

    def problem(self, value: object, checks: Checks) -> str | None:
        if as_number(value) % self.step != self.offset:
            return f"{value} is not a multiple of {self.step} with an offset of {self.offset}"
        return None


@dataclass(frozen=True, slots=True)
class AllowedValues(Constraint):
    values: tuple[TemplateValue, ...] = ()
    written: tuple[TemplateValue, ...] = field(default=(), compare=False)
    """The values as written in the template, if they were converted."""

    def problem(self, value: object, checks: Checks) -> str | None:
        if isinstance(value, list):
            wrong = [item for item in value if item not in self.values]
            return f"{wrong} are not allowed: each must be one of {self.listed()}" if wrong else None
        return None if value in self.values else f"{value!r} is not one of {self.listed()}"

    def listed(self) -> str:
        return ", ".join(str(value) for value in self.values)


@dataclass(frozen=True, slots=True)
class AllowedPattern(Constraint):
    """The pattern must match from the start to the end of the value."""

    pattern: str = ""

    def problem(self, value: TemplateValue, checks: Checks) -> str | None:
        if checks.expressions.matches(self.pattern, value):
            return None
        return f"{value!r} does not match the pattern {self.pattern}"


@dataclass(frozen=True, slots=True)
class Custom(Constraint):
    """A named check, usually a lookup in a service (`nova.flavor`)."""

    name: str = ""

    def problem(self, value: object, checks: Checks) -> str | None:
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


def one_of(*values: TemplateValue, description: str | None = None) -> AllowedValues:
    return AllowedValues(description, values)


def pattern(text: str, description: str | None = None) -> AllowedPattern:
    return AllowedPattern(description, text)


def custom(name: str, description: str | None = None) -> Custom:
    return Custom(description, name)


def as_number(value: TemplateValue) -> float:
    """Reads a number as templates write it: an integer if it can be one. Raises ValueError or TypeError."""
    if isinstance(value, (int, float)):
        return value
    try:
        return int(value)
    except ValueError:
        return float(value)
