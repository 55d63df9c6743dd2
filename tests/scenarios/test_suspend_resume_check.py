"""Suspending, resuming and checking resources, also those that were never created."""

from __future__ import annotations

import pytest

from calor.service.queries.definitions import Definitions
from calor.service.queries.resources import Resources
from calor.store import records
from calor.store.database import reading
from tests.support.workbench import CALLER, Workbench, probe, template

BROKEN = {"a": probe(), "b": probe(fails="create", depends_on="a"), "c": probe(depends_on="b")}


def acted(bench: Workbench, stack: records.Stack, *verbs: str) -> records.Stack:
    for verb in verbs:
        bench.commands.stacks.act(CALLER, bench.stack(stack.id), verb)
        bench.wait(stack)
    return bench.stack(stack.id)


def listed(bench: Workbench, stack: records.Stack) -> dict[str, str]:
    """The states of a stack's resources, as lists show them."""
    source = reading(bench.database)
    resources = Resources(source, Definitions(source, bench.world), bench.world)
    shown = resources.of(bench.stack(stack.id))
    return {one.line.name: f"{one.line.action}_{one.line.status}" for one in shown}


def test_what_was_never_created_is_not_suspended(bench: Workbench) -> None:
    stack = bench.create(template(BROKEN))
    bench.wait(stack)

    suspended = acted(bench, stack, "suspend")

    assert suspended.state == "SUSPEND_FAILED"
    assert suspended.reason == (
        "Resource SUSPEND failed: Error: resources.b: State CREATE_FAILED is invalid for suspend"
    )
    assert bench.resources(stack)["b"].state == "CREATE_FAILED"
    assert ("b", "SUSPEND_IN_PROGRESS") not in bench.events(stack)


def test_nor_resumed_and_the_next_update_makes_it(bench: Workbench) -> None:
    stack = bench.create(template(BROKEN))
    bench.wait(stack)

    assert acted(bench, stack, "suspend", "resume").state == "RESUME_FAILED"
    bench.update(stack, template({**BROKEN, "b": probe(depends_on="a")}))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    rows = bench.resources(stack)
    assert (rows["b"].state, rows["c"].state) == ("CREATE_COMPLETE", "CREATE_COMPLETE")


def test_a_resource_whose_update_failed_is_not_suspended(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    bench.update(stack, template({"a": probe("2", fails="update")}))
    bench.wait(stack)

    assert acted(bench, stack, "suspend").state == "SUSPEND_FAILED"
    assert bench.resources(stack)["a"].state == "UPDATE_FAILED"


def test_only_what_is_suspended_is_resumed(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe()}))
    bench.wait(stack)

    assert acted(bench, stack, "resume").state == "RESUME_FAILED"
    assert bench.resources(stack)["a"].state == "CREATE_COMPLETE"
    assert acted(bench, stack, "suspend", "resume").state == "RESUME_COMPLETE"


def test_a_check_of_what_was_never_created_fails_also_if_its_type_has_none(bench: Workbench) -> None:
    lacking = {"type": "OS::Heat::Value", "properties": {"value": {"get_attr": ["a", "value", "x"]}}}
    strict = {"type": "OS::Heat::RandomString", "properties": {"length": {"get_attr": ["a", "value"]}}}
    stack = bench.create(template({"a": probe("none"), "b": strict, "v": lacking}))
    bench.wait(stack)
    assert bench.resources(stack)["b"].state == "CREATE_FAILED"

    assert acted(bench, stack, "check", "check").state == "CHECK_FAILED"
    assert bench.resources(stack)["b"].state == "CHECK_FAILED"


@pytest.mark.parametrize("verbs", [["check"], ["suspend"], ["suspend", "resume"]])
def test_what_was_never_begun_stays_in_lists(bench: Workbench, verbs: list[str]) -> None:
    stack = bench.create(template(BROKEN))
    bench.wait(stack)
    assert listed(bench, stack)["c"] == "INIT_COMPLETE"

    acted(bench, stack, *verbs)

    assert listed(bench, stack)["c"] == "INIT_COMPLETE"


def test_what_a_failed_update_did_not_reach_stays_in_lists(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe()}))
    bench.wait(stack)
    bench.update(stack, template({"a": probe("2", fails="update"), "n": probe(depends_on="a")}))
    bench.wait(stack)

    acted(bench, stack, "check")

    assert listed(bench, stack) == {"a": "CHECK_COMPLETE", "n": "INIT_COMPLETE"}


def test_what_was_rolled_back_is_not_listed(bench: Workbench) -> None:
    stack = bench.create(template(BROKEN), disable_rollback=False)
    assert bench.wait(stack).state == "ROLLBACK_COMPLETE"

    acted(bench, stack, "check")

    assert listed(bench, stack) == {}


def test_a_snapshot_leaves_out_what_was_never_created(bench: Workbench) -> None:
    stack = bench.create(template(BROKEN))
    bench.wait(stack)

    bench.commands.snapshots.create(CALLER, bench.stack(stack.id), None)

    assert bench.wait(stack).state == "SNAPSHOT_COMPLETE"
    assert listed(bench, stack) == {"a": "SNAPSHOT_COMPLETE", "b": "CREATE_FAILED", "c": "INIT_COMPLETE"}
