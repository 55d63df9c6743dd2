"""Resources whose type the environment calls by another name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from workbench import Probe, Workbench

from calor.language.schema import ResourceType
from calor.service.queries.meanings import Meanings
from calor.service.queries.resources import Resources
from calor.store.database import reading


class Departed(ResourceType):
    """A type that is no longer installed when its resource is to be deleted."""

    type_name = "Test::Departed"

    @classmethod
    def create(cls, ctx: Any, props: dict[str, Any]) -> None:
        ctx.made("object-1")


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


def test_an_alias_that_comes_to_mean_another_type_deletes_by_the_type_it_meant(bench: Workbench) -> None:
    stack = bench.wait(bench.create(aliased(value="1"), environment=ALIAS))
    other = {"resource_registry": {"Mine::Probe": "OS::Heat::Value"}}
    updated = bench.wait(bench.update(stack, aliased(value="1"), environment=other))
    assert (updated.status, updated.reason) == ("COMPLETE", "Stack UPDATE completed successfully")
    assert Probe.journal == [("create", "a", "1"), ("delete", "a", "1")]


def test_what_no_installed_type_can_delete_stays_in_its_stack(bench: Workbench) -> None:
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
    assert "there is no resource type Test::Departed" in row.reason


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
    shown = Resources(source, Meanings(source, bench.world), bench.world).show(stack, "a")
    assert shown.line.attributes == {"value": "1"}
