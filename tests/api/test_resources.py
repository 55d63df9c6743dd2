"""The resources of stacks."""

from __future__ import annotations

from typing import Any

import pytest

from calor.store import tables
from tests.support.api import OTHER, PROJECT, SMALL, Door, error


def base(path: str) -> str:
    return f"http://heat.test:8004/v1/{PROJECT}{path}"


class TestLists:
    def test_an_item(self, live: Door) -> None:
        path = live.create()
        live.settled(path)

        first = live.get(f"{path}/resources", name="first")["resources"][0]

        assert first.pop("creation_time").endswith("Z")
        assert first.pop("updated_time").endswith("Z")
        assert isinstance(first.pop("physical_resource_id"), str)
        assert first == {
            "resource_name": "first",
            "logical_resource_id": "first",
            "resource_type": "OS::Heat::TestResource",
            "resource_status": "CREATE_COMPLETE",
            "resource_status_reason": "state changed",
            "required_by": ["second"],
            "links": [
                {"href": base(f"{path}/resources/first"), "rel": "self"},
                {"href": base(path), "rel": "stack"},
            ],
        }

    def test_resources_that_wait_are_shown_as_such(self, door: Door) -> None:
        path = door.create()
        id = path.rpartition("/")[2]
        door.stage.add_resource(id, "first", status="IN_PROGRESS")

        first, second = door.get(f"{path}/resources")["resources"]

        assert (first["resource_status"], first["required_by"]) == ("CREATE_IN_PROGRESS", ["second"])
        assert (second["resource_status"], second["resource_status_reason"]) == ("INIT_COMPLETE", "")
        assert second["physical_resource_id"] == ""

    def test_one_that_is_being_replaced_is_shown_once(self, door: Door) -> None:
        stack = door.stage.add_stack("a")
        new = door.stage.add_resource(stack, "r", status="IN_PROGRESS", physical_id="new", created_at=2.0)
        door.stage.add_resource(stack, "r", replaced_by=new, physical_id="old", created_at=1.0)

        (shown,) = door.get(f"/stacks/a/{stack}/resources")["resources"]

        assert shown["physical_resource_id"] == "new"

    def test_details(self, live: Door) -> None:
        path = live.create()
        live.settled(path)

        shown = live.get(f"{path}/resources", with_detail="True")["resources"]

        assert {one["resource_name"]: one["description"] for one in shown} == {
            "first": "",
            "second": "Comes later",
        }
        assert all("attributes" in one for one in shown)


class TestNesting:
    @pytest.fixture
    def root(self, door: Door) -> str:
        """A tree: root/r is child, child/x is grandchild."""
        add, resource = door.stage.add_stack, door.stage.add_resource
        root = add("root")
        child = add("child", root=root, parent=root, parent_resource="r", depth=1)
        grandchild = add("grandchild", root=root, parent=child, parent_resource="x", depth=2)
        resource(root, "r", physical_id=child)
        resource(child, "x", physical_id=grandchild)
        resource(grandchild, "leaf")
        for stack in (root, child, grandchild):
            door.stage.add_event(stack, "e", root=root)
        return f"/stacks/root/{root}"

    @pytest.mark.parametrize(
        ("depth", "names"),
        [("0", ["r"]), ("1", ["r", "x"]), ("2", ["r", "x", "leaf"]), ("99", ["r", "x", "leaf"])],
    )
    def test_down_to_a_depth(self, door: Door, root: str, depth: str, names: list[str]) -> None:
        shown = door.get(f"{root}/resources", nested_depth=depth)["resources"]

        assert [one["resource_name"] for one in shown] == names

    def test_links_and_parents(self, door: Door, root: str) -> None:
        r, x, leaf = door.get(f"{root}/resources", nested_depth=2)["resources"]

        links = [{link["rel"]: link["href"] for link in one["links"]} for one in (r, x, leaf)]
        assert links[0]["nested"] == links[1]["stack"]
        assert links[1]["nested"] == links[2]["stack"]
        assert "nested" not in links[2]
        assert [one.get("parent_resource") for one in (r, x, leaf)] == [None, "r", "x"]

    def test_events_down_to_a_depth(self, door: Door, root: str) -> None:
        assert len(door.get(f"{root}/events")["events"]) == 1
        shown = door.get(f"{root}/events", nested_depth=1)["events"]
        assert len(shown) == 2
        links = {link["rel"]: link["href"] for link in shown[0]["links"]}
        assert links["root_stack"] == base(root)
        assert links["stack"] != base(root)


class TestFilters:
    @pytest.mark.parametrize(
        ("query", "names"),
        [
            ({"type": "Test"}, ["a", "b"]),
            ({"type": ["Value", "None"]}, ["c"]),
            ({"status": "FAILED"}, ["b"]),
            ({"status": "CREATE_FAILED"}, ["b"]),
            ({"status": ["FAILED", "COMPLETE"], "action": "CREATE"}, ["a", "b"]),
            ({"name": ["a", "c"]}, ["a", "c"]),
            ({"action": "UPDATE"}, ["c"]),
            ({"physical_resource_id": "physical-b"}, ["b"]),
            ({"id": "nothing"}, []),
        ],
    )
    def test_what_is_wanted(self, door: Door, query: dict[str, Any], names: list[str]) -> None:
        stack = door.stage.add_stack("s")
        add = door.stage.add_resource
        add(stack, "a", created_at=1.0)
        add(stack, "b", created_at=2.0, status="FAILED")
        add(stack, "c", created_at=3.0, type="OS::Heat::Value", action="UPDATE")

        shown = door.get(f"/stacks/s/{stack}/resources", **query)["resources"]

        assert [one["resource_name"] for one in shown] == names

    @pytest.mark.parametrize(
        "query", [{"colour": "blue"}, {"nested_depth": "deep"}, {"nested_depth": "-1"}, {"with_detail": "1"}]
    )
    def test_what_means_nothing(self, door: Door, query: dict[str, str]) -> None:
        stack = door.stage.add_stack("s")

        error(door("GET", f"/stacks/s/{stack}/resources", params=query), 400)


