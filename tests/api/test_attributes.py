"""Attributes in the show of a resource, and in lists with detail."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.api import Door

MEMBER = {"type": "OS::Heat::TestResource", "properties": {"value": "m%index%"}}
TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "group": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 2, "resource_def": MEMBER},
        },
        "inner": {"type": "inner.yaml"},
        "value": {
            "type": "OS::Heat::Value",
            "properties": {"value": {"k": [1]}},
            "description": "Two",
            "depends_on": "group",
        },
    },
    "outputs": {"used": {"value": {"get_attr": ["group", "output", 1]}}},
}
INNER = {
    "heat_template_version": "2021-04-16",
    "resources": {"deep": {"type": "OS::Heat::TestResource", "properties": {"value": "d"}}},
    "outputs": {"o": {"value": {"get_attr": ["deep", "output"]}}},
}


@pytest.fixture
def path(live: Door) -> str:
    path = live.create(template=TEMPLATE, files={"inner.yaml": json.dumps(INNER)})
    assert live.settled(path)["stack_status"] == "CREATE_COMPLETE"
    return path


def attributes(door: Door, path: str, name: str, *wanted: str) -> dict[str, Any]:
    query = [("with_attr", one) for one in wanted]
    answer = door("GET", f"{path}/resources/{name}", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["resource"]["attributes"]
    return found


class TestShow:
    def test_all_that_the_type_declares(self, live: Door, path: str) -> None:
        assert attributes(live, path, "value") == {"value": {"k": [1]}}

    def test_of_a_group_none_but_its_own(self, live: Door, path: str) -> None:
        """What the template reads of it is stored, too, and none of the client's business."""
        found = attributes(live, path, "group")

        assert set(found) == {"refs", "refs_map", "attributes", "removed_rsrc_list"}
        assert len(found["refs"]) == 2
        assert found["refs_map"] == dict(zip("01", found["refs"], strict=True))

    def test_what_is_asked_for_besides(self, live: Door, path: str) -> None:
        found = attributes(live, path, "group", "resource.1", "resource.1.output", "output", "resource.7")

        assert found["resource.1"] == found["refs"][1]
        assert found["resource.1.output"] == "m1"
        assert found["output"] == ["m0", "m1"]
        assert found["resource.7"] is None

    def test_of_a_template_its_outputs(self, live: Door, path: str) -> None:
        found = attributes(live, path, "inner", "resource.deep.output")

        assert found == {"o": "d", "resource.deep.output": "d"}

    def test_what_nobody_knows_is_null(self, live: Door, path: str) -> None:
        assert attributes(live, path, "value", "nothing", "")["nothing"] is None

    def test_the_map_of_a_cloud_comes_first(self, door: Door) -> None:
        stack = door.stage.add_stack("s")
        stored = {"show": {"id": "x", "status": "ACTIVE"}, "first_address": "10.0.0.2"}
        door.stage.add_resource(stack, "a", type="OS::Nova::Server", attributes=stored)

        found = attributes(door, f"/stacks/s/{stack}", "a", "first_address")

        assert found == {"id": "x", "status": "ACTIVE", "first_address": "10.0.0.2"}

    def test_the_rest_of_a_resource(self, live: Door, path: str) -> None:
        shown = live.get(f"{path}/resources/value")["resource"]
        group = live.get(f"{path}/resources/group")["resource"]

        assert shown["description"] == "Two"
        assert group["required_by"] == ["value"]
        assert [link["rel"] for link in group["links"]] == ["self", "stack", "nested"]


class TestLists:
    def test_detail_has_the_same_attributes(self, live: Door, path: str) -> None:
        listed = live.get(f"{path}/resources", nested_depth=1, with_detail="true")["resources"]

        assert len(listed) == 6
        for one in listed:
            if "parent_resource" not in one:
                assert one["attributes"] == attributes(live, path, one["resource_name"])
        assert {one["attributes"]["output"] for one in listed if "parent_resource" in one} == {
            "m0",
            "m1",
            "d",
        }
        assert {one.get("parent_resource") for one in listed} == {None, "group", "inner"}

    def test_without_it_there_are_none(self, live: Door, path: str) -> None:
        assert not any("attributes" in one for one in live.get(f"{path}/resources")["resources"])
