"""Groups of identical resources."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.workbench import Probe, Workbench, probe, template


def group(count: int, value: str = "m-%index%", **more: Any) -> dict[str, Any]:
    return template(
        {
            "g": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {"count": count, "resource_def": probe(value), **more},
            }
        },
        outputs={
            "refs": {"value": {"get_attr": ["g", "refs"]}},
            "values": {"value": {"get_attr": ["g", "value"]}},
            "first": {"value": {"get_attr": ["g", "resource.0.value"]}},
        },
    )


def test_a_group_has_as_many_members_as_it_counts(bench: Workbench) -> None:
    stack = bench.create(group(3))

    ended = bench.wait(stack)

    assert ended.state == "CREATE_COMPLETE", ended.reason
    assert ended.outputs is not None
    assert ended.outputs["values"]["value"] == ["m-0", "m-1", "m-2"]
    assert ended.outputs["first"]["value"] == "m-0"
    [child] = bench.nested(stack)
    assert sorted(bench.resources(child)) == ["0", "1", "2"]


def test_a_group_grows_and_shrinks_at_its_end(bench: Workbench) -> None:
    stack = bench.create(group(2))
    bench.wait(stack)
    Probe.journal.clear()

    bench.update(stack, group(3))
    bench.wait(stack)
    bench.update(stack, group(1))
    ended = bench.wait(stack)

    assert ended.state == "UPDATE_COMPLETE", ended.reason
    assert [(action, name) for action, name, _ in Probe.journal if action == "create"] == [("create", "2")]
    assert sorted(name for action, name, _ in Probe.journal if action == "delete") == ["1", "2"]


def test_removed_members_are_replaced_by_new_ones_with_new_numbers(bench: Workbench) -> None:
    stack = bench.create(group(3))
    bench.wait(stack)

    bench.update(stack, group(3, removal_policies=[{"resource_list": ["1"]}]))
    ended = bench.wait(stack)

    assert ended.state == "UPDATE_COMPLETE", ended.reason
    [child] = bench.nested(stack)
    assert sorted(bench.resources(child)) == ["0", "2", "3"]


def test_an_update_that_changes_nothing_leaves_a_group_alone(bench: Workbench) -> None:
    stack = bench.create(group(2))
    bench.wait(stack)
    Probe.journal.clear()

    bench.update(stack, group(2))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert Probe.journal == []


def test_a_scaling_group_starts_with_what_it_desires(bench: Workbench) -> None:
    stack = bench.create(
        template(
            {
                "g": {
                    "type": "OS::Heat::AutoScalingGroup",
                    "properties": {
                        "min_size": 1,
                        "max_size": 5,
                        "desired_capacity": 3,
                        "resource": probe("x"),
                    },
                }
            },
            outputs={"size": {"value": {"get_attr": ["g", "current_size"]}}},
        )
    )

    ended = bench.wait(stack)

    assert ended.state == "CREATE_COMPLETE", ended.reason
    assert ended.outputs == {"size": {"value": 3}}


def test_the_reason_of_a_failed_member_names_it_by_number(bench: Workbench) -> None:
    failing = template(
        {
            "g": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {"count": 1, "resource_def": probe(fails="create")},
            }
        }
    )
    stack = bench.create(failing)

    ended = bench.wait(stack)

    assert ended.reason == "Resource CREATE failed: RuntimeError: resources.g.resources[0]: told to fail"


BATCHES = {"min_in_service": 1, "max_batch_size": 2}


def resource_group_of(path: str) -> dict[str, Any]:
    return {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": 5, "resource_def": {"type": path}},
        "update_policy": {"rolling_update": BATCHES},
    }


def scaling_group_of(path: str) -> dict[str, Any]:
    properties = {"min_size": 5, "max_size": 5, "resource": {"type": path}, "rolling_updates": BATCHES}
    return {"type": "OS::Heat::AutoScalingGroup", "properties": properties}


@pytest.mark.parametrize("group_of", [resource_group_of, scaling_group_of])
def test_a_rolling_update_leads_to_another_template(
    bench: Workbench, group_of: Callable[[str], dict[str, Any]]
) -> None:
    below = json.dumps(template({"r": probe("1")}))

    def of(path: str) -> dict[str, Any]:
        return template({"g": group_of(path)})

    stack = bench.create(of("one.yaml"), files={"one.yaml": below})
    bench.wait(stack)
    bench.update(stack, of("other.yaml"), files={"other.yaml": below})

    ended = bench.wait(stack)

    assert ended.state == "UPDATE_COMPLETE", ended.reason
    [group_stack] = bench.nested(stack)
    assert {row.type for row in bench.resources(group_stack).values()} == {"other.yaml"}
    assert len(bench.resources(group_stack)) == 5


def test_batches_that_failed_go_on_although_the_earlier_template_is_gone(bench: Workbench) -> None:
    fine = json.dumps(template({"r": probe("1")}))
    broken = json.dumps(template({"r": probe("2", fails="update")}))

    def of(path: str) -> dict[str, Any]:
        made = group(4)
        made["resources"]["g"]["properties"]["resource_def"] = {"type": path}
        made["resources"]["g"]["update_policy"] = {"rolling_update": {"max_batch_size": 1}}
        del made["outputs"]
        return made

    stack = bench.create(of("one.yaml"), files={"one.yaml": fine})
    bench.wait(stack)
    bench.update(stack, of("other.yaml"), files={"other.yaml": broken})
    assert bench.wait(stack).state == "UPDATE_FAILED"

    bench.update(stack, of("other.yaml"), files={"other.yaml": fine})

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
