"""Engines are killed at any moment; stacks get where their templates say, with nothing lost and nothing twice."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from engine_process import declaration
from sqlalchemy import select

from calor.service.caller import Caller
from calor.service.commands import Commands, NewStack, StackChange
from calor.store import database, records, schema, tables
from calor.store.writer import Writer
from calor.types.world import offline_world

CALLER = Caller(user_id="u1", username="ann", project="p1", roles=("member",))
PATIENCE = 60.0
SCRIPT = Path(__file__).with_name("engine_process.py")


class Lab:
    """A database, the commands of an API, and an engine process that is killed and started again."""

    def __init__(self, url: str, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.url = url
        self.journal = folder / "journal"
        self.database = database.connect(self.url)
        schema.upgrade(self.database)
        self.writer = Writer(self.database)
        world = replace(offline_world(), declaration=declaration)
        self.commands = Commands(self.database, self.writer, world, lambda: None)
        self.engine: subprocess.Popen[bytes] | None = None
        self.kills = 0

    def start(self) -> None:
        self.engine = subprocess.Popen([sys.executable, str(SCRIPT), self.url, str(self.journal)])

    def kill(self) -> None:
        assert self.engine is not None
        self.engine.kill()
        self.engine.wait()
        self.kills += 1

    def close(self) -> None:
        if self.engine is not None and self.engine.poll() is None:
            self.engine.kill()
            self.engine.wait()
        self.writer.close()
        self.database.dispose()

    def stack(self, id: str) -> records.Stack:
        with database.reading(self.database).connect() as connection:
            row = connection.execute(select(tables.stack).where(tables.stack.c.id == id)).one()
        return records.record(records.Stack, row)

    def finish(self, id: str, kills: int) -> records.Stack:
        """Waits for the end of the action under way, killing the engine at random moments meanwhile."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            pause = self.random.uniform(0.0, 0.25)
            deadline = time.monotonic() + pause if kills else end
            while time.monotonic() < deadline:
                current = self.stack(id)
                if current.status != "IN_PROGRESS":
                    return current
                time.sleep(0.01)
            self.kill()
            kills -= 1
            self.start()
        raise AssertionError(f"the stack is still {self.stack(id).state}")

    def effects(self) -> list[list[str]]:
        return [line.split(" ") for line in self.journal.read_text().splitlines()]

    def rows(self, root: str) -> list[records.Resource]:
        with database.reading(self.database).connect() as connection:
            below = select(tables.stack.c.id).where(tables.stack.c.root == root)
            query = select(tables.resource).where(tables.resource.c.stack.in_(below))
            return [records.record(records.Resource, row) for row in connection.execute(query)]


@pytest.fixture
def lab(database_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Lab]:
    made = Lab(database_url, tmp_path, seed=int(request.node.callspec.params["seed"]))
    made.start()
    yield made
    made.close()


def ledger(value: Any, **more: Any) -> dict[str, Any]:
    return {"type": "Test::Ledger", "properties": {"value": value, **more}}


def request(value: str, size: int, fixed: str = "") -> dict[str, Any]:
    inner = {
        "heat_template_version": "2018-08-31",
        "parameters": {"v": {"type": "string"}},
        "resources": {"x": ledger({"get_param": "v"}), "y": ledger({"get_attr": ["x", "value"]})},
    }
    resources: dict[str, Any] = {f"r{i}": ledger(f"{value}{i}", fixed=fixed) for i in range(size)}
    resources["chained"] = ledger({"get_attr": ["r0", "value"]})
    resources["n"] = {"type": "inner.yaml", "properties": {"v": value}}
    template = {"heat_template_version": "2018-08-31", "resources": resources}
    return {"template": template, "files": {"inner.yaml": json.dumps(inner)}}


@pytest.mark.parametrize("seed", range(4))
def test_a_stack_lives_through_kills_of_its_engine(lab: Lab, seed: int) -> None:
    stack = lab.commands.create_stack(CALLER, NewStack("s", request("a", 6)))
    created = lab.finish(stack.id, kills=2)
    assert created.state == "CREATE_COMPLETE", created.reason

    lab.commands.update_stack(CALLER, lab.stack(stack.id), StackChange(request("b", 4, fixed="new")))
    updated = lab.finish(stack.id, kills=2)
    assert updated.state == "UPDATE_COMPLETE", updated.reason
    rows = [row for row in lab.rows(stack.id) if row.type == "Test::Ledger"]
    assert sorted(row.name for row in rows) == ["chained", "r0", "r1", "r2", "r3", "x", "y"]
    values = {row.name: (row.properties or {})["value"] for row in rows}
    assert values == {"r0": "b0", "r1": "b1", "r2": "b2", "r3": "b3", "chained": "b0", "x": "b", "y": "b"}

    lab.commands.delete_stack(CALLER, lab.stack(stack.id))
    deleted = lab.finish(stack.id, kills=2)
    assert deleted.state == "DELETE_COMPLETE", deleted.reason
    assert lab.rows(stack.id) == []

    assert lab.kills > 0
    made = Counter(id for what, id, _ in lab.effects() if what == "create")
    gone = Counter(id for what, id, _ in lab.effects() if what == "delete")
    assert set(made.values()) == {1}, f"seed {seed}: something was made twice"
    assert made == gone, f"seed {seed}: something was left or deleted twice"
