"""Several engines share a database. One that is killed, or that stands still for longer than its lease, is
followed by another; nothing is lost and nothing is done twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from calor.engine.keeping.hangs import KILLER
from calor.service.caller import Caller
from calor.service.commands import Commands, NewStack, StackChange
from calor.store import database, records, schema, tables
from calor.store.writer import Writer
from calor.types.world import offline_world
from tests.kill.engine_process import declaration
from tests.kill.journalled import JOURNAL, Service
from tests.kill.plans import Wish

pytestmark = pytest.mark.extended

CALLER = Caller(user_id="u1", username="ann", project="p1", roles=("member",))
PATIENCE = 60.0
ROOT = Path(__file__).parents[2]


class Lab:
    """A database, the commands of an API, and engines in processes of their own."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.service = Service(folder / "journal")
        self.database = database.connect(self.url)
        schema.upgrade(self.database)
        self.writer = Writer(self.database)
        world = replace(offline_world(), declaration=declaration)
        self.commands = Commands(self.database, self.writer, world, lambda: None)
        self.engines_seen = folder / "engines"
        self.log = folder / "log"
        self._log = self.log.open("a")
        self.engines: list[subprocess.Popen[bytes]] = []

    def start(self) -> subprocess.Popen[bytes]:
        engine = subprocess.Popen(
            [sys.executable, "-m", "tests.kill.engine_process", self.url, str(self.engines_seen)],
            cwd=ROOT,
            env={**os.environ, JOURNAL: str(self.service.journal)},
            stderr=self._log,
        )
        self.engines.append(engine)
        return engine

    def close(self) -> None:
        for engine in self.engines:
            engine.kill()
            engine.wait()
        self._log.close()
        self.writer.close()
        self.database.dispose()

    def create(self, request: dict[str, Any], name: str = "s") -> records.Stack:
        return self.commands.stacks.create(CALLER, NewStack(name, request))

    def stack(self, id: str) -> records.Stack:
        with database.reading(self.database).connect() as connection:
            row = connection.execute(select(tables.stack).where(tables.stack.c.id == id)).one()
        return records.record(records.Stack, row)

    def until(self, check: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not check():
            assert time.monotonic() < end, "it never came"
            time.sleep(0.01)

    def finished(self, id: str) -> records.Stack:
        self.until(lambda: self.stack(id).status != "IN_PROGRESS")
        return self.stack(id)

    def owner(self, stack: str) -> str | None:
        """The engine that has the stack's lease."""
        table = tables.lease
        with database.reading(self.database).connect() as connection:
            query = select(table.c.owner).where(table.c.stack == stack)
            return connection.execute(query).scalar_one_or_none()

    def states(self, stack: str, name: str) -> list[str]:
        """The states of the rows of a resource."""
        table = tables.resource
        with database.reading(self.database).connect() as connection:
            query = select(table).where(table.c.stack == stack, table.c.name == name)
            return [f"{row.action}_{row.status}" for row in connection.execute(query)]

    def events(self) -> list[str]:
        with database.reading(self.database).connect() as connection:
            return list(connection.execute(select(tables.event.c.id)).scalars())

    def values(self) -> list[str]:
        """What there is; fails if something was made twice."""
        things = self.service.things()
        made = Counter(thing.resource for thing in things.values())
        assert set(made.values()) <= {1}, "something was made twice"
        return sorted(thing.values[-1] for thing in things.values() if not thing.deleted)


@pytest.fixture
def lab(database_url: str, tmp_path: Path) -> Iterator[Lab]:
    made = Lab(database_url, tmp_path)
    yield made
    made.close()


def chain(length: int, seconds: float) -> dict[str, Any]:
    """A request for resources that are made one after the other."""
    resources: dict[str, Any] = {}
    for index in range(length):
        properties = {"value": f"v{index}", "seconds": seconds}
        needs = [f"r{index - 1}"] if index else []
        resources[f"r{index}"] = {"type": "Test::Journalled", "properties": properties, "depends_on": needs}
    return {"template": {"heat_template_version": "2018-08-31", "resources": resources}}


def test_a_stack_survives_kills_of_its_engines(lab: Lab) -> None:
    choice = random.Random(1)
    engine = lab.start()

    def finish(id: str) -> records.Stack:
        nonlocal engine
        time.sleep(choice.uniform(0.2, 1.0))
        engine.kill()
        engine.wait()
        engine = lab.start()
        return lab.finished(id)

    first = Wish({"r0": ("a", ""), "r1": ("a", ""), "r2": ("a", "")}, ("x", 1), ("g", 2))
    second = Wish({"r0": ("b", ""), "r1": ("b", "new"), "r3": ("b", "")}, ("y", 2), ("h", 1))

    stack = lab.create(first.request())
    assert finish(stack.id).state == "CREATE_COMPLETE"
    assert lab.values() == sorted(first.values().values())

    lab.commands.stacks.update(CALLER, lab.stack(stack.id), StackChange(second.request()))
    assert finish(stack.id).state == "UPDATE_COMPLETE"
    assert lab.values() == sorted(second.values().values())

    lab.commands.stacks.delete(CALLER, lab.stack(stack.id))
    assert finish(stack.id).state == "DELETE_COMPLETE"
    assert lab.values() == []


def stop_before_it_creates(
    lab: Lab, stack: records.Stack, engine: subprocess.Popen[bytes], name: str
) -> None:
    """Lets an engine stand still when it is about to create a resource."""
    lab.until(lambda: "CREATE_IN_PROGRESS" in lab.states(stack.id, name))
    # Not in the middle of a transaction: nobody could write to SQLite until the engine goes on.
    with lab.database.begin():
        engine.send_signal(signal.SIGSTOP)
    assert lab.stack(stack.id).status == "IN_PROGRESS"


def test_a_suspended_engine_starts_nothing_while_another_continues(lab: Lab) -> None:
    sleeper = lab.start()
    stack = lab.create(chain(3, 0.5))
    stop_before_it_creates(lab, stack, sleeper, "r1")
    first = lab.owner(stack.id)

    lab.start()
    lab.until(lambda: lab.owner(stack.id) != first)
    sleeper.send_signal(signal.SIGCONT)

    assert lab.finished(stack.id).state == "CREATE_COMPLETE"
    assert lab.values() == ["v0", "v1", "v2"]


def test_an_engine_that_stood_still_leaves_alone_what_another_has_finished(lab: Lab) -> None:
    sleeper = lab.start()
    stack = lab.create(chain(3, 0.1))
    stop_before_it_creates(lab, stack, sleeper, "r1")
    follower = lab.start()
    ended = lab.finished(stack.id)
    reported = lab.events()

    follower.kill()
    sleeper.send_signal(signal.SIGCONT)
    # It takes up other work only after it has done with what it held.
    other = lab.commands.stacks.create(CALLER, NewStack("other", chain(1, 0.0)))

    assert lab.finished(other.id).state == "CREATE_COMPLETE"
    assert lab.stack(stack.id) == ended
    assert [id for id in lab.events() if id in reported] == reported
    assert lab.values() == ["v0", "v0", "v1", "v2"]
    assert f"stack {stack.id} is left to another engine" in lab.log.read_text()


def deadly(how: str) -> dict[str, Any]:
    resources = {"d": {"type": "Test::Deadly", "properties": {"how": how}}}
    return {"template": {"heat_template_version": "2018-08-31", "resources": resources}}


@pytest.mark.parametrize("how", ["kill", "hang", "hold all threads up"])
def test_a_stack_that_stops_its_engines_fails_after_the_second_one(lab: Lab, how: str) -> None:
    lab.start()
    stack = lab.create(deadly(how))
    owners: list[str | None] = []
    for _ in range(2):
        lab.until(lambda: lab.owner(stack.id) not in (None, *owners))
        owners.append(lab.owner(stack.id))
        lab.start()

    ended = lab.finished(stack.id)

    assert ended.state == "CREATE_FAILED"
    assert ended.reason == KILLER
    other = lab.create(chain(1, 0.0), "other")
    assert lab.finished(other.id).state == "CREATE_COMPLETE"
    lab.commands.stacks.delete(CALLER, lab.stack(stack.id))
    assert lab.finished(stack.id).state == "DELETE_COMPLETE"


def test_a_stack_that_waits_while_its_engines_are_killed_does_not_fail_for_that(lab: Lab) -> None:
    engine = lab.start()
    stack = lab.create(chain(1, 2.0))
    for _ in range(4):
        lab.until(lambda: "CREATE_IN_PROGRESS" in lab.states(stack.id, "r0"))
        lab.until(lambda: lab.owner(stack.id) is not None)
        time.sleep(0.2)
        engine.kill()
        engine.wait()
        engine = lab.start()

    assert lab.finished(stack.id).state == "CREATE_COMPLETE"
    assert lab.values() == ["v0"]


def test_a_stack_of_an_engine_that_was_killed_here_is_taken_over_at_once(lab: Lab) -> None:
    first = lab.start()
    stack = lab.create(chain(2, 0.3))
    lab.until(lambda: "CREATE_IN_PROGRESS" in lab.states(stack.id, "r0"))
    first.kill()
    first.wait()

    lab.start()
    lab.until(lambda: lab.finished(stack.id).state == "CREATE_COMPLETE")

    # Whoever has to wait for a lease to run out sees it unchanged for that long.
    assert "is left to another engine" not in lab.log.read_text()