class TestSingleOnes:
    def test_one_with_its_attributes(self, door: Door) -> None:
        stack = door.stage.add_stack("s")
        door.stage.add_resource(stack, "a", attributes={"output": "x"})

        shown = door.get(f"/stacks/s/{stack}/resources/a", with_attr=["output", "other"])["resource"]

        assert shown["resource_name"] == "a"
        assert shown["attributes"]["output"] == "x"
        assert shown["attributes"]["other"] is None

    def test_metadata(self, live: Door) -> None:
        path = live.create()
        live.settled(path)

        assert live.get(f"{path}/resources/second/metadata") == {"metadata": {"role": "second"}}
        assert live.get(f"{path}/resources/first/metadata") == {"metadata": {}}

    @pytest.mark.parametrize("part", ["", "/metadata", "/events"])
    def test_unknown_ones(self, door: Door, part: str) -> None:
        path = door.create()

        error(door("GET", f"{path}/resources/nobody{part}"), 404)

    def test_metadata_of_one_that_does_not_exist_yet(self, door: Door) -> None:
        found = error(door("GET", f"{door.create()}/resources/first/metadata"), 404)

        assert found["type"] == "ResourceNotAvailable"

    def test_those_of_another_project(self, door: Door) -> None:
        stack = door.stage.add_stack("s", project=OTHER)
        door.stage.add_resource(stack, "a")

        for part in ("", "/a", "/a/metadata", "/a/events"):
            error(door("GET", f"/stacks/s/{stack}/resources{part}"), 404)


class TestMarking:
    @pytest.fixture
    def path(self, door: Door) -> str:
        stack = door.stage.add_stack("s")
        door.stage.add_resource(stack, "a")
        return f"/stacks/s/{stack}/resources/a"

    def status(self, door: Door, path: str) -> tuple[str, str]:
        shown = door.get(path)["resource"]
        return shown["resource_status"], shown["resource_status_reason"]

    def test_unhealthy_and_back(self, door: Door, path: str) -> None:
        answer = door("PATCH", path, {"mark_unhealthy": True, "resource_status_reason": "broken"})

        assert (answer.status_code, answer.json()) == (200, None)
        assert self.status(door, path) == ("CHECK_FAILED", "broken")
        assert door("PATCH", path, {"mark_unhealthy": False}).status_code == 200
        assert self.status(door, path)[0] == "CHECK_COMPLETE"

    def test_by_the_physical_id(self, door: Door, path: str) -> None:
        answer = door("PATCH", path.removesuffix("/a") + "/physical-a", {"mark_unhealthy": True})

        assert answer.status_code == 200
        assert self.status(door, path)[0] == "CHECK_FAILED"

    @pytest.mark.parametrize(
        "body",
        [
            None,
            {},
            {"mark_unhealthy": "perhaps"},
            {"mark_unhealthy": 1},
            {"mark_unhealthy": True, "colour": "blue"},
            {"mark_unhealthy": True, "resource_status_reason": 5},
        ],
    )
    def test_wrong_bodies(self, door: Door, path: str, body: Any) -> None:
        error(door("PATCH", path, body), 400)


class TestSignals:
    @pytest.mark.parametrize("body", [None, {}, {"any": ["thing"]}])
    def test_anything_is_taken(self, door: Door, body: Any) -> None:
        stack = door.stage.add_stack("s")
        door.stage.add_resource(stack, "a", type="OS::Heat::WaitConditionHandle")

        answer = door("POST", f"/stacks/s/{stack}/resources/a/signal", body)

        assert (answer.status_code, answer.json()) == (200, None)

    @pytest.mark.parametrize("action", ["SUSPEND", "DELETE"])
    def test_not_while_it_is_suspended_or_deleted(self, door: Door, action: str) -> None:
        stack = door.stage.add_stack("s")
        door.stage.add_resource(stack, "a", action=action, status="IN_PROGRESS")

        found = error(door("POST", f"/stacks/s/{stack}/resources/a/signal", {}), 400)

        assert found["type"] == "NotSupported"
        [event] = door.get(f"/stacks/s/{stack}/resources/a/events")["events"]
        assert event["resource_status"] == f"{action}_IN_PROGRESS"
        assert event["resource_status_reason"] == f"Cannot signal resource during {action}"

    def test_an_unknown_resource(self, door: Door) -> None:
        error(door("POST", f"{door.create()}/resources/nobody/signal", {}), 404)


def test_a_template_that_is_gone_hides_nothing(door: Door) -> None:
    """What a stack has can be listed whatever became of its definition."""
    path = door.create(template=SMALL)
    stack = path.rpartition("/")[2]
    door.stage.add_resource(stack, "a")
    door.stage.change(tables.stack, stack, status="COMPLETE")

    assert len(door.get(f"{path}/resources")["resources"]) == 1
