"""Finds and lists stacks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Engine, Select, func, or_, select

from calor.service.caller import Caller
from calor.service.errors import NotFound
from calor.service.queries.paging import WHOLE, Page, behind, ordered
from calor.store import records, tables

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)
_ARN = re.compile(
    r"arn:openstack:heat::(?P<project>[^:/]+):stacks/(?P<name>[^/]+)/(?P<id>[^/]+)(?P<path>/.*)?\Z"
)

table = tables.stack

_SORTABLE: dict[str, ColumnElement[Any]] = {
    "name": table.c.name,
    "status": table.c.status,
    "created_at": table.c.created_at,
    # Databases do not agree on where nulls go.
    "updated_at": func.coalesce(table.c.updated_at, 0.0),
}


@dataclass(frozen=True, slots=True)
class StackLine:
    """A stack as it appears in lists."""

    id: str
    name: str
    project: str
    parent: str | None
    action: str
    status: str
    reason: str
    created_at: float
    updated_at: float | None
    deleted_at: float | None
    username: str | None
    user_project: str | None
    tags: list[str]


@dataclass(frozen=True, slots=True)
class StackFilter:
    """Which stacks are wanted. `equal` maps a column's name to the values it may have."""

    equal: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()
    not_tags_any: tuple[str, ...] = ()
    deleted: bool = False
    nested: bool = False
    hidden: bool = False
    all_projects: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A stack, and the path below it if an ARN named one."""

    stack: records.Stack
    path: str = ""


class Stacks:
    def __init__(self, source: Engine, hidden_tags: tuple[str, ...]) -> None:
        self._source = source
        self._hidden_tags = hidden_tags

    def find(self, caller: Caller, identity: str) -> Found:
        """The stack with a name, an id or an ARN, also for the users that the stack has made. A name finds only
        stacks that are alive. Raises NotFound."""
        arn = _ARN.match(identity)
        if arn is not None:
            stack = self._by_id(caller, arn["id"], for_users=True)
            if stack is not None and stack.name == arn["name"]:
                return Found(stack, arn["path"] or "")
            raise NotFound("Stack", identity)
        stack = self._by_id(caller, identity, for_users=True) if _UUID.match(identity) else None
        stack = stack or self._by_name(caller, identity)
        if stack is None:
            raise NotFound("Stack", identity)
        return Found(stack)

    def get(
        self, caller: Caller, name: str, id: str, *, deleted: bool = False, for_users: bool = False
    ) -> records.Stack:
        """The stack with an id, which must have that name. With `for_users`, those that it has made find it, too.
        Raises NotFound."""
        stack = self._by_id(caller, id, for_users=for_users)
        if stack is None or stack.name != name or (stack.deleted_at is not None and not deleted):
            raise NotFound("Stack", name)
        return stack

    def page(self, caller: Caller, wanted: StackFilter, page: Page = WHOLE) -> list[StackLine]:
        names = [name for name in page.sort_keys if name in _SORTABLE]
        descending = page.descending if page.descending is not None else not names
        keys = [*(_SORTABLE[name] for name in names or ("created_at",)), table.c.id]
        query = self._matching(
            select(*(table.c[name] for name in records.columns(StackLine))), caller, wanted
        )
        with self._source.connect() as connection:
            if page.marker is not None:
                at = connection.execute(
                    self._matching(select(*keys), caller, wanted).where(table.c.id == page.marker)
                ).one_or_none()
                if at is not None:
                    query = query.where(behind(keys, at, descending))
            rows = connection.execute(ordered(query, keys, descending, page.limit)).all()
        return [records.record(StackLine, row) for row in rows]

    def count(self, caller: Caller, wanted: StackFilter) -> int:
        query = self._matching(select(func.count()).select_from(table), caller, wanted)
        with self._source.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def _by_id(self, caller: Caller, id: str, *, for_users: bool) -> records.Stack | None:
        query = select(table).where(table.c.id == id.lower())
        if not caller.is_admin:
            query = query.where(_reached(caller) if for_users else table.c.project == caller.project)
        with self._source.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else records.record(records.Stack, row)

    def _by_name(self, caller: Caller, name: str) -> records.Stack | None:
        """The live stack of a name; roots come before nested stacks, whose names are theirs alone."""
        query = (
            select(table)
            .where(table.c.name == name, table.c.deleted_at.is_(None), _reached(caller))
            .order_by(table.c.depth, table.c.created_at.desc())
            .limit(1)
        )
        with self._source.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else records.record(records.Stack, row)

    def _matching(self, query: Select[Any], caller: Caller, wanted: StackFilter) -> Select[Any]:
        if not wanted.all_projects:
            query = query.where(table.c.project == caller.project)
        if not wanted.deleted:
            query = query.where(table.c.deleted_at.is_(None))
        if not wanted.nested:
            query = query.where(table.c.parent.is_(None))
        for column, values in wanted.equal.items():
            query = query.where(table.c[column].in_(values))
        unwanted = wanted.not_tags_any
        if not wanted.hidden:
            unwanted += self._hidden_tags
        if wanted.tags:
            query = query.where(table.c.id.in_(_tagged_with_all(wanted.tags)))
        if wanted.tags_any:
            query = query.where(table.c.id.in_(_tagged(wanted.tags_any)))
        if wanted.not_tags:
            query = query.where(table.c.id.not_in(_tagged_with_all(wanted.not_tags)))
        if unwanted:
            query = query.where(table.c.id.not_in(_tagged(unwanted)))
        return query


def _reached(caller: Caller) -> ColumnElement[bool]:
    """Whether a stack is of the caller's project, or one of the tree whose users have that project."""
    trees = select(table.c.root).where(table.c.user_project == caller.project)
    return or_(table.c.project == caller.project, table.c.root.in_(trees))


def _tagged(tags: Sequence[str]) -> Select[Any]:
    return select(tables.tag.c.stack).where(tables.tag.c.tag.in_(tags))


def _tagged_with_all(tags: Sequence[str]) -> Select[Any]:
    each = set(tags)
    return _tagged(tuple(each)).group_by(tables.tag.c.stack).having(func.count() == len(each))
