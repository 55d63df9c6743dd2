"""Scaling groups: only the group's nested stack changes; the stacks above keep their states."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import select

from calor.engine.run.run import Run
from calor.service.commands import StackChange
from calor.store import database, records, tables
from tests.support.workbench import CALLER, Probe, Workbench, template

GROUP = {
    "type": "OS::Heat::AutoScalingGroup",
    "properties": {
        "min_size": 1,
        "max_size": 4,
        "resource": {"type": "Test::Probe", "properties": {"value": "m"}},
    },
}


def policy(amount: int = 1, **properties: Any) -> dict[str, Any]:
    return {
        "type": "OS::Heat::ScalingPolicy",
        "properties": {
            "auto_scaling_group_id": {"get_resource": "g"},
            "adjustment_type": "change_in_capacity",
            "scaling_adjustment": amount,
            **properties,
        },
    }


def scaled(**resources: Any) -> dict[str, Any]:
    outputs = {"size": {"value": {"get_attr": ["g", "current_size"]}}}
    return template({"g": GROUP, **resources}, outputs=outputs)


def signal(bench: Workbench, stack: records.Stack, name: str) -> None:
    bench.commands.resources.signal(CALLER, bench.stack(stack.id), bench.resources(stack)[name], None)


def handled(bench: Workbench) -> None:
    """Waits until the inbox is empty."""

    bench.until(lambda: waiting(bench) == 0)


def group(bench: Workbench, stack: records.Stack) -> records.Stack:
    [below] = [one for one in bench.nested(stack) if one.parent_resource == "g"]
    return below


def members(bench: Workbench, stack: records.Stack) -> set[str]:
    return set(bench.resources(group(bench, stack)))


@pytest.fixture
def stack(bench: Workbench) -> records.Stack:
    made = bench.create(scaled(up=policy(1), down=policy(-1), much=policy(10)))
    assert bench.wait(made).state == "CREATE_COMPLETE"
    return made


def test_a_signal_to_a_policy_adds_a_member(bench: Workbench, stack: records.Stack) -> None:
    before = members(bench, stack)
    signal(bench, stack, "up")
    handled(bench)
    assert before < members(bench, stack)
    assert len(members(bench, stack)) == 2


def test_parent_stacks_keep_their_states(bench: Workbench, stack: records.Stack) -> None:
    signal(bench, stack, "up")
    handled(bench)
    assert bench.stack(stack.id).state == "CREATE_COMPLETE"
    assert bench.resources(stack)["g"].state == "CREATE_COMPLETE"
    assert group(bench, stack).state == "UPDATE_COMPLETE"


def test_the_event_of_a_signal_follows_the_scaling(bench: Workbench, stack: records.Stack) -> None:
    signal(bench, stack, "up")
    handled(bench)
    assert ("up", "SIGNAL_COMPLETE") in bench.events(stack)


def test_outputs_follow_the_size(bench: Workbench, stack: records.Stack) -> None:
    signal(bench, stack, "much")
    handled(bench)
    assert bench.stack(stack.id).outputs == {"size": {"value": 4}}


def test_the_oldest_member_is_removed_first(bench: Workbench, stack: records.Stack) -> None:
    first = members(bench, stack)
    signal(bench, stack, "up")
    handled(bench)
    signal(bench, stack, "down")
    handled(bench)
    assert len(members(bench, stack)) == 1
    assert not members(bench, stack) & first


def test_at_its_limit_a_group_passes_signals_over_in_silence(bench: Workbench, stack: records.Stack) -> None:
    signal(bench, stack, "down")
    handled(bench)
    assert len(members(bench, stack)) == 1
    assert ("down", "SIGNAL_COMPLETE") not in bench.events(stack)


def test_a_group_that_cools_down_passes_signals_over(bench: Workbench) -> None:
    stack = bench.create(scaled(up=policy(1, cooldown=60)))
    bench.wait(stack)
    signal(bench, stack, "up")
    handled(bench)
    signal(bench, stack, "up")
    handled(bench)
    assert len(members(bench, stack)) == 2
    metadata = bench.resources(stack)["g"].metadata
    assert metadata is not None
    assert list(metadata["cooldown_end"].values()) == ["change_in_capacity : 1"]
    assert metadata["scaling_in_progress"] is False


def waiting(bench: Workbench) -> int:
    """How many signals are not handled yet."""
    with database.reading(bench.database).connect() as connection:
        return len(connection.execute(select(tables.inbox.c.id)).all())


def begun(bench: Workbench, stack: records.Stack) -> None:
    """Returns when the group is being scaled, and does not get on with it."""
    Probe.held = True
    signal(bench, stack, "up")
    bench.until(lambda: group(bench, stack).status == "IN_PROGRESS")


def test_a_busy_group_passes_signals_over(bench: Workbench, stack: records.Stack) -> None:
    begun(bench, stack)
    signal(bench, stack, "up")
    bench.until(lambda: waiting(bench) == 1)
    Probe.held = False
    handled(bench)
    assert len(members(bench, stack)) == 2


def test_an_update_of_the_stack_takes_precedence_over_scaling(bench: Workbench, stack: records.Stack) -> None:
    begun(bench, stack)
    bench.update(stack, scaled(up=policy(1), extra={"type": "OS::Heat::None"}))
    Probe.held = False
    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    handled(bench)
    assert group(bench, stack).status == "COMPLETE"
    assert {row.status for row in bench.resources(group(bench, stack)).values()} == {"COMPLETE"}


def test_failed_scaling_causes_an_event_and_does_not_change_the_stack(bench: Workbench) -> None:
    stack = bench.create(scaled(up=policy(1)))
    bench.wait(stack)
    Probe.broken = True
    try:
        signal(bench, stack, "up")
        handled(bench)
    finally:
        Probe.broken = False
    assert ("up", "SIGNAL_FAILED") in bench.events(stack)
    assert bench.stack(stack.id).state == "CREATE_COMPLETE"
    assert group(bench, stack).state == "UPDATE_FAILED"


def test_a_failed_member_is_removed_first(bench: Workbench) -> None:
    test_failed_scaling_causes_an_event_and_does_not_change_the_stack(bench)
    [stack] = bench.roots()
    signal(bench, stack, "up")
    handled(bench)
    rows = bench.resources(group(bench, stack))
    assert len(rows) == 2
    assert {row.status for row in rows.values()} == {"COMPLETE"}


def test_a_policy_in_a_nested_stack_scales_the_group_there(bench: Workbench) -> None:
    inner = scaled(up=policy(1))
    outer = template({"n": {"type": "inner.yaml"}}, outputs={"size": {"value": {"get_attr": ["n", "size"]}}})
    stack = bench.create(outer, files={"inner.yaml": as_text(inner)})
    assert bench.wait(stack).outputs == {"size": {"value": 1}}
    [nested] = bench.nested(stack)
    signal(bench, nested, "up")
    handled(bench)
    assert len(members(bench, nested)) == 2
    assert bench.stack(stack.id).outputs == {"size": {"value": 2}}


def as_text(document: dict[str, Any]) -> str:
    return json.dumps(document)


def test_scaling_that_takes_too_long_is_given_up(
    bench: Workbench, stack: records.Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Run, "timeout", lambda run, stack: 0.3)
    monkeypatch.setattr(Probe, "held", True)

    signal(bench, stack, "up")
    bench.until(lambda: group(bench, stack).state == "UPDATE_FAILED")
    Probe.held = False
    handled(bench)

    assert bench.stack(stack.id).state == "CREATE_COMPLETE"
    assert group(bench, stack).reason == "UPDATE aborted"
    signal(bench, stack, "up")
    handled(bench)
    assert group(bench, stack).state == "UPDATE_COMPLETE"


class TestMetadata:
    """Made from what a group is, in types that hand their metadata on."""

    BELOW = "heat_template_version: 2018-08-31\nresources: {}\n"
    SIZE = {"size": {"get_attr": ["g", "current_size"]}}

    def created(self, bench: Workbench) -> records.Stack:
        resources = {
            "up": policy(1),
            "lb": {"type": "below.yaml", "metadata": self.SIZE},
            "a": {"type": "OS::Heat::DeployedServer", "metadata": self.SIZE},
            "b": {"type": "Test::Probe", "metadata": self.SIZE},
        }
        made = bench.create(scaled(**resources), files={"below.yaml": self.BELOW})
        assert bench.wait(made).state == "CREATE_COMPLETE"
        return made

    def sizes(self, bench: Workbench, stack: records.Stack) -> dict[str, Any]:
        rows = bench.resources(stack)
        return {name: (rows[name].metadata or {}).get("size") for name in ("lb", "a", "b")}

    def test_are_renewed_after_a_signal(self, bench: Workbench) -> None:
        stack = self.created(bench)
        assert self.sizes(bench, stack) == {"lb": 1, "a": 1, "b": 1}

        signal(bench, stack, "up")
        handled(bench)

        assert self.sizes(bench, stack) == {"lb": 2, "a": 2, "b": 1}

    def test_keep_what_the_type_has_put_there(self, bench: Workbench) -> None:
        stack = self.created(bench)
        before = bench.resources(stack)["a"].metadata or {}

        signal(bench, stack, "up")
        handled(bench)

        assert bench.resources(stack)["a"].metadata == {**before, "size": 2}
        assert set(before) > {"size"}

    def test_that_were_renewed_are_not_a_change_for_the_next_update(self, bench: Workbench) -> None:
        stack = self.created(bench)
        signal(bench, stack, "up")
        handled(bench)
        definition = bench.stack(stack.id).definition

        bench.commands.stacks.update(CALLER, bench.stack(stack.id), StackChange({}, existing=True))

        assert bench.wait(stack).state == "UPDATE_COMPLETE"
        assert bench.stack(stack.id).definition == definition
        assert ("lb", "UPDATE_IN_PROGRESS") not in bench.events(stack)
