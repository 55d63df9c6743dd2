"""Loads nested stacks; no other module may.

A resource stores the id of its nested stack, which could be any stack of any project. So the parent stack and the
resource's name have to match, too.
"""

from __future__ import annotations

from typing import Protocol

from calor.plan.present import EXTERNAL, NESTED
from calor.resources.values import JsonMapping
from calor.store import records, stacks
from calor.store.database import Connection


class ParentResource(Protocol):
    """A resource that may have a nested stack."""

    @property
    def name(self) -> str: ...
    @property
    def physical_id(self) -> str | None: ...
    @property
    def data(self) -> JsonMapping | None: ...


def has_stack(owner: ParentResource) -> bool:
    """Whether a resource has a nested stack of its own, as opposed to one with an external_id."""
    data = owner.data or {}
    return bool(data.get(NESTED)) and not data.get(EXTERNAL)


def nested_stack_of(
    connection: Connection, above: records.Stack, owner: ParentResource
) -> records.Stack | None:
    """The nested stack of a resource of the stack `above`; None if it has none."""
    if owner.physical_id is None or not has_stack(owner):
        return None
    return stacks.get_child(connection, above, owner.name, owner.physical_id)


def stack_in_tree(connection: Connection, member: records.Stack, id: str) -> records.Stack | None:
    """The stack with an id, if it is in the same tree as `member`."""
    return stacks.get_of_tree(connection, member, id)


def is_in_project(connection: Connection, project: str, id: str) -> bool:
    """Whether a project has a stack with an id."""
    return stacks.is_in_project(connection, project, id)
