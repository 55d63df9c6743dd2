"""Outages are shown once in status reasons, and removed once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from calor.clouds.errors import Transient
from calor.engine.run.outages import Outages
from calor.stacks.states import ResourceState


class FakeRun:
    def __init__(self, reason: str = "Stack CREATE started") -> None:
        self.row: Any = SimpleNamespace(status="IN_PROGRESS", reason=reason)
        self.written: list[str] = []
        self.journal: Any = SimpleNamespace(
            resource=lambda state: self.written.append(f"{state.name}: {state.reason}"), send=lambda: None
        )

    def change_reason(self, reason: str) -> None:
        self.row.reason = reason
        self.written.append(f"stack: {reason}")


def resource(name: str) -> ResourceState:
    return ResourceState(name, "s", name, "T", "CREATE", "IN_PROGRESS", "state changed")


SINCE = "; waiting for compute since 2001-09-09T01:46:40Z: away"


def test_a_repeated_outage_is_reported_once() -> None:
    run: Any = FakeRun()
    outages, one, two = Outages(run, run.journal, lambda: 1_000_000_000.0), resource("one"), resource("two")
    for _ in range(5):
        outages.begin_wait(one, "compute", Transient("away"))
        outages.begin_wait(two, "compute", Transient("still away"))
    assert run.written == [
        f"one: state changed{SINCE}",
        f"stack: Stack CREATE started{SINCE}",
        "two: state changed; waiting for compute since 2001-09-09T01:46:40Z: still away",
    ]

    run.written.clear()
    outages.end_wait(one, "compute")
    outages.end_wait(one, "compute")
    outages.end_wait(two, "compute")
    assert run.written == ["one: state changed", "two: state changed", "stack: Stack CREATE started"]


def test_a_resource_that_never_waited_writes_nothing() -> None:
    run: Any = FakeRun()
    Outages(run, run.journal, lambda: 1_000_000_000.0).end_wait(resource("one"), "compute")
    assert run.written == []


def test_what_a_killed_engine_has_waited_for_is_forgotten() -> None:
    run: Any = FakeRun(f"Stack CREATE started{SINCE}")
    Outages(run, run.journal, lambda: 1_000_000_000.0).clear()
    assert run.row.reason == "Stack CREATE started"
