"""Impossible changes are rejected before anything is done, with the place in the template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from calor.language.schema import Property
from calor.plan.kinds import Kind
from calor.service.commands import StackChange
from calor.service.errors import ServiceError
from tests.support.workbench import CALLER, Probe, Workbench, template


class Growing(Probe, extends=True):
    """It cannot be made smaller."""

    type_name = "Test::Growing"
    properties = {**Probe.properties, "size": Property(int, update_allowed=True, default=1)}

    @classmethod
    def refusal(
        cls, before: Mapping[str, Any], after: Mapping[str, Any], changed: frozenset[str]
    ) -> str | None:
        size = after["size"]
        return "it never shrinks" if isinstance(size, int) and size < before["size"] else None


class Firm(Probe, extends=True):
    type_name = "Test::Firm"
    properties = {**Probe.properties, "port": Property(str, update_allowed=True, immutable=True)}


CHILD = """heat_template_version: 2018-08-31
parameters: {size: {type: number}}
resources:
  inner:
    type: Test::Growing
    properties:
      size: {get_param: size}
"""


@pytest.fixture
def bench(database_url: str) -> Iterator[Workbench]:
    made = Workbench(database_url, [Growing, Firm])
    yield made
    made.close()


def growing(size: Any, **more: Any) -> dict[str, Any]:
    return {"type": "Test::Growing", "properties": {"size": size}, **more}


def refused(bench: Workbench, first: dict[str, Any], second: dict[str, Any]) -> ServiceError:
    files = {"child.yaml": CHILD}
    stack = bench.wait(bench.create(template(first), files=files))
    before = (stack.updated_at, bench.events(stack))
    change = StackChange({"template": template(second), "files": files})
    with pytest.raises(ServiceError) as error:
        bench.commands.stacks.update(CALLER, stack, change)
    with pytest.raises(ServiceError) as previewed:
        bench.commands.previews.update(CALLER, stack, change, False)
    assert previewed.value.message == error.value.message
    after = bench.stack(stack.id)
    assert (after.state, (after.updated_at, bench.events(stack))) == ("CREATE_COMPLETE", before)
    return error.value


def test_a_change_that_the_type_never_makes(bench: Workbench) -> None:
    error = refused(bench, {"a": growing(2), "b": probe()}, {"a": growing(1), "b": probe("new")})

    assert error.kind == "StackValidationFailed"
    assert error.message == "resources.a.properties.size: it never shrinks"
    assert [one.code for one in error.diagnostics] == ["E420"]


def probe(value: str = "") -> dict[str, Any]:
    return {"type": "Test::Probe", "properties": {"value": value}}


def test_a_property_that_cannot_be_changed(bench: Workbench) -> None:
    firm = {"type": "Test::Firm", "properties": {"port": "one"}}
    other = {"type": "Test::Firm", "properties": {"port": "two"}}

    assert refused(bench, {"f": firm}, {"f": other}).message == (
        "resources.f.properties.port: port cannot be changed"
    )


def test_in_nested_stacks_and_groups_too(bench: Workbench) -> None:
    def tree(size: int) -> dict[str, Any]:
        return {
            "n": {"type": "child.yaml", "properties": {"size": size}},
            "g": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {"count": 1, "resource_def": growing(size)},
            },
        }

    error = refused(bench, tree(2), tree(1))

    paths = {one.path for one in error.diagnostics}
    assert paths == {
        "resources.n.resources.inner.properties.size",
        "resources.g.resources[0].properties.size",
    }


def test_all_are_reported(bench: Workbench) -> None:
    error = refused(bench, {"a": growing(2), "b": growing(3)}, {"a": growing(1), "b": growing(1)})

    assert len(error.diagnostics) == 2


def test_what_is_replaced_may_become_what_it_likes(bench: Workbench) -> None:
    stack = bench.wait(bench.create(template({"a": growing(2)})))
    smaller = {"a": {"type": "Test::Growing", "properties": {"size": 1, "fixed": "new"}}}

    bench.update(stack, template(smaller))

    assert bench.wait(stack).state == "UPDATE_COMPLETE"


def test_what_is_not_known_yet_fails_while_it_is_done(bench: Workbench) -> None:
    """The plan says that it may not be allowed."""

    def resources(value: str) -> dict[str, Any]:
        return {"p": probe(value), "a": growing({"get_attr": ["p", "value"]})}

    stack = bench.wait(bench.create(template(resources("2"))))
    _, _, plan = bench.commands.previews.plan_update(CALLER, stack, {"template": template(resources("1"))})
    assert [step.kind for step in plan.steps] == [Kind.UPDATE, Kind.UNDECIDED]

    bench.update(stack, template(resources("1")))

    ended = bench.wait(stack)
    assert ended.state == "UPDATE_FAILED"
    assert "it never shrinks" in ended.reason
