"""Building blocks for rules.

A rule may refuse only what is surely wrong. So there are two questions to a value, and for one not known yet
the answer to both can be no: is it surely something, and is it surely nothing? A reference is surely something;
an attribute that only exists later may turn out either way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from calor.language.schema import Problem, Rule
from calor.language.values import Secret, Unknown, bare
from calor.resources.values import JsonMapping, Properties


def filled(value: Any) -> bool:
    """Surely neither null nor empty."""
    return bool(bare(value))


def empty(value: Any) -> bool:
    """Surely null or empty."""
    return not isinstance(value, Unknown) and not bare(value)


def visible(value: Any) -> Any:
    """The value if it is known, or None."""
    if isinstance(value, Secret):
        return value.reveal()
    return None if isinstance(value, Unknown) else value


def entries(value: Any) -> Iterator[tuple[int, JsonMapping]]:
    """The maps of a list that are known, with their places."""
    for index, item in enumerate(visible(value) or []):
        entry = visible(item)
        if isinstance(entry, Mapping):
            yield index, entry


def partly_unknown(value: Any) -> bool:
    """A list of which not all is known."""
    return isinstance(value, Unknown) or any(isinstance(item, Unknown) for item in visible(value) or [])


@dataclass(frozen=True, slots=True)
class Each:
    """Rules for each map of a list."""

    name: str
    rules: Sequence[Rule]

    def problems(self, given: Properties) -> Iterator[Problem]:
        for index, entry in entries(given.get(self.name)):
            for rule in self.rules:
                for problem in rule.problems(entry):
                    yield replace(problem, path=(self.name, index, *problem.path))


@dataclass(frozen=True, slots=True)
class OneGiven:
    """At least one of the names, be it empty. Unlike for AtLeastOne, its lack is a general failure."""

    names: tuple[str, ...]

    def problems(self, given: Properties) -> Iterator[Problem]:
        if all(given.get(name) is None for name in self.names):
            yield Problem("StackValidationFailed", f"one of {', '.join(self.names)} must be given")


@dataclass(frozen=True, slots=True)
class OneFilled:
    """At least one of the names, and not empty."""

    names: tuple[str, ...]

    def problems(self, given: Properties) -> Iterator[Problem]:
        if all(empty(given.get(name)) for name in self.names):
            yield Problem("PropertyUnspecifiedError", f"one of {', '.join(self.names)} must be given")


@dataclass(frozen=True, slots=True)
class OnlyOneFilled:
    """At most one of the names that is not empty."""

    names: tuple[str, ...]

    def problems(self, given: Properties) -> Iterator[Problem]:
        present = [name for name in self.names if filled(given.get(name))]
        if len(present) > 1:
            yield Problem("ResourcePropertyConflict", f"{' and '.join(present)} are mutually exclusive")


@dataclass(frozen=True, slots=True)
class FilledRequires:
    """When `name` is not empty, `other` must not be, either."""

    name: str
    other: str

    def problems(self, given: Properties) -> Iterator[Problem]:
        if filled(given.get(self.name)) and empty(given.get(self.other)):
            yield Problem("ResourcePropertyDependency", f"{self.name} needs {self.other}")


@dataclass(frozen=True, slots=True)
class AddressOfPort:
    """The address of a network interface is a matter of its port, if it has one."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        if filled(given.get("fixed_ip")) and given.get("port") is not None:
            yield Problem(
                "ResourcePropertyConflict",
                "fixed_ip and port are mutually exclusive: the port has its address",
            )
