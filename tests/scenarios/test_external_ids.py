"""The external_id of a resource cannot be changed."""

from __future__ import annotations

from typing import Any

import pytest

from calor.service.commands import StackChange
from tests.support.workbench import CALLER, Probe, Workbench, template

OWN = {"type": "Test::Probe"}


def external(id: str) -> dict[str, Any]:
    return {"type": "Test::Probe", "external_id": id}


def planned(bench: Workbench, stack: Any, resource: dict[str, Any]) -> tuple[str, str]:
    change = StackChange({"template": template({"a": resource})})
    [step] = bench.commands.previews.update(CALLER, bench.stack(stack.id), change, False)["plan"]
    return step["action"], step["reason"]


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        (external("x"), external("y"), "the stack does not manage it"),
        (external("x"), OWN, "the stack does not manage it"),
        (OWN, external("x"), "nothing changes"),
    ],
    ids=["another", "none", "one"],
)
def test_after_a_refused_change_plan_and_run_agree(
    bench: Workbench, before: dict[str, Any], after: dict[str, Any], kept: str
) -> None:
    stack = bench.wait(bench.create(template({"a": before})))
    row = bench.resources(stack)["a"]
    refused = "Update to property external_id of a resource is not supported"

    for _ in range(2):
        assert planned(bench, stack, after) == ("forbidden", refused)
        bench.update(stack, template({"a": after}))
        assert refused in bench.wait(stack).reason
        assert bench.events(stack)[-2] == ("a", "UPDATE_FAILED")

    assert planned(bench, stack, before) == ("keep", kept)
    bench.update(stack, template({"a": before}))
    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    now = bench.resources(stack)["a"]
    assert (now.id, now.physical_id, now.state) == (row.id, row.physical_id, row.state)
    assert [action for action, _, _ in Probe.journal] == (["create"] if before is OWN else [])
