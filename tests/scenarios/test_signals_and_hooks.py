"""Signals and hooks during actions."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from typing import Any, ClassVar

import pytest

from calor.engine.execution import Execution
from calor.engine.signals.inbox import Inbox
from calor.store import records
from calor.store.writer import Stale
from tests.support.workbench import CALLER, PATIENCE, Probe, Workbench, probe, template


def paused(bench: Workbench, stack: records.Stack, name: str, hook: str) -> records.Resource:
    """The resource as soon as it waits at a hook."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        row = bench.resources(stack).get(name)
        if row is not None and (row.data or {}).get("_hook") == hook:
            return row
        time.sleep(0.01)
    raise AssertionError(f"{name} never waited at {hook}")


def hooked(hook: str | list[str]) -> dict[str, Any]:
    return {"resource_registry": {"resources": {"a": {"hooks": hook}}}}


def test_a_resource_waits_at_its_hook_until_it_is_cleared(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1"), "b": probe("2")}), environment=hooked("pre-create"))

    resource = paused(bench, stack, "a", "pre-create")
    assert resource.state == "INIT_COMPLETE"
    assert bench.stack(stack.id).status == "IN_PROGRESS"

    bench.commands.resources.signal(CALLER, stack, resource, {"unset_hook": "pre-create"})

    assert bench.wait(stack).state == "CREATE_COMPLETE"
    assert ("create", "a", "1") in Probe.journal
    assert bench.reasons(stack, "a")[:2] == [
        "CREATE paused until Hook pre-create is cleared",
        "Hook pre-create is cleared",
    ]


def test_a_deletion_waits_at_its_hook(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}), environment=hooked("pre-delete"))
    bench.wait(stack)

    bench.delete(stack)
    resource = paused(bench, stack, "a", "pre-delete")
    bench.commands.resources.signal(CALLER, bench.stack(stack.id), resource, {"unset_hook": "pre-delete"})

    assert bench.wait(stack).state == "DELETE_COMPLETE"


def cleared(bench: Workbench, stack: records.Stack, name: str, hook: str) -> None:
    resource = paused(bench, stack, name, hook)
    bench.commands.resources.signal(CALLER, bench.stack(stack.id), resource, {"unset_hook": hook})


def test_a_resource_waits_after_it_was_made(bench: Workbench) -> None:
    after = template({"a": probe("1"), "b": probe("2", depends_on="a")})
    stack = bench.create(after, environment=hooked("post-create"))

    assert paused(bench, stack, "a", "post-create").state == "CREATE_COMPLETE"
    assert ("create", "b", "2") not in Probe.journal
    cleared(bench, stack, "a", "post-create")

    assert bench.wait(stack).state == "CREATE_COMPLETE"


def test_an_update_waits_before_and_after(bench: Workbench) -> None:
    environment = hooked(["pre-update", "post-update"])
    stack = bench.create(template({"a": probe("1")}), environment=environment)
    bench.wait(stack)
    bench.update(stack, template({"a": probe("2")}), environment=environment)

    cleared(bench, stack, "a", "pre-update")
    assert paused(bench, stack, "a", "post-update").state == "UPDATE_COMPLETE"
    cleared(bench, stack, "a", "post-update")

    assert bench.wait(stack).state == "UPDATE_COMPLETE"


def test_a_deleted_resource_is_shown_until_its_hook_is_cleared(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}), environment=hooked("post-delete"))
    bench.wait(stack)
    bench.delete(stack)

    assert paused(bench, stack, "a", "post-delete").state == "DELETE_COMPLETE"
    cleared(bench, stack, "a", "post-delete")

    assert bench.wait(stack).state == "DELETE_COMPLETE"


def test_a_cancelled_action_waits_at_no_hook(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}), environment=hooked("pre-create"))
    paused(bench, stack, "a", "pre-create")
    bench.commands.stacks.act(CALLER, bench.stack(stack.id), "cancel_without_rollback")

    assert bench.wait(stack).state == "CREATE_FAILED"
    bench.until(lambda: "_hook" not in (bench.resources(stack)["a"].data or {}))


