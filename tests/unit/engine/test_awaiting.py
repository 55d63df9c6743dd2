"""What is said of a wait is written once, and taken back once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from calor.clouds.errors import Transient
from calor.engine.awaiting import Outages
from calor.engine.states import ResourceState


class FakeRun:
    def __init__(self, reason: str = "Stack CREATE started") -> None:
        self.stack: Any = SimpleNamespace(status="IN_PROGRESS", reason=reason)
        self.written: list[str] = []
        self.journal: Any = SimpleNamespace(
            resource=lambda state: self.written.append(f"{state.name}: {state.reason}"), send=lambda: None
        )

    def now(self) -> float:
        return 1_000_000_000.0

    def reason_changed(self, reason: str) -> None:
        self.stack.reason = reason
        self.written.append(f"stack: {reason}")


def resource(name: str) -> ResourceState:
    return ResourceState(name, "s", name, "T", "CREATE", "IN_PROGRESS", "state changed")


SINCE = "; waiting for compute since 2001-09-09T01:46:40Z: away"


def test_a_service_that_is_asked_again_and_again_is_told_of_once() -> None:
    run: Any = FakeRun()
    outages, one, two = Outages(run), resource("one"), resource("two")
    for _ in range(5):
        outages.away(one, "compute", Transient("away"))
        outages.away(two, "compute", Transient("still away"))
    assert run.written == [
        f"one: state changed{SINCE}",
        f"stack: Stack CREATE started{SINCE}",
        "two: state changed; waiting for compute since 2001-09-09T01:46:40Z: still away",
    ]

    run.written.clear()
    outages.back(one, "compute")
    outages.back(one, "compute")
    outages.back(two, "compute")
    assert run.written == ["one: state changed", "two: state changed", "stack: Stack CREATE started"]


def test_who_never_waited_writes_nothing() -> None:
    run: Any = FakeRun()
    Outages(run).back(resource("one"), "compute")
    assert run.written == []


def test_what_a_killed_engine_has_waited_for_is_forgotten() -> None:
    run: Any = FakeRun(f"Stack CREATE started{SINCE}")
    Outages(run).clear()
    assert run.stack.reason == "Stack CREATE started"
