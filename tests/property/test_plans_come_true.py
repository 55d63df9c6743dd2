"""What a preview shows is what an update does: over random pairs of templates, a run's events are the steps of
the plan that was shown. A run may refine what the plan left open, and never contradicts it."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from calor.plan.kinds import Kind
from calor.plan.steps import Plan
from calor.service.commands import NewStack, StackChange
from calor.service.errors import ServiceError
from calor.store import database, records, tables
from tests.property.plan_comparison import STACK_TYPE, Comparison, deeds_of, paths
from tests.property.random_stacks import OWN_TYPES, Author
from tests.support.workbench import CALLER, Workbench

AT_ONCE = 25
SEEDS = os.environ.get("CALOR_PLAN_SEEDS", "")
"""Seeds to try instead, separated by commas: those that a failure names."""


@dataclass(slots=True)
class Story:
    """A stack, and the versions of its template."""

    seed: int
    author: Author
    request: dict[str, Any]
    stack: records.Stack
    failures: list[str] = field(default_factory=list)
    compared: int = 0


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    made = Workbench(f"sqlite:///{tmp_path}/calor.db", OWN_TYPES)
    yield made
    made.close()


@pytest.mark.parametrize("pairs", [50, pytest.param(500, marks=pytest.mark.extended)])
def test_over_random_pairs_of_templates_a_run_does_what_its_plan_shows(bench: Workbench, pairs: int) -> None:
    seeds = iter([int(seed) for seed in SEEDS.split(",")] if SEEDS else range(10 * pairs))
    compared = 0
    while compared < pairs:
        stories = [
            story for seed, _ in zip(seeds, range(AT_ONCE), strict=False) if (story := _begin(bench, seed))
        ]
        if not stories:
            break
        for _ in range(3):
            _update_all(bench, stories)
        _delete_all(bench, stories)
        failed = [story for story in stories if story.failures]
        reported = "\n".join(line for story in failed for line in story.failures)
        again = ",".join(str(story.seed) for story in failed)
        assert not failed, f"{reported}\nreproduce with CALOR_PLAN_SEEDS={again}"
        compared += sum(story.compared for story in stories)
    assert SEEDS or compared >= pairs


def _begin(bench: Workbench, seed: int) -> Story | None:
    """A stack being created, unless the seed gives a template that no server takes."""
    author = Author(seed)
    request = author.request()
    try:
        stack = bench.commands.stacks.create(CALLER, NewStack(f"s{seed}", request))
    except ServiceError:
        return None
    return Story(seed, author, request, stack)


@dataclass(frozen=True, slots=True)
class Before:
    """How things were before a run: its plan, the last event, the resources' names by stack, and of those of the
    root which need each."""

    plan: Plan
    event: int
    names: dict[str, set[str]]
    needed: dict[str, set[str]]


def _update_all(bench: Workbench, stories: list[Story]) -> None:
    under_way: list[tuple[Story, Before]] = []
    for story in stories:
        story.stack = bench.wait(story.stack)
        following = story.author.changed(story.request)
        change = StackChange(following)
        try:
            _, _, plan = bench.commands.previews.plan_update(CALLER, story.stack, following)
        except ServiceError:
            continue
        if any(step.kind is Kind.FORBIDDEN and step.refused for step in plan.all_steps()):
            # What a type never does is not even begun.
            with pytest.raises(ServiceError):
                bench.commands.stacks.update(CALLER, story.stack, change)
            continue
        if story.compared == 0:
            shown = bench.commands.previews.update(CALLER, story.stack, change, True)
            assert "hush" not in json.dumps(shown["plan"])
        story.request = following
        under_way.append((story, _before(bench, story.stack, plan)))
        bench.commands.stacks.update(CALLER, story.stack, change)
    for story, before in under_way:
        story.stack = bench.wait(story.stack)
        _compare(bench, story, before)
        story.compared += 1


def _delete_all(bench: Workbench, stories: list[Story]) -> None:
    under_way: list[tuple[Story, Before]] = []
    for story in stories:
        story.stack = bench.wait(story.stack)
        plan = bench.commands.previews.plan_delete(story.stack)
        under_way.append((story, _before(bench, story.stack, plan)))
        bench.delete(story.stack)
    for story, before in under_way:
        story.stack = bench.wait(story.stack)
        _compare(bench, story, before)


def _compare(bench: Workbench, story: Story, before: Before) -> None:
    table = tables.event
    query = select(table).where(table.c.root == story.stack.id, table.c.seq > before.event)
    with database.reading(bench.database).connect() as connection:
        rows = connection.execute(query.order_by(table.c.seq))
        events = [records.record(records.Event, row) for row in rows if row.type != STACK_TYPE]
    deeds = deeds_of(events, paths(_stacks(bench, story.stack), before.names))
    comparison = Comparison(before.plan, deeds, story.stack.status == "FAILED", before.needed)
    reported = f"seed {story.seed}, {story.stack.state}"
    story.failures += [f"{reported}: {one}" for one in comparison.contradictions()]


def _before(bench: Workbench, stack: records.Stack, plan: Plan) -> Before:
    stacks = list(_stacks(bench, stack))
    table = tables.resource
    with database.reading(bench.database).connect() as connection:
        event = connection.execute(select(func.max(tables.event.c.seq))).scalar_one()
        rows = connection.execute(select(table).where(table.c.stack.in_(stacks))).all()
    names: dict[str, set[str]] = {}
    for row in rows:
        names.setdefault(row.stack, set()).add(row.name)
    by_id = {row.id: row.name for row in rows}
    own = [row for row in rows if row.stack == stack.id]
    twice = {name for name, count in Counter(row.name for row in own).items() if count > 1}
    needed: dict[str, set[str]] = {}
    for row in own:
        for id in row.requires:
            if id in by_id and not {by_id[id], row.name} & twice:
                needed.setdefault(by_id[id], set()).add(row.name)
    return Before(plan, event, names, needed)


def _stacks(bench: Workbench, stack: records.Stack) -> dict[str, records.Stack]:
    with database.reading(bench.database).connect() as connection:
        rows = connection.execute(select(tables.stack).where(tables.stack.c.root == stack.id))
        return {row.id: records.record(records.Stack, row) for row in rows}
