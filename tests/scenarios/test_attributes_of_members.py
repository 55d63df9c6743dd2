"""What is read of groups whose members are stacks: all of them, whichever of them an update or a signal changes."""

from __future__ import annotations

import json
from typing import Any

from calor.store import records
from tests.support.workbench import CALLER, Workbench, probe, template

MEMBER = {
    "heat_template_version": "2018-08-31",
    "parameters": {"value": {"type": "string"}},
    "resources": {"p": probe({"get_param": "value"})},
    "outputs": {"out": {"value": {"get_attr": ["p", "value"]}}},
}
FILES = {"member.yaml": json.dumps(MEMBER)}


def member(value: str) -> dict[str, Any]:
    return {"type": "member.yaml", "properties": {"value": value}}


def group(count: int, definition: dict[str, Any]) -> dict[str, Any]:
    return {"type": "OS::Heat::ResourceGroup", "properties": {"count": count, "resource_def": definition}}


def reading(of: dict[str, Any], **outputs: list[str]) -> dict[str, Any]:
    """A template with a group `g`, and outputs that read attributes of it."""
    return template(
        {"g": of}, outputs={name: {"value": {"get_attr": ["g", *path]}} for name, path in outputs.items()}
    )


def values(bench: Workbench, stack: records.Stack) -> dict[str, Any]:
    outputs = bench.stack(stack.id).outputs
    assert outputs is not None
    return {name: output["value"] for name, output in outputs.items()}


def test_a_group_that_grows_still_shows_its_older_members(bench: Workbench) -> None:
    def wanted(count: int) -> dict[str, Any]:
        return reading(group(count, member("m-%index%")), all=["out"], first=["resource.0.out"])

    stack = bench.create(wanted(2), files=FILES)
    bench.wait(stack)

    bench.update(stack, wanted(3), files=FILES)

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert values(bench, stack) == {"all": ["m-0", "m-1", "m-2"], "first": "m-0"}


def test_a_new_output_reads_members_that_did_not_change(bench: Workbench) -> None:
    members = group(2, member("m-%index%"))
    stack = bench.create(reading(members), files=FILES)
    bench.wait(stack)

    bench.update(stack, reading(members, all=["out"], deep=["resource.1.resource.p.value"]), files=FILES)

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert values(bench, stack) == {"all": ["m-0", "m-1"], "deep": "m-1"}


def test_nested_groups_show_all_members(bench: Workbench) -> None:
    def wanted(count: int) -> dict[str, Any]:
        return reading(group(count, group(2, member("m"))), all=["out"])

    stack = bench.create(wanted(1), files=FILES)
    bench.wait(stack)
    assert values(bench, stack) == {"all": [["m", "m"]]}

    bench.update(stack, wanted(2), files=FILES)

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    assert values(bench, stack) == {"all": [["m", "m"], ["m", "m"]]}


def test_a_group_that_a_signal_scales_still_shows_its_older_members(bench: Workbench) -> None:
    scaled = {
        "g": {
            "type": "OS::Heat::AutoScalingGroup",
            "properties": {"min_size": 2, "max_size": 4, "resource": member("m")},
        },
        "up": {
            "type": "OS::Heat::ScalingPolicy",
            "properties": {
                "auto_scaling_group_id": {"get_resource": "g"},
                "adjustment_type": "change_in_capacity",
                "scaling_adjustment": 1,
            },
        },
    }
    outputs = {"all": {"value": {"get_attr": ["g", "outputs_list", "out"]}}}
    stack = bench.create(template(scaled, outputs=outputs), files=FILES)
    bench.wait(stack)
    assert values(bench, stack) == {"all": ["m", "m"]}

    bench.commands.resources.signal(CALLER, bench.stack(stack.id), bench.resources(stack)["up"], None)
    bench.until(lambda: len(values(bench, stack)["all"]) == 3)

    assert values(bench, stack) == {"all": ["m", "m", "m"]}
