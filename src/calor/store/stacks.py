"""Rows of stacks, and of their tags."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, bindparam, func, select

from calor.lifecycle import Status
from calor.store import contents, records, statements, tables
from calor.store.writer import Changes

_table = tables.stack
_alive = _table.c.deleted_at.is_(None)

# Built once, because requests and engines run them often.
_BY_ID = select(_table).where(_table.c.id == bindparam("stack_id"))
_NAME_TAKEN = (
    select(_table.c.id)
    .where(
        _table.c.project == bindparam("of_project"),
        _table.c.name == bindparam("wanted"),
        _alive,
        _table.c.parent.is_(None),
    )
    .limit(1)
)
_USER_PROJECT = select(_table.c.user_project).where(_table.c.id == bindparam("stack_id"))
_CREDENTIALS = select(_table.c.credentials).where(_table.c.id == bindparam("stack_id"))
_COUNT_ROOTS = select(func.count()).where(
    _table.c.project == bindparam("of_project"), _table.c.parent.is_(None), _alive
)
_LOCK = (
    select(_table.c.action, _table.c.status, _table.c.run_id)
    .where(_table.c.id == bindparam("stack_id"), _alive)
    .with_for_update()
)


@dataclass(frozen=True, slots=True)
class StackState:
    """The columns of a stack that decide whether an action may start."""

    action: str
    status: str
    run_id: str


def add(changes: Changes, stack: records.Stack) -> None:
    changes.insert(_table, **records.as_row(stack))
    for tag in dict.fromkeys(stack.tags):
        changes.insert(tables.tag, stack=stack.id, tag=tag)


def get(connection: Connection, id: str) -> records.Stack | None:
    row = connection.execute(_BY_ID, {"stack_id": id}).one_or_none()
    return None if row is None else records.record(records.Stack, row)


def get_child(connection: Connection, parent: records.Stack, resource: str, id: str) -> records.Stack | None:
    """The stack with an id, if it is nested in a resource of `parent`."""
    return _one(
        connection,
        _table.c.id == id,
        _table.c.parent == parent.id,
        _table.c.parent_resource == resource,
        _table.c.root == parent.root,
        _table.c.project == parent.project,
    )


def get_of_tree(connection: Connection, member: records.Stack, id: str) -> records.Stack | None:
    """The stack with an id, if it is in the same tree as `member`."""
    return _one(
        connection, _table.c.id == id, _table.c.root == member.root, _table.c.project == member.project
    )


def live_tree(connection: Connection, root: str) -> list[records.Stack]:
    """The stacks of a tree that are not deleted."""
    rows = connection.execute(select(_table).where(_table.c.root == root, _alive))
    return [records.record(records.Stack, row) for row in rows]


def is_in_progress(connection: Connection, id: str) -> bool:
    status = connection.execute(select(_table.c.status).where(_table.c.id == id)).scalar()
    return bool(status == Status.IN_PROGRESS)


def is_in_project(connection: Connection, project: str, id: str) -> bool:
    """Whether a project has a live stack with an id."""
    return _exists(connection, _table.c.id == id, _table.c.project == project, _alive)


def is_name_taken(connection: Connection, project: str, name: str) -> bool:
    return connection.execute(_NAME_TAKEN, {"of_project": project, "wanted": name}).first() is not None


def has_user_project(connection: Connection, project: str, user_project: str) -> bool:
    """Whether `user_project` belongs to one of a project's stacks."""
    return _exists(connection, _table.c.user_project == user_project, _table.c.project == project)


def user_project(connection: Connection, id: str) -> str | None:
    """The project of a root stack's users."""
    found: str | None = connection.execute(_USER_PROJECT, {"stack_id": id}).scalar()
    return found


def credentials_id(connection: Connection, id: str) -> str | None:
    found: str | None = connection.execute(_CREDENTIALS, {"stack_id": id}).scalar()
    return found


def count_roots(connection: Connection, project: str) -> int:
    """How many live root stacks a project has."""
    return int(connection.execute(_COUNT_ROOTS, {"of_project": project}).scalar_one())


def lock(connection: Connection, id: str) -> StackState | None:
    """Locks a live stack for the transaction; returns its action, status and run."""
    row = connection.execute(_LOCK, {"stack_id": id}).one_or_none()
    return None if row is None else StackState(*row)


def change(connection: Connection, seen: records.Stack, wanted: records.Stack) -> None:
    """Writes the state, and the columns in which `wanted` differs from `seen`; an engine may have changed others
    meanwhile."""
    before = records.as_row(seen)
    stated = ("action", "status", "reason", "run")
    values = {
        name: value
        for name, value in records.as_row(wanted).items()
        if name in stated or value != before[name]
    }
    statements.update(connection, _table, values, id=seen.id, sealed=wanted.sealed)


def set_tags(connection: Connection, id: str, tags: Iterable[str]) -> None:
    connection.execute(tables.tag.delete().where(tables.tag.c.stack == id))
    rows = [{"stack": id, "tag": tag} for tag in dict.fromkeys(tags)]
    if rows:
        connection.execute(tables.tag.insert(), rows)


def fail_tree(connection: Connection, id: str, reason: str, at: float, run_id: str) -> bool:
    """Changes IN_PROGRESS to FAILED in the whole tree of a stack, and releases its lease. Returns whether the stack was
    in progress. A new run id rejects writes of an engine that still works on it."""
    found = connection.execute(select(_table).where(_table.c.id == id).with_for_update()).one_or_none()
    if found is None or found.status != Status.IN_PROGRESS:
        return False
    ids = list(connection.execute(select(_table.c.id).where(_table.c.root == found.root)).scalars())
    sealed = contents.is_sealed(found.definition)
    failed = {"status": Status.FAILED, "reason": reason, "updated_at": at}
    resource = tables.resource
    statements.update_where(
        connection,
        _table,
        {**failed, "run_id": run_id, "run": {}},
        _table.c.id.in_(ids),
        _table.c.status == Status.IN_PROGRESS,
        sealed=sealed,
    )
    statements.update_where(
        connection,
        resource,
        failed,
        resource.c.stack.in_(ids),
        resource.c.status == Status.IN_PROGRESS,
        sealed=sealed,
    )
    connection.execute(tables.lease.delete().where(tables.lease.c.stack == found.root))
    return True


def _one(connection: Connection, *conditions: ColumnElement[bool]) -> records.Stack | None:
    row = connection.execute(select(_table).where(*conditions)).one_or_none()
    return None if row is None else records.record(records.Stack, row)


def _exists(connection: Connection, *conditions: ColumnElement[bool]) -> bool:
    return connection.execute(select(_table.c.id).where(*conditions).limit(1)).first() is not None
