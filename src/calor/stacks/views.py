"""A stored resource as a `calor.resources.context.ResourceView`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject
from calor.stacks.ids import physical_name
from calor.stacks.states import ResourceState


class AnyStack(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def project(self) -> str: ...


@dataclass(frozen=True, slots=True)
class StoredView:
    stack: AnyStack
    state: ResourceState
    type: type[ResourceType] | None

    @property
    def stack_name(self) -> str:
        return self.stack.name

    @property
    def stack_id(self) -> str:
        return self.stack.id

    @property
    def project(self) -> str:
        return self.stack.project

    @property
    def name(self) -> str:
        return self.state.name

    @property
    def id(self) -> str:
        return self.state.id

    @property
    def action(self) -> str:
        return self.state.action

    @property
    def status(self) -> str:
        return self.state.status

    @property
    def physical_id(self) -> str | None:
        return self.state.physical_id

    @property
    def properties(self) -> JsonObject:
        return self.state.properties

    @property
    def metadata(self) -> JsonObject:
        return self.state.metadata

    @property
    def data(self) -> JsonObject:
        return self.state.data

    def physical_name(self, limit: int = 255) -> str:
        return physical_name(self.stack_name, self.name, self.id, limit)
