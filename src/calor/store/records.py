"""Rows as dataclasses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Row

from calor.store import contents

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record")

Document = dict[str, Any]
"""A stored JSON object."""


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
    """Digest of the stack's present or future definition."""
    previous: str | None
    """Digest of the last completed definition, for rollbacks."""
    description: str
    disable_rollback: bool
    timeout_mins: int | None
    username: str | None
    user_project: str | None
    credentials: str | None
    tags: list[str]
    outputs: Document | None
    """The outputs after the last run; None if something has changed since."""
    run_id: str
    """Changes with every action, so that runs of older actions stop."""
    run: Document
    """The options of the current action, see `RunNotes`."""

    @property
    def state(self) -> str:
        return f"{self.action}_{self.status}"

    @property
    def sealed(self) -> bool:
        """Whether the stack's data is encrypted, like its definition."""
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
    properties: Document | None
    metadata: Document | None
    attributes: Document | None
    data: Document | None
    requires: list[str]
    """Ids of the resources that must be deleted after it."""
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
    properties: Document | None


@dataclass(frozen=True, slots=True)
class Signal:
    seq: int
    id: str
    root: str
    stack: str
    resource: str
    details: Document | None


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
    data: Document | None


@dataclass(frozen=True, slots=True)
class SoftwareConfig:
    id: str
    project: str
    name: str | None
    group: str | None
    config: Document
    """`config`, `inputs`, `outputs` and `options`."""
    created_at: float


@dataclass(frozen=True, slots=True)
class SoftwareDeployment:
    id: str
    project: str
    server: str
    config: str
    stack_user_project: str | None
    input_values: Document | None
    output_values: Document | None
    action: str | None
    status: str | None
    reason: str | None
    created_at: float
    updated_at: float | None
    fetched_at: float | None = None
    """When the agent of the server first got the current config."""
    progress: Document | None = None
    """What the agent last reported of running it; see `calor.stacks.deployment_progress`."""


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
    """A row as a record of the table's class, with fields in the order of the columns."""
    return kind(*row)


def columns(kind: type[DataclassInstance]) -> list[str]:
    return [field.name for field in fields(kind)]


def as_row(value: DataclassInstance) -> Document:
    """A record as a row to write."""
    return {name: getattr(value, name) for name in columns(type(value))}


def changed(value: Record, **values: Any) -> Record:
    """A copy with some fields changed."""
    return replace(value, **values)  # type: ignore[type-var]
