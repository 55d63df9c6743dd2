"""The stacks of a tree. This is the only place that loads the row of a nested stack.

A resource notes the id of the stack below it, and an id can name any stack of any project. Whoever wants that stack
therefore says which resource of which stack it is to be below, and gets it only if the stack agrees.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Connection, select

from calor.plan.present import EXTERNAL, NESTED
from calor.store import records, tables

_stacks = tables.stack


class Owner(Protocol):
    """A resource that may have a stack below it."""

    @property
    def name(self) -> str: ...
    @property
    def physical_id(self) -> str | None: ...
    @property
    def data(self) -> Mapping[str, Any] | None: ...


def has_stack(owner: Owner) -> bool:
    """Whether a resource has made a stack of its own. One that only names a stack by an external_id has not."""
    data = owner.data or {}
    return bool(data.get(NESTED)) and not data.get(EXTERNAL)


def stack_below(connection: Connection, above: records.Stack, owner: Owner) -> records.Stack | None:
    """The stack below a resource of the stack `above`; None if it has none."""
    if owner.physical_id is None or not has_stack(owner):
        return None
    return _one(
        connection,
        _stacks.c.id == owner.physical_id,
        _stacks.c.parent == above.id,
        _stacks.c.parent_resource == owner.name,
        _stacks.c.root == above.root,
        _stacks.c.project == above.project,
    )


def stack_of_tree(connection: Connection, member: records.Stack, id: str) -> records.Stack | None:
    """The stack with an id, if it is in the same tree as `member`."""
    return _one(
        connection,
        _stacks.c.id == id,
        _stacks.c.root == member.root,
        _stacks.c.project == member.project,
    )


def is_of_project(connection: Connection, project: str, id: str) -> bool:
    """Whether a project has a stack with an id."""
    query = select(_stacks.c.id).where(
        _stacks.c.id == id, _stacks.c.project == project, _stacks.c.deleted_at.is_(None)
    )
    return connection.execute(query).first() is not None


def _one(connection: Connection, *conditions: ColumnElement[bool]) -> records.Stack | None:
    row = connection.execute(select(_stacks).where(*conditions)).one_or_none()
    return None if row is None else records.record(records.Stack, row)
