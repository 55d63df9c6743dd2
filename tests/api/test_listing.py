"""Lists of stacks: filters, tags, pages, order."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.api import OTHER, Door, error


def names(door: Door, **query: Any) -> list[str]:
    return [one["stack_name"] for one in door.get("/stacks", **query)["stacks"]]


@pytest.fixture
def five(door: Door) -> Door:
    """Stacks a to e, each younger than the one before."""
    for number, name in enumerate("abcde"):
        door.stage.add_stack(name, created_at=1000.0 + number)
    return door


def test_an_item(door: Door) -> None:
    id = door.stage.add_stack("a", created_at=0.0, tags=["x", "y"], description="told nowhere in lists")

    assert door.get("/stacks")["stacks"] == [
        {
            "id": id,
            "links": [{"href": f"http://heat.test:8004/v1/{door.project}/stacks/a/{id}", "rel": "self"}],
            "stack_name": "a",
            "description": "",
            "stack_status": "CREATE_COMPLETE",
            "stack_status_reason": "Stack CREATE completed successfully",
            "creation_time": "1970-01-01T00:00:00Z",
            "updated_time": None,
            "deletion_time": None,
            "stack_owner": "alice",
            "parent": None,
            "stack_user_project_id": None,
            "tags": ["x", "y"],
        }
    ]


def test_no_tags_are_null(door: Door) -> None:
    door.stage.add_stack("a")

    assert door.get("/stacks")["stacks"][0]["tags"] is None


def test_detail_has_the_same_rows_and_no_filters(five: Door) -> None:
    assert five.get("/stacks/detail", name="a") == five.get("/stacks")


class TestWhatIsListed:
    def test_only_the_projects_own(self, door: Door) -> None:
        door.stage.add_stack("mine")
        door.stage.add_stack("theirs", project=OTHER)

        assert names(door) == ["mine"]

    def test_deleted_ones_if_asked_for(self, door: Door) -> None:
        door.stage.add_stack("gone", deleted_at=5.0)

        assert names(door) == []
        assert names(door, show_deleted="TRUE") == ["gone"]

    def test_nested_ones_if_asked_for(self, door: Door) -> None:
        root = door.stage.add_stack("root", created_at=1.0)
        door.stage.add_stack("child", created_at=2.0, root=root, parent=root, parent_resource="r", depth=1)

        assert names(door) == ["root"]
        shown = door.get("/stacks", show_nested=True)["stacks"]
        assert [(one["stack_name"], one["parent"]) for one in shown] == [("child", root), ("root", None)]

    def test_hidden_ones_if_asked_for(self, door: Door) -> None:
        door.stage.add_stack("plain", created_at=1.0)
        door.stage.add_stack("secret", created_at=2.0, tags=["hidden"])

        assert names(door) == ["plain"]
        assert names(door, show_hidden="true") == ["secret", "plain"]


class TestFilters:
    @pytest.fixture
    def various(self, door: Door) -> Door:
        add = door.stage.add_stack
        add("a", created_at=5.0, username="bob")
        add("b", created_at=4.0, action="UPDATE", status="FAILED", reason="why")
        add("c", created_at=3.0, status="IN_PROGRESS", disable_rollback=False)
        add("d", created_at=2.0, action="DELETE", status="FAILED", timeout_mins=7, user_project="p")
        return door

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({"name": "a"}, "a"),
            ({"stack_name": ["a", "b"]}, "ab"),
            ({"status": "FAILED"}, "bd"),
            ({"status": "IN_PROGRESS"}, "c"),
            ({"status": "CREATE_COMPLETE"}, "a"),
            ({"stack_status": "CREATE_IN_PROGRESS"}, "c"),
            ({"status": ["CREATE_COMPLETE", "UPDATE_FAILED"]}, "ab"),
            ({"action": "CREATE"}, "ac"),
            ({"stack_action": ["UPDATE", "DELETE"]}, "bd"),
            ({"stack_status_reason": "why"}, "b"),
            ({"username": "bob"}, "a"),
            ({"stack_owner": "bob"}, "a"),
            ({"disable_rollback": "False"}, "c"),
            ({"timeout_mins": "7"}, "d"),
            ({"stack_user_project_id": "p"}, "d"),
            ({"name": "a", "status": "FAILED"}, ""),
            ({"name": ""}, ""),
            ({"tenant": OTHER}, ""),
            ({"unknown": "x"}, "abcd"),
        ],
    )
    def test_exact_values(self, various: Door, query: dict[str, Any], expected: str) -> None:
        assert "".join(names(various, **query)) == expected

    def test_ids(self, door: Door) -> None:
        id = door.stage.add_stack("a")
        door.stage.add_stack("b")

        assert names(door, id=id) == ["a"]

    @pytest.mark.parametrize(
        "query",
        [
            {"limit": "-1"},
            {"limit": "x"},
            {"limit": "1.5"},
            {"show_deleted": "yes"},
            {"show_nested": "1"},
            {"with_count": ""},
            {"sort_dir": "up"},
            {"disable_rollback": "perhaps"},
            {"timeout_mins": "long"},
            {"tags": "x" * 81},
        ],
    )
    def test_wrong_values(self, door: Door, query: dict[str, str]) -> None:
        assert error(door("GET", "/stacks", params=query), 400)["type"] == "HTTPBadRequest"


class TestTags:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({"tags": "x"}, "ab"),
            ({"tags": "x,y"}, "b"),
            ({"tags_any": "x,y"}, "abc"),
            ({"not_tags": "x,y"}, "acd"),
            ({"not_tags_any": "x,y"}, "d"),
            ({"tags": "x", "not_tags_any": "y"}, "a"),
            ({"tags": "nobody"}, ""),
        ],
    )
    def test_combinations(self, door: Door, query: dict[str, str], expected: str) -> None:
        for number, (name, tags) in enumerate({"a": ["x"], "b": ["x", "y"], "c": ["y"], "d": []}.items()):
            door.stage.add_stack(name, created_at=100.0 - number, tags=tags)

        assert "".join(names(door, **query)) == expected


class TestOrder:
    def test_the_youngest_first(self, five: Door) -> None:
        assert "".join(names(five)) == "edcba"

    def test_a_key_sorts_upwards(self, five: Door) -> None:
        assert "".join(names(five, sort_keys="stack_name")) == "abcde"

    def test_a_direction(self, five: Door) -> None:
        assert "".join(names(five, sort_dir="asc")) == "abcde"
        assert "".join(names(five, sort_keys="stack_name", sort_dir="desc")) == "edcba"

    def test_several_keys(self, five: Door) -> None:
        five.stage.add_stack("aa", status="FAILED")

        assert "".join(names(five, sort_keys=["stack_status", "stack_name"])) == "abcdeaa"

    def test_times_of_updates_of_which_some_have_none(self, five: Door) -> None:
        five.stage.add_stack("x", updated_at=9.0)

        assert names(five, sort_keys="updated_time")[-1] == "x"

    def test_unknown_keys_are_ignored(self, five: Door) -> None:
        assert "".join(names(five, sort_keys="colour")) == "edcba"


class TestPages:
    def test_a_full_page_leads_to_the_next(self, five: Door) -> None:
        found = []
        path: str | None = "/stacks?limit=2&sort_keys=stack_name&status=COMPLETE"
        while path:
            answer = five("GET", path)
            page = answer.json()
            found.append("".join(one["stack_name"] for one in page["stacks"]))
            following = page.get("links", [{}])[0].get("href", "")
            path = following.partition(five.project)[2]
            if path:
                assert parse_qs(urlsplit(path).query)["status"] == ["COMPLETE"]

        assert found == ["ab", "cd", "e"]

    def test_ties_are_broken_by_id(self, door: Door) -> None:
        for name in "abc":
            door.stage.add_stack(name, created_at=1.0)
        whole = [one["id"] for one in door.get("/stacks")["stacks"]]

        rest = door.get("/stacks", marker=whole[0])["stacks"]

        assert [one["id"] for one in rest] == whole[1:]

    def test_every_order_can_be_paged(self, five: Door) -> None:
        five.stage.add_stack("x", updated_at=9.0, created_at=0.0)
        for key in ("stack_name", "stack_status", "creation_time", "updated_time"):
            for direction in ("asc", "desc"):
                order = {"sort_keys": key, "sort_dir": direction}
                whole = five.get("/stacks", **order)["stacks"]
                rest = five.get("/stacks", marker=whole[2]["id"], **order)["stacks"]
                assert rest == whole[3:]

    def test_a_marker_of_another_project_is_none(self, five: Door) -> None:
        theirs = five.stage.add_stack("theirs", project=OTHER, created_at=1002.0)

        assert "".join(names(five, marker=theirs)) == "edcba"

    def test_the_count_is_of_all_that_match(self, five: Door) -> None:
        answer = five.get("/stacks", limit=2, with_count="True", not_tags="z")

        assert answer["count"] == 5
        assert len(answer["stacks"]) == 2

    def test_no_links_on_the_last_page(self, five: Door) -> None:
        assert "links" not in five.get("/stacks", limit=6)
        assert "links" not in five.get("/stacks")

    def test_very_large_limits(self, five: Door) -> None:
        assert len(names(five, limit="9" * 40)) == 5
