"""Queues that receive a stack's events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from calor.clouds.errors import Permanent
from calor.engine.run.owner import Owner
from tests.support.workbench import CALLER, Workbench, probe, template

SINK = {"event_sinks": [{"type": "zaqar-queue", "target": "news", "ttl": 60}]}


class Recorder:
    def __init__(self) -> None:
        self.posted: list[tuple[str, Mapping[str, Any], int]] = []
        self.broken = False

    def post(self, queue: str, bodies: Sequence[Mapping[str, Any]], ttl: int) -> None:
        if self.broken:
            raise Permanent("no such queue")
        self.posted += [(queue, body, ttl) for body in bodies]

    @property
    def reported(self) -> list[tuple[str, str]]:
        payloads = [body["payload"] for _, body, _ in self.posted]
        return [
            (one["resource_name"], f"{one['resource_action']}_{one['resource_status']}") for one in payloads
        ]


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    made = Recorder()
    monkeypatch.setattr(Owner, "queues", lambda owner: made)
    return made


def test_every_event_is_posted_once_in_its_order(bench: Workbench, recorder: Recorder) -> None:
    stack = bench.create(template({"a": probe("1"), "b": probe("2", depends_on="a")}), environment=SINK)
    bench.wait(stack)
    bench.until(lambda: len(recorder.posted) >= 6)

    assert recorder.reported == bench.events(stack)
    queue, body, ttl = recorder.posted[0]
    assert (queue, ttl, body["type"], body["payload"]["stack_id"]) == ("news", 60, "os.heat.event", stack.id)


def test_actions_on_existing_resources_are_posted_too(bench: Workbench, recorder: Recorder) -> None:
    stack = bench.create(template({"a": probe("1")}), environment=SINK)
    bench.wait(stack)
    bench.until(lambda: ("s", "CREATE_COMPLETE") in recorder.reported)
    bench.commands.stacks.act(CALLER, bench.stack(stack.id), "suspend")
    bench.until(lambda: ("s", "SUSPEND_COMPLETE") in recorder.reported)

    assert recorder.reported == bench.events(stack)


def test_the_deletion_of_a_stack_is_posted(bench: Workbench, recorder: Recorder) -> None:
    stack = bench.create(template({"a": probe("1")}), environment=SINK)
    bench.wait(stack)
    bench.delete(stack)
    bench.wait(stack)

    assert recorder.reported[-1] == ("s", "DELETE_COMPLETE")


def test_a_sink_that_fails_holds_nothing_up(bench: Workbench, recorder: Recorder) -> None:
    recorder.broken = True
    stack = bench.create(template({"a": probe("1")}), environment=SINK)

    assert bench.wait(stack).state == "CREATE_COMPLETE"


def test_a_stack_without_sinks_posts_nothing(bench: Workbench, recorder: Recorder) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    bench.delete(stack)
    bench.wait(stack)

    assert recorder.posted == []
