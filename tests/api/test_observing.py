"""What is told of requests: lines in the log, and figures."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from calor.observe.logs import JsonLines
from calor.service.stack_commands import StackCommands
from tests.support.api import PROJECT, Door, Stage, open_door

HIDDEN = "correct-horse-battery"
TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "parameters": {"word": {"type": "string", "hidden": True}},
    "resources": {"r": {"type": "OS::Heat::TestResource", "properties": {"value": {"get_param": "word"}}}},
}


class Log(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(JsonLines())
        self.text: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.text.append(self.format(record))

    def lines(self, logger: str = "calor.requests") -> list[dict[str, Any]]:
        return [line for line in map(json.loads, self.text) if line["logger"] == logger]


@pytest.fixture
def log() -> Iterator[Log]:
    """All that is logged, the last details included."""
    made = Log()
    root, calor = logging.getLogger(), logging.getLogger("calor")
    level = calor.level
    calor.setLevel(logging.DEBUG)
    root.addHandler(made)
    yield made
    root.removeHandler(made)
    calor.setLevel(level)


class TestRequests:
    def test_have_a_line_with_everything_that_distinguishes_them(self, log: Log, door: Door) -> None:
        path = door.create("a")
        door("GET", path, headers={"X-OpenStack-Request-ID": "req-of-my-own"})

        line = log.lines()[-1]

        assert line["message"] == f"GET /v1/{PROJECT}{path}"
        assert (line["level"], line["status"], line["api"]) == ("INFO", 200, "heat")
        assert (line["request_id"], line["project"], line["user"]) == ("req-of-my-own", PROJECT, "alice")
        assert line["stack"] == "a"
        assert line["ms"] > 0

    def test_that_are_refused_have_one_too(self, log: Log, door: Door) -> None:
        door.by("")("GET", "/stacks")

        line = log.lines()[-1]

        assert line["status"] == 401
        assert "user" not in line

    def test_of_machines_are_shown_only_to_those_who_want_every_detail(self, log: Log, door: Door) -> None:
        door.client.get("/healthcheck")

        assert [line["level"] for line in log.lines()] == ["DEBUG"]

    def test_lines_can_be_switched_off(self, log: Log, stage: Stage) -> None:
        open_door(stage, access_log=False)("GET", "/stacks")

        assert log.lines() == []

    def test_a_path_cannot_look_like_another_line(self, log: Log, door: Door) -> None:
        door("GET", "/stacks/a%0AERROR calor: all is lost")

        [line] = log.lines()
        assert "\n" not in line["message"]

    def test_methods_that_nobody_knows_are_counted_together(self, door: Door) -> None:
        door("BREW", "/stacks")

        text = door.client.get("/metrics").text
        assert 'method="other"' in text
        assert "BREW" not in text


class TestSecrets:
    def test_of_a_stack_are_in_no_line(self, log: Log, running: Stage) -> None:
        door = open_door(running)
        path = door.create("a", TEMPLATE, parameters={"word": HIDDEN})
        door.settled(path)
        failing = {**TEMPLATE, "resources": {"r": {"type": "OS::Heat::TestResource", "properties": _FAILING}}}
        assert door("PUT", path, {"template": failing, "parameters": {"word": HIDDEN}}).status_code == 202
        assert door.settled(path)["stack_status"] == "UPDATE_FAILED"

        assert any(
            line["message"].startswith("UPDATE of resource r failed") for line in log.lines("calor.runs")
        )
        assert not [line for line in log.text if HIDDEN in line]

    def test_that_break_a_request_are_in_no_line(
        self, log: Log, stage: Stage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_: Any) -> None:
            raise KeyError(HIDDEN)

        monkeypatch.setattr(StackCommands, "create", broken)
        answer = open_door(stage)("POST", "/stacks", {"stack_name": "a", "template": TEMPLATE})

        assert answer.status_code == 500
        [line] = log.lines("calor.api.app")
        assert "KeyError" in line["exception"]
        assert not [line for line in log.text if HIDDEN in line]

    def test_tokens_are_in_no_line(self, log: Log, door: Door) -> None:
        door("GET", "/stacks?token=" + door.token)

        assert log.text
        assert not [line for line in log.text if door.token in line]


_FAILING = {"value": {"get_param": "word"}, "fail": True}


class TestRuns:
    def test_are_known_as_the_work_of_the_request_that_began_them(self, log: Log, running: Stage) -> None:
        door = open_door(running)
        answer = door(
            "POST",
            "/stacks",
            {"stack_name": "a", "template": {**TEMPLATE, "resources": {}}, "parameters": {"word": "x"}},
            headers={"X-OpenStack-Request-ID": "req-the-first"},
        )
        path = f"/stacks/a/{answer.json()['stack']['id']}"
        door.settled(path)
        door("DELETE", path, headers={"X-OpenStack-Request-ID": "req-the-second"})
        door.settled(path)

        reported = [(line["action"], line["request_id"]) for line in log.lines("calor.runs")]
        assert reported == [("CREATE", "req-the-first")] * 2 + [("DELETE", "req-the-second")] * 2

    def test_tell_whose_they_are_and_where(self, log: Log, running: Stage) -> None:
        door = open_door(running)
        path = door.create("a")
        door.settled(path)

        line = log.lines("calor.runs")[-1]

        assert line["message"].startswith("CREATE of stack a is COMPLETE after ")
        assert (line["stack"], line["project"], line["user"]) == ("a", PROJECT, "alice")
        assert line["stack_id"] in path
        assert line["engine"]

    def test_a_rollback_belongs_to_the_same_request(self, log: Log, running: Stage) -> None:
        door = open_door(running)
        template = {
            "heat_template_version": "2021-04-16",
            "resources": {"r": {"type": "OS::Heat::TestResource", "properties": {"fail": True}}},
        }
        answer = door(
            "POST",
            "/stacks",
            {"stack_name": "a", "template": template, "disable_rollback": False},
            headers={"X-OpenStack-Request-ID": "req-the-first"},
        )
        door.settled(f"/stacks/a/{answer.json()['stack']['id']}")

        ends = [line for line in log.lines("calor.runs") if " is " in line["message"]]
        assert [(line["action"], line["request_id"]) for line in ends] == [
            ("CREATE", "req-the-first"),
            ("ROLLBACK", "req-the-first"),
        ]
        [failed] = [
            line for line in log.lines("calor.runs") if line["message"].startswith("CREATE of resource")
        ]
        assert (failed["resource"], failed["level"]) == ("r", "WARNING")

    def test_steps_are_counted_by_type_action_and_outcome(self, running: Stage) -> None:
        door = open_door(running)
        door.settled(door.create("a"))

        text = door.client.get("/metrics").text

        step = 'calor_step_seconds_count{type="OS::Heat::TestResource",action="CREATE",outcome="COMPLETE"}'
        assert step in text
        assert 'calor_run_seconds_count{action="CREATE",outcome="COMPLETE"}' in text

    def test_templates_as_types_are_counted_together(self, running: Stage) -> None:
        door = open_door(running)
        template = {"heat_template_version": "2021-04-16", "resources": {"r": {"type": "member.yaml"}}}
        member = "heat_template_version: 2021-04-16\nresources: {}\n"
        door.settled(door.create("a", template, files={"member.yaml": member}))

        text = door.client.get("/metrics").text

        assert 'type="(template)"' in text
        assert "member.yaml" not in text
