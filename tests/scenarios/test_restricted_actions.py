"""Actions that the environment restricts do not change resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from calor.resources.outcomes import NeedsReplacement
from tests.support.workbench import Probe, Workbench, probe, template


class Fickle(Probe, extends=True):
    """Finds out only while it is updated that it has to be replaced."""

    type_name = "Test::Fickle"
    may_need_replacement = True

    @classmethod
    async def update(cls, ctx: Any, props: Mapping[str, Any], changed: frozenset[str]) -> None:
        raise NeedsReplacement


def restricted(*actions: str) -> dict[str, Any]:
    return {"resource_registry": {"resources": {"a": {"restricted_actions": list(actions)}}}}


@pytest.mark.parametrize(
    ("change", "action"), [({"value": "2"}, "update"), ({"fixed": "2"}, "replace")], ids=["update", "replace"]
)
def test_a_restricted_resource_keeps_its_state(bench: Workbench, change: dict[str, str], action: str) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    changed = template({"a": probe(**{"value": "1", **change})})

    bench.update(stack, changed, environment=restricted("update", "replace"))

    ended = bench.wait(stack)
    words = f"{action} is restricted for resource."
    assert ended.reason == f"Resource UPDATE failed: ResourceActionRestricted: resources.a: {words}"
    row = bench.resources(stack)["a"]
    assert (row.state, row.reason) == ("CREATE_COMPLETE", "state changed")
    assert bench.events(stack)[-2] == ("a", "UPDATE_FAILED")
    assert bench.reasons(stack, "a")[-1] == words


def test_the_next_update_is_in_place_if_it_is_allowed(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    before = bench.resources(stack)["a"].physical_id
    bench.update(stack, template({"a": probe("2")}), environment=restricted("update", "replace"))
    assert bench.wait(stack).state == "UPDATE_FAILED"

    bench.update(stack, template({"a": probe("2")}), environment=restricted("replace"))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"
    row = bench.resources(stack)["a"]
    assert (row.state, row.physical_id) == ("UPDATE_COMPLETE", before)


def test_it_is_refused_again_as_long_as_it_is_restricted(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}))
    bench.wait(stack)
    for value in ("2", "3"):
        bench.update(stack, template({"a": probe(value)}), environment=restricted("update"))
        assert bench.wait(stack).state == "UPDATE_FAILED"

    assert bench.reasons(stack, "a")[-2:] == ["update is restricted for resource."] * 2


def test_replacements_that_only_the_update_reveals_are_restricted_as_well(bench: Workbench) -> None:
    bench.own_types[Fickle.type_name] = Fickle
    fickle = {"type": "Test::Fickle", "properties": {"value": "1"}}
    stack = bench.create(template({"a": fickle}))
    bench.wait(stack)
    before = bench.resources(stack)["a"].physical_id

    bench.update(
        stack, template({"a": {**fickle, "properties": {"value": "2"}}}), environment=restricted("replace")
    )

    assert bench.wait(stack).state == "UPDATE_FAILED"
    row = bench.resources(stack)["a"]
    assert (row.state, row.physical_id) == ("UPDATE_COMPLETE", before)
    assert bench.reasons(stack, "a")[-1] == "replace is restricted for resource."