def test_a_signal_to_an_engine_that_loses_the_stack_is_handled_by_the_next(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stack = bench.create(template({"handle": {"type": "OS::Heat::WaitConditionHandle"}}))
    bench.wait(stack)
    give, losses = Inbox._give, [True]

    async def losing(inbox: Inbox, view: Any, state: Any, signal: Any) -> None:
        if losses:
            losses.pop()
            view.run.control.leave()
            raise Stale(view.run.lease)
        await give(inbox, view, state, signal)

    monkeypatch.setattr(Inbox, "_give", losing)
    bench.commands.resources.signal(
        CALLER, bench.stack(stack.id), bench.resources(stack)["handle"], {"status": "SUCCESS"}
    )

    bench.until(lambda: bool(bench.resources(stack)["handle"].metadata))
    gc.collect()
    assert not losses
    assert "never retrieved" not in caplog.text


def waiting_for_word() -> dict[str, Any]:
    return template(
        {
            "handle": {
                "type": "OS::Heat::WaitConditionHandle",
                "properties": {"signal_transport": "NO_SIGNAL"},
            },
            "condition": {
                "type": "OS::Heat::WaitCondition",
                "properties": {"handle": {"get_resource": "handle"}, "timeout": 60},
            },
        }
    )


@pytest.fixture
def signals_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine reads what a stack has, then handles the signals, and then comes to walk the stack."""
    load, give, is_read = Execution._load, Inbox._give, threading.Event()

    async def afterwards(inbox: Inbox, view: Any, state: Any, signal: Any) -> None:
        while not is_read.is_set():
            await asyncio.sleep(0.005)
        await give(inbox, view, state, signal)

    monkeypatch.setattr(Inbox, "_give", afterwards)

    def slowly(execution: Execution) -> Any:
        loaded = load(execution)
        is_read.set()
        end = time.monotonic() + PATIENCE
        while execution._inbox._handling or not execution._inbox._handled:
            assert time.monotonic() < end
            time.sleep(0.005)
        return loaded

    monkeypatch.setattr(Execution, "_load", slowly)


class TestASignalThatComesBeforeItsStackIsTakenUp:
    def test_counts(self, bench: Workbench, request: pytest.FixtureRequest) -> None:
        stack = bench.create(waiting_for_word())
        bench.until(lambda: "condition" in bench.resources(stack))
        bench.stop()
        bench.commands.resources.signal(
            CALLER, stack, bench.resources(stack)["handle"], {"status": "SUCCESS"}
        )

        request.getfixturevalue("signals_first")
        bench.start()

        assert bench.wait(stack).state == "CREATE_COMPLETE"
        assert list(bench.resources(stack)["handle"].metadata or {}) == ["1"]

    def test_clears_a_hook(self, bench: Workbench, request: pytest.FixtureRequest) -> None:
        stack = bench.create(template({"a": probe("1")}), environment=hooked("pre-create"))
        resource = paused(bench, stack, "a", "pre-create")
        bench.stop()
        bench.commands.resources.signal(CALLER, stack, resource, {"unset_hook": "pre-create"})

        request.getfixturevalue("signals_first")
        bench.start()

        assert bench.wait(stack).state == "CREATE_COMPLETE"


@pytest.mark.parametrize("hook", ["post-create", "post-update", "post-delete"])
def test_what_waits_after_its_work_waits_on_when_another_engine_takes_over(
    bench: Workbench, hook: str
) -> None:
    environment = hooked(hook)
    first, then = ({"a": probe(value), "b": probe(value, depends_on="a")} for value in ("1", "2"))
    stack = bench.create(template(first), environment=environment)
    if hook != "post-create":
        bench.wait(stack)
    if hook == "post-update":
        bench.update(stack, template(then), environment=environment)
    if hook == "post-delete":
        bench.delete(stack)
    paused(bench, stack, "a", hook)
    work = list(Probe.journal)

    bench.restart()
    time.sleep(0.3)

    assert Probe.journal == work
    assert bench.stack(stack.id).status == "IN_PROGRESS"
    cleared(bench, stack, "a", hook)
    assert bench.wait(stack).status == "COMPLETE"


class Listening(Probe, extends=True):
    """Notes the signals that it gets."""

    type_name = "Test::Listening"
    heard: ClassVar[list[int]] = []

    @classmethod
    def signal(cls, ctx: Any, details: Any) -> str:
        cls.heard.append(details["number"])
        return "heard"


def test_signals_are_handled_in_order_despite_clock_changes(database_url: str) -> None:
    Listening.heard = []
    bench = Workbench(database_url, [Listening])
    stack = bench.create(template({"a": {"type": "Test::Listening"}}))
    bench.wait(stack)
    bench.stop()
    clock = iter([300.0, 100.0, 200.0, 50.0])
    bench.commands.intents.clock = lambda: next(clock)

    for number in range(4):
        bench.commands.resources.signal(CALLER, stack, bench.resources(stack)["a"], {"number": number})
    bench.start()

    bench.until(lambda: len(Listening.heard) == 4)
    assert Listening.heard == [0, 1, 2, 3]
    bench.close()
