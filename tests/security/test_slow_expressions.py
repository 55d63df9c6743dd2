"""Nobody stops the service by expressions that take for ever: the rest is answered meanwhile, and so is the request."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.api import Door, error, token
from tests.support.cloud import Cloud
from tests.support.compute import Computing

SLOW = [r"(a)(a|aa)+\1!", "(?=(a+)+!)", "(a*)*!"]
"""Not for RE2, either."""


@pytest.fixture(autouse=True)
def ends() -> Iterator[None]:
    """Ends the test rather than waiting for ever; `re` lets signals through."""

    def stop(*_: Any) -> None:
        raise TimeoutError("this would take for ever")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def template(pattern: str) -> dict[str, Any]:
    constraint = {"allowed_pattern": pattern}
    return {
        "heat_template_version": "2021-04-16",
        "parameters": {"p": {"type": "string", "constraints": [constraint]}},
    }


@pytest.fixture
def reader(door: Door) -> Door:
    return door.by(token("bob", roles="reader"))


class TestPatterns:
    def test_one_that_backtracks_is_matched_in_linear_time(self, reader: Door) -> None:
        body = {"stack_name": "s", "template": template("(a+)+$"), "parameters": {"p": "a" * 5_000 + "!"}}
        assert "does not match" in error(reader("POST", "/stacks/preview", body), 400)["message"]

    @pytest.mark.parametrize("pattern", SLOW)
    def test_one_that_takes_for_ever_is_refused(self, reader: Door, pattern: str) -> None:
        body = {"stack_name": "s", "template": template(pattern), "parameters": {"p": "a" * 200}}
        assert "took too long" in error(reader("POST", "/stacks/preview", body), 400)["message"]

    @pytest.mark.parametrize("pattern", SLOW)
    def test_a_filter_that_takes_for_ever_is_refused(self, reader: Door, pattern: str) -> None:
        slow = pattern.replace("a", "[A-z:]")
        answer = reader("GET", "/resource_types", params={"name": slow})
        assert answer.status_code == 400 or answer.json() == {"resource_types": []}

    def test_a_default_that_takes_for_ever_is_refused(self, door: Door) -> None:
        slow = template("(a*)*!")
        slow["parameters"]["p"]["default"] = "a" * 200
        error(door("POST", "/validate", {"template": slow}), 400)

    def test_a_stack_that_needs_one_fails(self, live: Door) -> None:
        """The value is known only when the stack runs."""
        child = {
            **template("(a*)*!"),
            "resources": {"r": {"type": "OS::Heat::Value", "properties": {"value": {"get_param": "p"}}}},
        }
        above = {
            "heat_template_version": "2021-04-16",
            "resources": {
                "v": {"type": "OS::Heat::TestResource", "properties": {"value": "a" * 200}},
                "below": {"type": "c.yaml", "properties": {"p": {"get_attr": ["v", "output"]}}},
            },
        }
        path = live.create("slow", above, files={"c.yaml": child})
        stack = live.settled(path, 60.0)
        assert stack["stack_status"] == "CREATE_FAILED"
        assert "took too long" in stack["stack_status_reason"]


class TestYaql:
    @pytest.mark.parametrize("expression", ["pow(7, 300000000)", "$.data.matches('(a+)+!')"])
    def test_one_that_takes_for_ever_is_refused(self, reader: Door, expression: str) -> None:
        value = {"yaql": {"expression": expression, "data": "a" * 200}}
        resources = {"r": {"type": "OS::Heat::Value", "properties": {"value": value}}}
        slow = {"heat_template_version": "2021-04-16", "resources": resources}
        body = {"stack_name": "s", "template": slow}
        assert "took too long" in error(reader("POST", "/stacks/preview", body), 400)["message"]


class TestEmbeddedCloud:
    @pytest.mark.parametrize("pattern", ["(a+)+!", *SLOW])
    def test_a_filter_of_servers_does_not_hold_it_up(self, cloud: Cloud, pattern: str) -> None:
        compute = Computing(cloud)
        compute.server(name="a" * 200)
        answer = compute.call("GET", "/servers", params={"name": pattern})
        assert answer.status_code == 400 or answer.json() == {"servers": []}

    def test_a_filter_that_needs_a_worker_process_is_refused_at_once(self, cloud: Cloud) -> None:
        """Everybody would wait for it."""
        compute = Computing(cloud)
        compute.server(name="a" * 40 + "!")
        answer = compute.call("GET", "/servers", params={"name": "(a|aa)+(?=N)$"})
        assert answer.status_code == 400
        assert "linear time" in answer.text


class TestNumbers:
    @pytest.mark.parametrize("end", ["", ".5"])
    def test_a_sexagesimal_number_of_any_length_is_refused_at_once(self, door: Door, end: str) -> None:
        long = "59" + ":59" * 100_000 + end
        text = f"heat_template_version: 2021-04-16\nparameters: {{p: {{type: string, default: {long}}}}}\n"
        assert "number" in error(door("POST", "/validate", {"template": text}), 400)["message"]
