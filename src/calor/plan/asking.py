"""What a type with a stack below is asked with when nothing is done: how its stack would be, by the properties
it would have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from calor.language.values import Unknown
from calor.plan.present import PresentStack, Row


class CannotTell(Exception):
    """It shows only when it is done."""


@dataclass(slots=True)
class Asking:
    """A resource, as far as its type may look at it without doing anything. What is noted is forgotten."""

    name: str
    action: str
    stack: PresentStack
    row: Row | None
    update_policy: Mapping[str, Any]
    peers: Callable[[Any], Row | None]
    physical_names: Callable[[str, str, str], str]
    """The physical name for a stack's name, a resource's name and its id."""
    members: Sequence[Row] = ()
    below: Mapping[str, Any] = field(default_factory=dict)
    status: str = "IN_PROGRESS"
    data: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.data = dict(self.row.data) if self.row is not None else {}

    @property
    def timeout(self) -> float | None:
        return self.stack.timeout

    @property
    def stack_name(self) -> str:
        return self.stack.name

    @property
    def project(self) -> str:
        return self.stack.project

    @property
    def properties(self) -> dict[str, Any]:
        return self.row.properties if self.row is not None else {}

    @property
    def metadata(self) -> dict[str, Any]:
        return self.row.metadata if self.row is not None else {}

    def note(self, **data: Any) -> None:
        self.data = {**self.data, **data}

    def physical_name(self) -> str:
        if self.row is None:
            raise CannotTell("its name is made with it")
        return self.physical_names(self.stack.name, self.name, self.row.id)

    def peer(self, reference: Any) -> Asking | None:
        row = self.peers(reference)
        if row is None:
            raise CannotTell(f"it hangs on {reference}, which changes")
        return Asking(row.name, "", self.stack, row, {}, self.peers, self.physical_names)

    def __getattr__(self, name: str) -> Any:
        raise CannotTell(f"its type asks for `{name}`, which only a run can answer")


def unknown_parts(found: Any, values: Mapping[str, Any]) -> list[str]:
    """The properties that keep the stack below from being known. Values that a type only hands on to its members
    may be unknown themselves: `carries` tells how deep in a property they begin."""
    carries: Mapping[str, int] = getattr(found, "carries", {})
    return [name for name, value in values.items() if _unknown_above(value, carries.get(name))]


def _unknown_above(value: Any, depth: int | None) -> bool:
    if depth == 0:
        return False
    if isinstance(value, Unknown):
        return True
    below = None if depth is None else depth - 1
    if isinstance(value, dict):
        return any(_unknown_above(item, below) for item in value.values())
    if isinstance(value, list):
        return any(_unknown_above(item, below) for item in value)
    return False
