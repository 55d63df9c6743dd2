"""Events: pages, filters, single ones, and the stream of them."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

from calor.service.caller import Caller
from calor.store import tables
from tests.support.api import OTHER, PROJECT, Door, error


@pytest.fixture
def path(door: Door) -> str:
    """A stack with the events a to e of resources of those names."""
    stack = door.stage.add_stack("s")
    for number, name in enumerate("abcde"):
        door.stage.add_event(
            stack,
            name,
            at=100.0 + number,
            status="FAILED" if name == "c" else "COMPLETE",
            action="UPDATE" if name == "d" else "CREATE",
            type="OS::Heat::None" if name == "b" else "OS::Heat::TestResource",
            properties={"value": name},
        )
    return f"/stacks/s/{stack}"


def names(door: Door, path: str, **query: Any) -> str:
    return "".join(one["resource_name"] for one in door.get(f"{path}/events", **query)["events"])


class TestPages:
    def test_the_newest_first(self, door: Door, path: str) -> None:
        assert names(door, path) == "edcba"

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({"sort_dir": "asc"}, "abcde"),
            ({"sort_keys": "event_time"}, "abcde"),
            ({"sort_keys": "event_time", "sort_dir": "desc"}, "edcba"),
            ({"sort_keys": "resource_type"}, "bacde"),
            ({"limit": "2"}, "ed"),
            ({"limit": "0"}, ""),
            ({"resource_status": "FAILED"}, "c"),
            ({"resource_action": "UPDATE"}, "d"),
            ({"resource_name": ["a", "e"]}, "ea"),
            ({"resource_type": "OS::Heat::None"}, "b"),
            ({"resource_type": "OS::Heat::None", "resource_status": "FAILED"}, ""),
        ],
    )
    def test_what_is_wanted(self, door: Door, path: str, query: dict[str, Any], expected: str) -> None:
        assert names(door, path, **query) == expected

    @pytest.mark.parametrize("order", [{"sort_dir": "asc"}, {}, {"sort_keys": "resource_type"}])
    def test_pages_follow_a_marker(self, door: Door, path: str, order: dict[str, str]) -> None:
        whole = door.get(f"{path}/events", **order)["events"]

        rest = door.get(f"{path}/events", marker=whole[1]["id"], limit=2, **order)["events"]

        assert rest == whole[2:4]

    def test_waiting_for_more_behind_the_newest(self, door: Door, path: str) -> None:
        newest = door.get(f"{path}/events", limit=1)["events"][0]["id"]
        assert names(door, path, sort_dir="asc", marker=newest) == ""

        door.stage.add_event(path.rpartition("/")[2], "f")

        assert names(door, path, sort_dir="asc", marker=newest) == "f"

    @pytest.mark.parametrize("query", [{"limit": "x"}, {"nested_depth": "x"}, {"sort_dir": "x"}])
    def test_wrong_values(self, door: Door, path: str, query: dict[str, str]) -> None:
        error(door("GET", f"{path}/events", params=query), 400)


class TestSingleOnes:
    def test_one_with_its_properties(self, door: Door, path: str) -> None:
        (line,) = door.get(f"{path}/resources/b/events")["events"]

        event = door.get(f"{path}/resources/b/events/{line['id']}")["event"]

        base = f"http://heat.test:8004/v1/{PROJECT}{path}"
        assert event == {
            "id": line["id"],
            "event_time": "1970-01-01T00:01:41Z",
            "resource_name": "b",
            "logical_resource_id": "b",
            "physical_resource_id": None,
            "resource_status": "CREATE_COMPLETE",
            "resource_status_reason": "state changed",
            "links": [
                {"href": f"{base}/resources/b/events/{line['id']}", "rel": "self"},
                {"href": f"{base}/resources/b", "rel": "resource"},
                {"href": base, "rel": "stack"},
            ],
            "resource_type": "OS::Heat::None",
            "resource_properties": {"value": "b"},
        }
        assert set(event) - set(line) == {"resource_type", "resource_properties"}

    def test_of_another_resource_or_stack(self, door: Door, path: str) -> None:
        (line,) = door.get(f"{path}/resources/b/events")["events"]
        other = door.stage.add_stack("other")

        error(door("GET", f"{path}/resources/a/events/{line['id']}"), 404)
        error(door("GET", f"/stacks/other/{other}/resources/b/events/{line['id']}"), 404)
        error(door("GET", f"{path}/resources/b/events/nothing"), 404)


def reported(text: str) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


class TestStreams:
    def test_a_stacks_whole_life(self, live: Door) -> None:
        path = live.create()

        answer = live("GET", f"{path}/events/stream", params={"until": "complete"})

        assert answer.headers["content-type"].startswith("text/event-stream")
        events = reported(answer.text)
        assert [(kind, one.get("resource_name"), one.get("resource_status")) for kind, one in events] == [
            ("event", "s", "CREATE_IN_PROGRESS"),
            ("event", "first", "CREATE_IN_PROGRESS"),
            ("event", "first", "CREATE_COMPLETE"),
            ("event", "second", "CREATE_IN_PROGRESS"),
            ("event", "second", "CREATE_COMPLETE"),
            ("event", "s", "CREATE_COMPLETE"),
            ("end", None, None),
        ]

    def test_from_where_another_broke_off(self, door: Door, path: str) -> None:
        text = door("GET", f"{path}/events/stream", params={"until": "complete"}).text
        third = [line for line in text.splitlines() if line.startswith("id: ")][2].removeprefix("id: ")
        by_id = reported(text)[2][1]["id"]

        for since, headers in (
            ({"since": third}, {}),
            ({"since": by_id}, {}),
            ({}, {"Last-Event-ID": third}),
        ):
            query = {"until": "complete", **since}
            rest = reported(door("GET", f"{path}/events/stream", params=query, headers=headers).text)
            assert [one.get("resource_name") for _, one in rest] == ["d", "e", None]

    def test_with_nested_stacks(self, door: Door) -> None:
        root = door.stage.add_stack("root")
        child = door.stage.add_stack("child", root=root, parent=root, parent_resource="r", depth=1)
        door.stage.add_event(root, "r", root=root)
        door.stage.add_event(child, "x", root=root)

        whole = reported(door("GET", f"/stacks/root/{root}/events/stream?until=complete").text)
        below = reported(door("GET", f"/stacks/child/{child}/events/stream?until=complete").text)

        assert [one.get("resource_name") for _, one in whole] == ["r", "x", None]
        assert [one.get("resource_name") for _, one in below] == ["x", None]

    def test_more_than_one_look_takes(self, door: Door) -> None:
        root = door.stage.add_stack("root")
        child = door.stage.add_stack("child", root=root, parent=root, parent_resource="r", depth=1)
        for _ in range(12):
            door.stage.add_event(root, "r", root=root)
        door.stage.add_event(child, "x", root=root)
        stack = door.stage.queries.stacks.find(Caller("id", "name", PROJECT), child).stack

        number, reported = 0, []
        while True:
            news = door.stage.queries.events.since(stack, number, limit=5)
            number, reported = news.number, [*reported, *news.events]
            if news.ended:
                break

        assert [one.event.resource for one in reported] == ["x"]

    def test_it_waits_while_the_stack_is_worked_on(self, door: Door) -> None:
        path = door.create()
        stack = path.rpartition("/")[2]

        def finish() -> None:
            time.sleep(0.2)
            door.stage.add_event(stack, "s", type="OS::Heat::Stack", physical_id=stack)
            door.stage.change(tables.stack, stack, status="COMPLETE")

        thread = threading.Thread(target=finish)
        thread.start()
        events = reported(door("GET", f"{path}/events/stream", params={"until": "complete"}).text)
        thread.join()

        assert [kind for kind, _ in events] == ["event", "event", "end"]

    def test_it_goes_on_until_it_is_asked_to_end_or_the_stack_is_gone(self, door: Door, path: str) -> None:
        stack = path.rpartition("/")[2]

        def delete() -> None:
            time.sleep(0.2)
            door.stage.add_event(stack, "s", type="OS::Heat::Stack", physical_id=stack, action="DELETE")
            door.stage.change(tables.stack, stack, action="DELETE", deleted_at=time.time())

        thread = threading.Thread(target=delete)
        thread.start()
        events = reported(door("GET", f"{path}/events/stream").text)
        thread.join()

        assert [kind for kind, _ in events] == ["event"] * 6 + ["end"]

    def test_nested_stacks_are_reported_to_their_end(self, live: Door) -> None:
        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 1, "resource_def": {"type": "OS::Heat::TestResource"}},
        }
        path = live.create(template={"heat_template_version": "2021-04-16", "resources": {"g": group}})
        live.settled(path)
        live("DELETE", path)

        events = reported(live("GET", f"{path}/events/stream").text)

        assert ("0", "DELETE_COMPLETE") in [
            (one.get("resource_name"), one.get("resource_status")) for _, one in events
        ]

    def test_silence_is_broken(self, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("calor.api.heat.events.KEEP_ALIVE_SECONDS", 0.02)
        path = door.create()

        def finish() -> None:
            time.sleep(0.3)
            door.stage.change(tables.stack, path.rpartition("/")[2], status="COMPLETE")

        thread = threading.Thread(target=finish)
        thread.start()
        text = door("GET", f"{path}/events/stream", params={"until": "complete"}).text
        thread.join()

        assert "\n:\n\n" in text

    def test_no_other_end(self, door: Door, path: str) -> None:
        error(door("GET", f"{path}/events/stream", params={"until": "x"}), 400)

    @pytest.mark.parametrize("since", ["", "x", "-1", "1" * 30])
    def test_wrong_numbers(self, door: Door, path: str, since: str) -> None:
        error(door("GET", f"{path}/events/stream", params={"since": since}), 400)
        known = {"Last-Event-ID": "1"}
        error(door("GET", f"{path}/events/stream", params={"since": since}, headers=known), 400)

    def test_not_of_another_project(self, door: Door) -> None:
        stack = door.stage.add_stack("s", project=OTHER)

        error(door("GET", f"/stacks/s/{stack}/events/stream"), 404)
