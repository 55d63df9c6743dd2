"""Finds and lists stacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Engine, Select, and_, bindparam, func, or_, select

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
    # Databases sort nulls differently.
    "updated_at": func.coalesce(table.c.updated_at, 0.0),
}


@dataclass(frozen=True, slots=True)
class StackLine:
    """A stack in a list."""

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
    description: str


@dataclass(frozen=True, slots=True)
class StackFilter:
    """Which stacks to list. `equal` has names of columns with their allowed values, `states` pairs of an action and a
    status; empty, they match everything."""

    equal: tuple[tuple[str, tuple[object, ...]], ...] = ()
    states: tuple[tuple[str, str], ...] = ()
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
    """A stack, and the path below it if an ARN has one."""

    stack: records.Stack
    path: str = ""


class Stacks:
    def __init__(self, source: Engine, hidden_tags: tuple[str, ...]) -> None:
        self._source = source
        self._hidden_tags = hidden_tags
        # A statement takes longer to build than to execute, and clients repeat the same few.
        self._page_query = lru_cache(maxsize=256)(self._build_page)

    def find(self, caller: Caller, identity: str) -> Found:
        """The stack with this name, id or ARN, also for users that the stack has created. A name finds only stacks that
        are not deleted. Raises NotFound."""
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
        """The stack with this id and name. With `for_users`, also for users that the stack has created. Raises
        NotFound."""
        stack = self._by_id(caller, id, for_users=for_users)
        if stack is None or stack.name != name or (stack.deleted_at is not None and not deleted):
            raise NotFound("Stack", name)
        return stack

    def containing(self, caller: Caller, physical_id: str) -> records.Stack:
        """The stack in the caller's project of the resource with a physical id. Raises NotFound."""
        query = (
            select(table)
            .join(tables.resource, tables.resource.c.stack == table.c.id)
            .where(
                tables.resource.c.physical_id == physical_id,
                table.c.project == caller.project,
                table.c.deleted_at.is_(None),
            )
            .order_by(table.c.created_at, table.c.id)
            .limit(1)
        )
        with self._source.connect() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise NotFound("physical resource", physical_id)
        return records.record(records.Stack, row)

    def page(self, caller: Caller, wanted: StackFilter, page: Page = WHOLE) -> list[StackLine]:
        names = tuple(name for name in page.sort_keys if name in _SORTABLE)
        descending = page.descending if page.descending is not None else not names
        with self._source.connect() as connection:
            after = None
            if page.marker is not None:
                # Also if it has been deleted since: otherwise the list would start again.
                every = StackFilter(deleted=True, nested=True, hidden=True, all_projects=wanted.all_projects)
                marker = self._matching(select(*_sort_columns(names)), caller.project, every)
                after = connection.execute(marker.where(table.c.id == page.marker)).one_or_none()
            query = self._page_query(
                caller.project, wanted, names, descending, page.limit, tuple(after) if after else None
            )
            rows = connection.execute(query).all()
        return [records.record(StackLine, row) for row in rows]

    def _build_page(
        self,
        project: str,
        wanted: StackFilter,
        names: tuple[str, ...],
        descending: bool,
        limit: int | None,
        after: tuple[object, ...] | None,
    ) -> Select[tuple[object, ...]]:
        columns = _sort_columns(names)
        query = self._matching(
            select(*(table.c[name] for name in records.columns(StackLine))), project, wanted
        )
        if after is not None:
            query = query.where(behind(columns, after, descending))
        return ordered(query, columns, descending, limit)

    def count(self, caller: Caller, wanted: StackFilter) -> int:
        query = self._matching(select(func.count()).select_from(table), caller.project, wanted)
        with self._source.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def _by_id(self, caller: Caller, id: str, *, for_users: bool) -> records.Stack | None:
        query = _ANY_BY_ID if caller.is_admin else _REACHED_BY_ID if for_users else _OWN_BY_ID
        with self._source.connect() as connection:
            row = connection.execute(query, {"stack_id": id.lower(), "caller": caller.project}).one_or_none()
        return None if row is None else records.record(records.Stack, row)

    def _by_name(self, caller: Caller, name: str) -> records.Stack | None:
        """The existing stack with this name; root stacks take precedence over nested ones."""
        query = (
            select(table)
            .where(table.c.name == name, table.c.deleted_at.is_(None), _reached(caller.project))
            .order_by(table.c.depth, table.c.created_at.desc())
            .limit(1)
        )
        with self._source.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else records.record(records.Stack, row)

    def _matching(self, query: Select[Any], project: str, wanted: StackFilter) -> Select[Any]:
        if not wanted.all_projects:
            query = query.where(table.c.project == project)
        if not wanted.deleted:
            query = query.where(table.c.deleted_at.is_(None))
        if not wanted.nested:
            query = query.where(table.c.parent.is_(None))
        for column, values in wanted.equal:
            query = query.where(table.c[column].in_(values))
        if wanted.states:
            one_of = (
                and_(table.c.action == action, table.c.status == status) for action, status in wanted.states
            )
            query = query.where(or_(*one_of))
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


def _sort_columns(names: tuple[str, ...]) -> list[ColumnElement[Any]]:
    """The columns to sort by; the id makes the order unique."""
    return [*(_SORTABLE[name] for name in names or ("created_at",)), table.c.id]


def _reached(project: ColumnElement[str] | str) -> ColumnElement[bool]:
    """Whether a stack belongs to the caller's project, or to a tree whose users are in that project."""
    trees = select(table.c.root).where(table.c.user_project == project)
    return or_(table.c.project == project, table.c.root.in_(trees))


# Clients poll stacks. Building a statement takes longer than executing it.
_ANY_BY_ID = select(table).where(table.c.id == bindparam("stack_id"))
_OWN_BY_ID = _ANY_BY_ID.where(table.c.project == bindparam("caller"))
_REACHED_BY_ID = _ANY_BY_ID.where(_reached(bindparam("caller")))


def _tagged(tags: Sequence[str]) -> Select[Any]:
    return select(tables.tag.c.stack).where(tables.tag.c.tag.in_(tags))


def _tagged_with_all(tags: Sequence[str]) -> Select[Any]:
    each = set(tags)
    return _tagged(tuple(each)).group_by(tables.tag.c.stack).having(func.count() == len(each))
