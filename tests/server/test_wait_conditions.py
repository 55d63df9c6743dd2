"""Wait conditions of both kinds, and what sends their signals: scripts with curl, and pre-signed URLs."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import Any

import httpx2 as httpx
import pytest

from tests.server.orchestrator import Orchestrator
from tests.support.requirements import need
from tests.support.server import until


class Waiting:
    """A stack that waits for signals."""

    def __init__(self, demo: Orchestrator, aws: bool, name: str, **given: Any) -> None:
        self.demo = demo
        self.aws = aws
        given = {"count": 1, "timeout": 100, **given}
        if aws:
            handle = {"type": "AWS::CloudFormation::WaitConditionHandle"}
            properties = {"Handle": {"get_resource": "handle"}}
            properties |= {key.capitalize(): value for key, value in given.items()}
            wait = {"type": "AWS::CloudFormation::WaitCondition", "properties": properties}
            url = {"get_resource": "handle"}
        else:
            transport = {"signal_transport": "CFN_SIGNAL"}
            handle = {"type": "OS::Heat::WaitConditionHandle", "properties": transport}
            wait = {
                "type": "OS::Heat::WaitCondition",
                "properties": {"handle": {"get_resource": "handle"}, **given},
            }
            url = {"get_attr": ["handle", "signal"]}
        resources = {
            "handle": handle,
            "wait": wait,
            "url": {"type": "OS::Heat::Value", "properties": {"value": url}},
        }
        data = {"data": {"value": {"get_attr": ["wait", "Data" if aws else "data"]}}}
        self.path = demo.begin(name, resources, outputs=data)
        self.url = str(until(self._found_url))

    def _found_url(self) -> Any:
        shown = self.demo.api.get(f"{self.path}/resources/url").json().get("resource", {})
        value = (shown.get("attributes") or {}).get("value")
        return value if self.aws or value is None else json.loads(value)["alarm_url"]

    def signal(self, id: str, status: str = "SUCCESS", reason: str = "", data: Any = None) -> None:
        names = ("Status", "Reason", "UniqueId", "Data") if self.aws else ("status", "reason", "id", "data")
        body = dict(zip(names, (status, reason, id, data), strict=True))
        answer = httpx.put(self.url, content=json.dumps(body))
        assert answer.status_code == 200, answer.text

    @property
    def status(self) -> str:
        return str(self.demo.api.get(self.path).json()["stack"]["stack_status"])

    @property
    def reason(self) -> str:
        return str(self.demo.resource(self.path, "wait")["resource_status_reason"])


@pytest.fixture(params=[False, True], ids=["native", "aws"])
def aws(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_so_many_signals_are_waited_for_and_their_data_is_kept(demo: Orchestrator, aws: bool) -> None:
    waiting = Waiting(demo, aws, f"counts-{aws}", count=2)
    waiting.signal("a", data="first")
    waiting.signal("a", data="second")
    assert waiting.status == "CREATE_IN_PROGRESS"
    waiting.signal("b", data="third")
    demo.wait(waiting.path, "CREATE_COMPLETE")
    (output,) = demo.api.get(waiting.path).json()["stack"]["outputs"]
    assert json.loads(output["output_value"]) == {"a": "second", "b": "third"}


def test_a_failure_ends_the_wait_with_its_reason(demo: Orchestrator, aws: bool) -> None:
    waiting = Waiting(demo, aws, f"fails-{aws}", count=3)
    waiting.signal("a")
    waiting.signal("b", "FAILURE", "the disk is full")
    demo.wait(waiting.path, "CREATE_FAILED")
    assert "WaitConditionFailure: resources.wait: the disk is full" in waiting.reason


def test_time_runs_out(demo: Orchestrator, aws: bool) -> None:
    waiting = Waiting(demo, aws, f"times-out-{aws}", timeout=3, count=2)
    waiting.signal("a", reason="half way")
    demo.wait(waiting.path, "CREATE_FAILED")
    assert "WaitConditionTimeout: resources.wait: 1 of 2 received - half way" in waiting.reason


def test_curl_signals(demo: Orchestrator) -> None:
    """The attribute is the beginning of a command."""
    need("curl")
    path = demo.begin(
        "curls",
        {
            "handle": {"type": "OS::Heat::WaitConditionHandle"},
            "wait": {
                "type": "OS::Heat::WaitCondition",
                "properties": {"handle": {"get_resource": "handle"}, "timeout": 100, "count": 2},
            },
        },
    )

    def known() -> Any:
        shown = demo.api.get(f"{path}/resources/handle").json().get("resource", {})
        return (shown.get("attributes") or {}).get("curl_cli")

    command = shlex.split(until(known))
    for body in ("{}", '{"status": "SUCCESS", "id": "mine", "reason": "done", "data": [1]}'):
        run = subprocess.run(
            [*command, "--silent", "--data-binary", body], capture_output=True, check=True, text=True
        )
        assert run.stdout.splitlines()[0].split()[1] == "200", run.stdout
    demo.wait(path, "CREATE_COMPLETE")
    assert json.loads(demo.resource(path, "wait")["attributes"]["data"]) == {"1": None, "mine": [1]}
