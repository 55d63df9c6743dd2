"""Resources whose type is an alias in the environment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from calor.resources.contract import ResourceType
from calor.service.queries.definitions import Definitions
from calor.service.queries.resources import Resources
from calor.store.database import reading
from tests.support.workbench import Probe, Workbench


class Departed(ResourceType, extends=True):
    """A type that is no longer installed when its resource is to be deleted."""

    type_name = "Test::Departed"

    @classmethod
    def create(cls, ctx: Any, props: dict[str, Any]) -> None:
        ctx.set_physical_id("object-1")


@pytest.fixture
def bench(database_url: str) -> Iterator[Workbench]:
    made = Workbench(database_url, [Departed])
    yield made
    made.close()


ALIAS = {"resource_registry": {"Mine::Probe": "Test::Probe"}}


def aliased(**properties: Any) -> dict[str, Any]:
    return {
        "heat_template_version": "2021-04-16",
        "resources": {"a": {"type": "Mine::Probe", "properties": properties}} if properties else {},
    }


def test_a_resource_of_an_aliased_type_is_deleted_with_its_stack(bench: Workbench) -> None:
    stack = bench.wait(bench.create(aliased(value="1"), environment=ALIAS))
    bench.delete(stack)
    assert bench.wait(stack).status == "COMPLETE"
    assert Probe.journal == [("create", "a", "1"), ("delete", "a", "1")]


def test_a_resource_of_an_aliased_type_is_deleted_when_a_template_drops_it(bench: Workbench) -> None:
    stack = bench.wait(bench.create(aliased(value="1"), environment=ALIAS))
    assert bench.wait(bench.update(stack, aliased())).status == "COMPLETE"
    assert Probe.journal == [("create", "a", "1"), ("delete", "a", "1")]


def test_a_changed_alias_deletes_by_the_old_type(bench: Workbench) -> None:
    stack = bench.wait(bench.create(aliased(value="1"), environment=ALIAS))
    other = {"resource_registry": {"Mine::Probe": "OS::Heat::Value"}}
    updated = bench.wait(bench.update(stack, aliased(value="1"), environment=other))
    assert (updated.status, updated.reason) == ("COMPLETE", "Stack UPDATE completed successfully")
    assert Probe.journal == [("create", "a", "1"), ("delete", "a", "1")]


def test_a_resource_of_a_missing_type_cannot_be_deleted(bench: Workbench) -> None:
    template = {
        "heat_template_version": "2021-04-16",
        "resources": {"a": {"type": "Test::Departed"}},
    }
    stack = bench.wait(bench.create(template))
    del bench.own_types["Test::Departed"]
    bench.delete(stack)
    assert bench.wait(stack).status == "FAILED"
    row = bench.resources(stack)["a"]
    assert (row.action, row.status, row.physical_id) == ("DELETE", "FAILED", "object-1")
    assert "the resource type Test::Departed does not exist" in row.reason


@pytest.mark.parametrize("changed", ["1", "2"], ids=["unchanged", "changed"])
@pytest.mark.parametrize("name", ["Mine::Other", "Test::Probe"])
def test_a_type_that_is_called_by_another_name_has_that_name_after_an_update(
    bench: Workbench, name: str, changed: str
) -> None:
    names = {"resource_registry": {"Mine::Probe": "Test::Probe", "Mine::Other": "Test::Probe"}}
    stack = bench.wait(bench.create(aliased(value="1"), environment=names))
    before = bench.resources(stack)["a"]
    renamed = aliased(value=changed)
    renamed["resources"]["a"]["type"] = name

    bench.wait(bench.update(stack, renamed, environment=names))

    after = bench.resources(stack)["a"]
    assert (before.type, after.type) == ("Mine::Probe", name)
    assert before.physical_id == after.physical_id
    bench.delete(stack)
    assert bench.wait(stack).status == "COMPLETE"
    assert Probe.journal[-1] == ("delete", "a", changed)


def test_attributes_of_a_resource_of_an_aliased_type_are_shown(bench: Workbench) -> None:
    stack = bench.wait(bench.create(aliased(value="1"), environment=ALIAS))
    source = reading(bench.database)
    shown = Resources(source, Definitions(source, bench.world), bench.world).show(stack, "a")
    assert shown.line.attributes == {"value": "1"}
