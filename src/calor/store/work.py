"""Queries for stacks with work for engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, Integer, ScalarSelect, and_, bindparam, func, or_, select

from calor.lifecycle import Status
from calor.store import records
from calor.store.database import reading
from calor.store.tables import inbox, lease, stack, suspicion

MOST_INCIDENTS = 6
"""An action fails after this many incidents, whatever its progress between them."""

_HAS_WORK = and_(
    stack.c.parent.is_(None),
    or_(stack.c.status == Status.IN_PROGRESS, stack.c.id.in_(select(inbox.c.root))),
)
"""Selects root stacks with an action in progress or with pending signals."""


def has_crashed_engines() -> ScalarSelect[bool]:
    """For a query of stacks: whether two engines crashed at the same point of the current action, or very many at any
    points, while computing for it."""
    same = suspicion.c.stack == stack.c.id, suspicion.c.run_id == stack.c.run_id
    incidents, points = func.count(), func.count(suspicion.c.progress.distinct())
    guilty = select(or_(incidents > points, incidents >= MOST_INCIDENTS))
    return guilty.select_from(suspicion).where(*same).correlate(stack).scalar_subquery()


# Built once, because engines run them often.
_UNCLAIMED = (
    select(stack.c.id)
    .outerjoin(lease, lease.c.stack == stack.c.id)
    .where(_HAS_WORK)
    .where(or_(lease.c.stack.is_(None), lease.c.owner == bindparam("engine")))
    .limit(bindparam("most", type_=Integer))
)
_SIGNALLED = select(inbox.c.root).distinct()
_ACTIONS = select(stack.c.id, stack.c.status, stack.c.run_id, stack.c.run).where(
    stack.c.id.in_(bindparam("ids", expanding=True))
)
_WITH_WORK = select(stack, has_crashed_engines(), stack.c.id.in_(select(inbox.c.root))).where(
    stack.c.id.in_(bindparam("ids", expanding=True)), _HAS_WORK
)


@dataclass(frozen=True, slots=True)
class Overtaken:
    """A stack whose action was replaced by a newer one, or ended by a user."""

    stack: str
    status: str
    run: records.Document


@dataclass(frozen=True, slots=True)
class Survey:
    """The work that an engine has found."""

    overtaken: list[Overtaken]
    """The stacks that it works on whose action is no longer the current one."""
    signalled: set[str]
    """The stacks that it works on with pending signals."""
    unclaimed: list[str]
    """Stacks with work whose lease no other engine has."""


def survey(database: Engine, engine: str, walked: Mapping[str, str]) -> Survey:
    """Looks for work. `walked` has the run ids of the stacks that the engine works on."""
    wanted = {"engine": engine, "most": len(walked) + 100}
    with reading(database).connect() as connection:
        return Survey(
            _overtaken(connection, walked) if walked else [],
            _signalled(connection, walked) if walked else set(),
            [id for id in connection.execute(_UNCLAIMED, wanted).scalars() if id not in walked],
        )


def _overtaken(connection: Connection, walked: Mapping[str, str]) -> list[Overtaken]:
    return [
        Overtaken(row.id, row.status, row.run)
        for row in connection.execute(_ACTIONS, {"ids": list(walked)})
        if row.run_id != walked[row.id]
    ]


def _signalled(connection: Connection, walked: Mapping[str, str]) -> set[str]:
    return walked.keys() & set(connection.execute(_SIGNALLED).scalars())


@dataclass(frozen=True, slots=True)
class Claimed:
    """A stack whose lease an engine has just claimed."""

    stack: records.Stack
    is_guilty: bool
    """Whether the stack has probably crashed engines."""
    is_signalled: bool
    """Whether it has pending signals."""


def claimed(database: Engine, ids: Sequence[str]) -> dict[str, Claimed]:
    """The stacks that still have work."""
    with reading(database).connect() as connection:
        found = {}
        for *columns, is_guilty, is_signalled in connection.execute(_WITH_WORK, {"ids": list(ids)}):
            row = records.Stack(*columns)
            found[row.id] = Claimed(row, bool(is_guilty), bool(is_signalled))
        return found
