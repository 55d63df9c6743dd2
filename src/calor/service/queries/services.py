"""The engines and their backlog."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Engine, func, or_, select

from calor.store import records, tables


@dataclass(frozen=True, slots=True)
class Backlog:
    """The work that no engine has started."""

    stacks: int
    signals: int


@dataclass(frozen=True, slots=True)
class ServiceState:
    service: records.Service
    is_up: bool


class Services:
    def __init__(
        self,
        source: Engine,
        clock: Callable[[], float],
        is_dead: Callable[[str], bool] = lambda engine: False,
    ) -> None:
        """`is_dead` returns whether the process of an engine is known to have ended."""
        self._source = source
        self._clock = clock
        self._is_dead = is_dead

    def all(self) -> list[ServiceState]:
        """All engines; one that has not reported for two intervals, or that is known to have ended, is down."""
        query = select(tables.service).order_by(tables.service.c.created_at)
        with self._source.connect() as connection:
            services = [records.record(records.Service, row) for row in connection.execute(query)]
        now = self._clock()
        return [
            ServiceState(
                one, now - one.updated_at <= 2 * one.report_interval and not self._is_dead(one.engine)
            )
            for one in services
        ]

    def stacks_by_state(self) -> dict[tuple[str, str], int]:
        """The number of stacks, including nested ones, by state (action, status)."""
        table = tables.stack
        query = (
            select(table.c.action, table.c.status, func.count())
            .where(table.c.deleted_at.is_(None))
            .group_by(table.c.action, table.c.status)
        )
        with self._source.connect() as connection:
            return {(action, status): count for action, status, count in connection.execute(query)}

    def backlog(self) -> Backlog:
        stack, lease, inbox = tables.stack, tables.lease, tables.inbox
        waiting = (
            select(func.count())
            .select_from(stack.outerjoin(lease, lease.c.stack == stack.c.id))
            .where(stack.c.parent.is_(None), stack.c.status == "IN_PROGRESS")
            .where(or_(lease.c.stack.is_(None), lease.c.expires_at < self._clock()))
        )
        with self._source.connect() as connection:
            stacks = connection.execute(waiting).scalar_one()
            return Backlog(stacks, connection.execute(select(func.count()).select_from(inbox)).scalar_one())

    def ping(self) -> None:
        """Runs a query. Raises the errors of the database."""
        with self._source.connect() as connection:
            connection.execute(select(1))
