"""The context in which types generate templates of nested stacks for plans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from calor.language.library import ResolvedType
from calor.language.values import Unknown
from calor.plan.marking import marked_properties
from calor.plan.present import PresentStack, Row
from calor.resources.contract import ResourceType, contract_of
from calor.resources.values import JsonMapping, JsonObject


class NotForeseeable(Exception):
    """The plan depends on something that is only known during the action."""


@dataclass(slots=True)
class PreviewContext:
    """A resource in a plan. Changes are not stored."""

    name: str
    action: str
    stack: PresentStack
    row: Row | None
    type: type[ResourceType] | None
    update_policy: JsonMapping
    peers: Callable[[object], Row | None]
    physical_names: Callable[[str, str, str], str]
    """Returns the physical name for a stack's name, a resource's name and its id."""
    members: Sequence[Row] = ()
    nested_definitions: JsonMapping = field(default_factory=dict)
    status: str = "IN_PROGRESS"
    data: JsonObject = field(init=False)

    def __post_init__(self) -> None:
        self.data = dict(self.row.data) if self.row is not None else {}

    @property
    def timeout(self) -> float | None:
        return self.stack.timeout

    @property
    def stack_name(self) -> str:
        return self.stack.name

    @property
    def stack_id(self) -> str:
        if not self.stack.exists:
            raise NotForeseeable("the id of its stack is not known yet")
        return self.stack.id

    @property
    def project(self) -> str:
        return self.stack.project

    @property
    def id(self) -> str:
        if self.row is None:
            raise NotForeseeable("its id is not known yet")
        return self.row.id

    @property
    def physical_id(self) -> str | None:
        return self.row.physical_id if self.row is not None else None

    @property
    def properties(self) -> JsonObject:
        return self.row.properties if self.row is not None else {}

    @property
    def marked_properties(self) -> JsonObject:
        return marked_properties(self.row) if self.row is not None else {}

    @property
    def metadata(self) -> JsonObject:
        return self.row.metadata if self.row is not None else {}

    def set_data(self, **data: object) -> None:
        self.data = {**self.data, **data}

    def physical_name(self, limit: int = 255) -> str:
        return self.physical_names(self.stack.name, self.name, self.id)

    def peer(self, reference: object) -> PreviewContext | None:
        row = self.peers(reference)
        if row is None:
            raise NotForeseeable(f"it depends on {reference}, which changes")
        return PreviewContext(row.name, "", self.stack, row, None, {}, self.peers, self.physical_names)


def unknown_parts(found: ResolvedType, values: JsonMapping) -> list[str]:
    """The properties whose unknown values prevent a plan for the nested stack. Values that a type only passes on to
    members, at the depth in `member_properties`, may be unknown."""
    carries = contract_of(found).member_properties
    return [name for name, value in values.items() if _unknown_above(value, carries.get(name))]


def _unknown_above(value: object, depth: int | None) -> bool:
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
