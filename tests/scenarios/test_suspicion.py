"""Stacks that crash engines."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from calor.engine.keeping.hangs import Suspicion
from calor.engine.run.presence import Computing, Presence
from calor.stacks.events import stack_event_row
from calor.store import tables
from calor.store.work import MOST_INCIDENTS, has_crashed_engines
from calor.store.writer import Changes
from tests.support.workbench import Workbench, probe, template


class Case:
    """A stack, and engines that end while they compute something for it."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._suspicion = Suspicion(bench.database, Presence(None, "observer"), "observer")
        self._engines = 0
        made = bench.create(template({"a": probe()}))
        bench.wait(made)
        self._stack = bench.stack(made.id)

    def engine_ends(self) -> None:
        self._engines += 1
        self._suspicion.note_own(self._engines, Computing(self._stack.id, self._stack.run_id))

    def gets_further(self) -> None:
        changes = Changes()
        changes.insert(tables.event, **stack_event_row(self._stack, 0.0))
        self._bench.writer.write(changes)

    @property
    def is_guilty(self) -> bool:
        table = tables.stack
        query = select(table.c.id, has_crashed_engines()).where(table.c.id == self._stack.id)
        with self._bench.database.connect() as connection:
            return bool(connection.execute(query).one()[1])


@pytest.fixture
def case(bench: Workbench) -> Case:
    return Case(bench)


def test_a_stack_for_which_no_engine_ended_is_not_guilty(case: Case) -> None:
    assert not case.is_guilty


def test_one_engine_that_ended_may_have_been_killed(case: Case) -> None:
    case.engine_ends()

    assert not case.is_guilty


def test_two_that_ended_at_the_same_point_were_not(case: Case) -> None:
    case.engine_ends()
    case.engine_ends()

    assert case.is_guilty


def test_engines_that_are_killed_while_the_stack_gets_further_do_not_fail_it(case: Case) -> None:
    for _ in range(MOST_INCIDENTS - 1):
        case.engine_ends()
        case.gets_further()

    assert not case.is_guilty


def test_very_many_do(case: Case) -> None:
    for _ in range(MOST_INCIDENTS):
        case.engine_ends()
        case.gets_further()

    assert case.is_guilty
