"""Rows as values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from sqlalchemy import Row

from calor.store import contents

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Stack:
    id: str
    name: str
    project: str
    root: str
    parent: str | None
    parent_resource: str | None
    depth: int
    action: str
    status: str
    reason: str
    created_at: float
    updated_at: float | None
    deleted_at: float | None
    definition: str
    """Digest of the definition that the stack is, or is to become."""
    previous: str | None
    """Digest of the last definition that was reached: where a rollback leads."""
    description: str
    disable_rollback: bool
    timeout_mins: int | None
    username: str | None
    user_project: str | None
    credentials: str | None
    tags: list[str]
    outputs: dict[str, Any] | None
    """Values of the outputs when the last run ended; None when something has changed since."""
    run_id: str
    """Changes with every action: whoever still works on an older one stops."""
    run: dict[str, Any]
    """What the action under way needs to know besides its definition."""

    @property
    def state(self) -> str:
        return f"{self.action}_{self.status}"

    @property
    def sealed(self) -> bool:
        """Whether what is stored of the stack is encrypted: what its definition is, all of it is."""
        return contents.is_sealed(self.definition)

    @property
    def is_root(self) -> bool:
        return self.parent is None

    @property
    def path(self) -> str:
        return f"{self.name}/{self.id}"

    @property
    def arn(self) -> str:
        return f"arn:openstack:heat::{self.project}:stacks/{self.path}"


@dataclass(frozen=True, slots=True)
class Resource:
    id: str
    stack: str
    name: str
    type: str
    physical_id: str | None
    action: str
    status: str
    reason: str
    created_at: float
    updated_at: float | None
    definition: str | None
    properties: dict[str, Any] | None
    metadata: dict[str, Any] | None
    attributes: dict[str, Any] | None
    data: dict[str, Any] | None
    requires: list[str]
    """Ids of the resources that must outlive it."""
    replaces: str | None
    replaced_by: str | None

    @property
    def state(self) -> str:
        return f"{self.action}_{self.status}"


@dataclass(frozen=True, slots=True)
class Event:
    seq: int
    id: str
    stack: str
    root: str
    resource: str
    type: str
    physical_id: str | None
    action: str
    status: str
    reason: str
    at: float
    properties: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Signal:
    seq: int
    id: str
    root: str
    stack: str
    resource: str
    details: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    id: str
    stack: str
    project: str
    name: str | None
    action: str
    status: str
    reason: str
    created_at: float
    data: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class SoftwareConfig:
    id: str
    project: str
    name: str | None
    group: str | None
    config: dict[str, Any]
    """`config`, `inputs`, `outputs` and `options`."""
    created_at: float


@dataclass(frozen=True, slots=True)
class SoftwareDeployment:
    id: str
    project: str
    server: str
    config: str
    stack_user_project: str | None
    input_values: dict[str, Any] | None
    output_values: dict[str, Any] | None
    action: str | None
    status: str | None
    reason: str | None
    created_at: float
    updated_at: float | None


@dataclass(frozen=True, slots=True)
class Service:
    id: str
    engine: str
    host: str
    hostname: str
    binary: str
    topic: str
    report_interval: int
    created_at: float
    updated_at: float


def record(kind: Callable[..., Record], row: Row[Any]) -> Record:
    """A row as a value of the table's kind; the columns are named alike."""
    return kind(*row)


def columns(kind: type[Any]) -> list[str]:
    return [field.name for field in fields(kind)]


def as_row(value: Any) -> Mapping[str, Any]:
    """A value as the row to write."""
    return {name: getattr(value, name) for name in columns(type(value))}


def changed(value: Record, **values: Any) -> Record:
    """A copy with some fields changed."""
    return replace(value, **values)  # type: ignore[type-var]
