"""Abandoning, adopting, exporting and snapshots of stacks."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from calor.service.commands import NewStack
from calor.store import database, records, tables
from tests.support.workbench import CALLER, Probe, Workbench, probe, template

GROUP = {
    "type": "OS::Heat::AutoScalingGroup",
    "properties": {
        "min_size": 2,
        "max_size": 2,
        "resource": {"type": "Test::Probe", "properties": {"value": "m"}},
    },
}


def abandoned(bench: Workbench, document: dict[str, Any], **options: Any) -> dict[str, Any]:
    stack = bench.create(document, **options)
    assert bench.wait(stack).state == "CREATE_COMPLETE"
    return bench.commands.transfers.abandon(CALLER, bench.stack(stack.id))


def adopted(bench: Workbench, data: dict[str, Any], **options: Any) -> records.Stack:
    request = {"template": data["template"], "files": data["files"], "environment": {}}
    stack = bench.commands.transfers.adopt(CALLER, NewStack("t", request, **options), data)
    return bench.wait(stack)


def test_a_stack_is_adopted_with_its_nested_stacks(bench: Workbench) -> None:
    data = abandoned(bench, template({"a": probe("1"), "g": GROUP}))
    Probe.journal = []
    stack = adopted(bench, data)

    assert stack.state == "ADOPT_COMPLETE"
    assert Probe.journal == []
    assert bench.resources(stack)["a"].physical_id == data["resources"]["a"]["resource_id"]
    [below] = bench.nested(stack)
    assert {name: row.physical_id for name, row in bench.resources(below).items()} == {
        name: one["resource_id"] for name, one in data["resources"]["g"]["resources"].items()
    }


@pytest.mark.parametrize(
    "group",
    [
        GROUP,
        {"type": "OS::Heat::ResourceGroup", "properties": {"count": 2, "resource_def": probe("m")}},
        {"type": "OS::Heat::ResourceChain", "properties": {"resources": ["Test::Probe", "Test::Probe"]}},
    ],
    ids=lambda group: group["type"],
)
def test_a_group_is_adopted_by_its_members_alone(bench: Workbench, group: dict[str, Any]) -> None:
    data = abandoned(bench, template({"g": group}))
    del data["resources"]["g"]["template"]
    Probe.journal = []

    stack = adopted(bench, data)

    assert stack.state == "ADOPT_COMPLETE", stack.reason
    assert Probe.journal == []
    [below] = bench.nested(stack)
    assert {name: row.physical_id for name, row in bench.resources(below).items()} == {
        name: one["resource_id"] for name, one in data["resources"]["g"]["resources"].items()
    }


def test_a_group_with_fewer_members_than_it_shall_have_is_not_adopted(bench: Workbench) -> None:
    data = abandoned(bench, template({"g": GROUP}))
    del data["resources"]["g"]["template"]
    data["resources"]["g"]["resources"].popitem()

    stack = adopted(bench, data)

    assert stack.state == "ADOPT_FAILED"
    assert "Resource ID was not provided." in stack.reason


def test_a_template_that_was_sent_as_text_is_given_away_as_data(bench: Workbench) -> None:
    text = "heat_template_version: 2018-08-31\nresources:\n  a: {type: Test::Probe}\n"
    stack = bench.wait(bench.create(text))  # type: ignore[arg-type]

    data = bench.commands.transfers.abandon(CALLER, stack)

    assert data["template"] == template({"a": {"type": "Test::Probe"}})
    assert adopted(bench, data).state == "ADOPT_COMPLETE"


def test_an_adopted_stack_lives_on(bench: Workbench) -> None:
    stack = adopted(bench, abandoned(bench, template({"a": probe("1"), "g": GROUP})))
    Probe.journal = []
    bench.update(stack, template({"a": probe("2"), "g": GROUP}))
    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert Probe.journal == [("update", "a", "2")]
    bench.delete(stack)
    assert bench.wait(stack).state == "DELETE_COMPLETE"
    assert sorted(Probe.journal[1:]) == sorted(
        [
            ("delete", "a", "2"),
            *(("delete", name, "m") for action, name, _ in Probe.journal if name not in "a"),
        ]
    )


def test_an_adoption_that_fails_deletes_nothing(bench: Workbench) -> None:
    data = abandoned(bench, template({"a": probe("1"), "b": probe("2", depends_on="a")}))
    data["resources"]["b"]["resource_id"] = None
    Probe.journal = []
    stack = adopted(bench, data, disable_rollback=False)

    assert stack.state == "ROLLBACK_COMPLETE"
    assert bench.resources(stack) == {}
    assert Probe.journal == []


def snapshots(bench: Workbench) -> list[records.Snapshot]:
    with database.reading(bench.database).connect() as connection:
        return [records.record(records.Snapshot, row) for row in connection.execute(select(tables.snapshot))]


def test_a_snapshot_is_complete_when_its_stack_is(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    made = bench.commands.snapshots.create(CALLER, bench.stack(stack.id), "first")
    assert made.status == "IN_PROGRESS"

    assert bench.wait(stack).state == "SNAPSHOT_COMPLETE"
    [kept] = snapshots(bench)
    assert (kept.status, kept.name) == ("COMPLETE", "first")


def test_a_stack_is_restored_from_its_snapshot(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    bench.commands.snapshots.create(CALLER, bench.stack(stack.id), None)
    bench.wait(stack)
    bench.update(stack, template({"a": probe("2"), "b": probe("3")}))
    bench.wait(stack)
    bench.commands.snapshots.restore(CALLER, bench.stack(stack.id), snapshots(bench)[0])

    assert bench.wait(stack).state == "RESTORE_COMPLETE"
    assert set(bench.resources(stack)) == {"a"}
    assert ("update", "a", "1") in Probe.journal


def test_snapshots_are_deleted_with_their_stack(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    bench.commands.snapshots.create(CALLER, bench.stack(stack.id), None)
    bench.wait(stack)
    bench.delete(stack)
    bench.wait(stack)

    assert snapshots(bench) == []
