"""Cancelled and timed-out actions."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select

from calor.service.errors import ActionInProgress, NotSupported, ServiceError
from calor.store import database, records, tables
from tests.support.workbench import CALLER, Probe, Workbench, probe, template


def making(bench: Workbench) -> records.Stack:
    """A stack whose one resource takes its time."""
    stack = bench.create(template({"a": probe("1", seconds=20), "b": probe("2", depends_on="a")}))
    bench.until(lambda: "a" in bench.resources(stack) and bench.resources(stack)["a"].action == "CREATE")
    return stack


def cancel(bench: Workbench, stack: records.Stack) -> None:
    bench.commands.stacks.act(CALLER, bench.stack(stack.id), "cancel_without_rollback")


def held(bench: Workbench, **more: Any) -> records.Stack:
    """A stack whose first resource is being made until somebody lets go of it."""
    Probe.held = True
    stack = bench.create(template({"a": probe("1"), "b": probe("2", depends_on="a")}), **more)
    bench.until(lambda: "a" in bench.resources(stack) and bench.resources(stack)["a"].action == "CREATE")
    return stack


def test_what_is_under_way_when_a_creation_is_cancelled_is_finished_and_nothing_more_is_started(
    bench: Workbench,
) -> None:
    stack = held(bench)
    cancel(bench, stack)

    ended = bench.wait(stack)
    assert (ended.state, ended.reason) == ("CREATE_FAILED", "Stack CREATE cancelled")
    assert bench.resources(stack)["a"].state == "CREATE_IN_PROGRESS"
    bench.until(lambda: _is_cancelled(bench, stack))

    Probe.held = False
    bench.until(lambda: bench.resources(stack)["a"].state == "CREATE_COMPLETE")
    bench.until(lambda: not leases(bench))
    assert "b" not in bench.resources(stack)
    assert Probe.journal == [("create", "a", "1")]
    assert bench.stack(stack.id).state == "CREATE_FAILED"


def test_a_cancelled_creation_leaves_nothing_in_progress_when_its_engine_ends(bench: Workbench) -> None:
    stack = held(bench)
    cancel(bench, stack)
    bench.until(lambda: bench.keeper is not None and _is_cancelled(bench, stack))

    bench.crash()
    bench.start()

    bench.until(lambda: bench.resources(stack)["a"].state == "CREATE_FAILED")
    Probe.held = False


def test_an_update_takes_over_from_a_cancelled_creation(bench: Workbench) -> None:
    stack = held(bench)
    cancel(bench, stack)
    bench.until(lambda: _is_cancelled(bench, stack))

    bench.update(stack, template({"a": probe("1"), "c": probe("3")}))
    Probe.held = False

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert set(bench.resources(stack)) == {"a", "c"}


def test_a_stack_within_another_is_cancelled_alone_and_fails_the_resource_above_it(bench: Workbench) -> None:
    Probe.held = True
    below = template({"a": probe("1"), "b": probe("2", depends_on="a")})
    resources = {"n": {"type": "below.yaml"}, "beside": probe("3"), "after": probe("4", depends_on="n")}
    stack = bench.create(template(resources), files={"below.yaml": json.dumps(below)})
    bench.until(lambda: bool(bench.nested(stack)) and "a" in bench.resources(bench.nested(stack)[0]))
    [nested] = bench.nested(stack)

    cancel(bench, nested)
    bench.until(lambda: _is_cancelled(bench, stack, nested))
    Probe.held = False

    ended = bench.wait(stack)
    assert ended.state == "CREATE_FAILED"
    assert ended.reason == "Resource CREATE failed: resources.n: Stack CREATE cancelled"
    assert bench.stack(nested.id).reason == "Stack CREATE cancelled"
    assert bench.resources(nested)["a"].state == "CREATE_COMPLETE"
    assert "b" not in bench.resources(nested)
    rows = bench.resources(stack)
    assert rows["n"].reason == "resources.n: Stack CREATE cancelled"
    assert rows["beside"].state == "CREATE_COMPLETE"
    assert "after" not in rows


def test_cancelling_after_a_deletion_is_refused_and_the_stack_is_deleted(bench: Workbench) -> None:
    stack = held(bench)
    seen = bench.stack(stack.id)
    bench.delete(stack)
    Probe.held = False

    with pytest.raises(ServiceError) as refused:
        bench.commands.stacks.act(CALLER, seen, "cancel_without_rollback")

    assert "DELETE_" in str(refused.value) or refused.value.kind == "EntityNotFound"
    assert bench.wait(stack).state == "DELETE_COMPLETE"


def test_cancelling_races_deleting_and_the_stack_goes(bench: Workbench) -> None:
    for number in range(10):
        stack = held(bench, name=f"s{number}")
        seen = bench.stack(stack.id)
        Probe.held = False
        with ThreadPoolExecutor(2) as both:
            deleted = both.submit(bench.commands.stacks.delete, CALLER, seen)
            cancelled = both.submit(bench.commands.stacks.act, CALLER, seen, "cancel_without_rollback")
        deleted.result()
        assert cancelled.exception() is None or isinstance(cancelled.exception(), ServiceError)
        assert bench.wait(stack).state == "DELETE_COMPLETE"


@pytest.mark.parametrize("verb", ["cancel_update", "cancel_without_rollback"])
def test_an_update_that_has_ended_is_not_cancelled(bench: Workbench, verb: str) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    Probe.held = False
    seen = bench.update(stack, template({"a": probe("2")}))
    bench.wait(stack)

    with pytest.raises(NotSupported, match="Cancelling update when stack is UPDATE_COMPLETE"):
        bench.commands.stacks.act(CALLER, seen, verb)

    assert bench.stack(stack.id).state == "UPDATE_COMPLETE"


def test_an_action_is_refused_when_another_one_has_begun_meanwhile(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}))
    seen = bench.wait(stack)
    bench.update(stack, template({"a": probe("2", seconds=0.2)}))

    with pytest.raises(ActionInProgress):
        bench.commands.stacks.act(CALLER, seen, "suspend")

    assert bench.wait(stack).state == "UPDATE_COMPLETE"


def leases(bench: Workbench) -> list[Any]:
    with database.reading(bench.database).connect() as connection:
        return list(connection.execute(select(tables.lease)))


def _is_cancelled(bench: Workbench, root: records.Stack, stack: records.Stack | None = None) -> bool:
    """Whether the engine knows that it is to start nothing more."""
    assert bench.keeper is not None
    running = bench.keeper._runs.get(root.id)
    return running is not None and running[0].run.control.is_cancelled((stack or root).id)


def test_an_update_takes_over_from_a_creation_under_way(bench: Workbench) -> None:
    stack = making(bench)
    bench.update(stack, template({"a": probe("1"), "c": probe("3")}))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert set(bench.resources(stack)) == {"a", "c"}
    assert [entry for entry in Probe.journal if entry[1] == "a"] == [("create", "a", "1")]


def test_a_deletion_takes_over_from_a_creation_under_way(bench: Workbench) -> None:
    stack = making(bench)
    bench.delete(stack)

    assert bench.wait(stack).state == "DELETE_COMPLETE"
    assert bench.resources(stack) == {}


def test_a_stopping_engine_leaves_its_steps_to_the_next_one(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1", seconds=0.5)}))
    bench.until(lambda: "a" in bench.resources(stack))
    bench.restart()

    assert bench.wait(stack).state == "CREATE_COMPLETE"
    assert Probe.journal == [("create", "a", "1")]


def test_a_cancelled_update_leads_back(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    bench.update(stack, template({"a": probe("2", seconds=20)}))
    bench.until(lambda: bench.resources(stack)["a"].state == "UPDATE_IN_PROGRESS")
    bench.commands.stacks.act(CALLER, bench.stack(stack.id), "cancel_update")

    assert bench.wait(stack).state == "ROLLBACK_COMPLETE"
    properties = bench.resources(stack)["a"].properties
    assert properties is not None
    assert properties["value"] == "1"
