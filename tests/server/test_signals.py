"""Signals that come by pre-signed URLs, through a server and its embedded cloud."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
import yaml

from tests.support.server import Server, free_port, until

TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "resources": {
        "handle": {"type": "OS::Heat::WaitConditionHandle", "properties": {"signal_transport": "CFN_SIGNAL"}},
        "wait": {
            "type": "OS::Heat::WaitCondition",
            "properties": {"handle": {"get_resource": "handle"}, "count": 2, "timeout": 60},
        },
    },
    "outputs": {"data": {"value": {"get_attr": ["wait", "data"]}}},
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "state", free_port())
    made.ready()
    yield made
    made.stop()


@pytest.fixture
def api(server: Server) -> httpx.Client:
    return server.api()


def signal_url(api: httpx.Client, stack: str) -> str:
    def known() -> Any:
        shown = api.get(f"/stacks/s/{stack}/resources/handle?with_attr=signal").json().get("resource", {})
        return (shown.get("attributes") or {}).get("signal")

    return str(json.loads(until(known))["alarm_url"])


def status(api: httpx.Client, stack: str) -> str:
    return str(api.get(f"/stacks/s/{stack}").json()["stack"]["stack_status"])


def test_a_wait_condition_ends_when_it_has_been_signalled_often_enough(api: httpx.Client) -> None:
    stack = api.post("/stacks", json={"stack_name": "s", "template": TEMPLATE}).json()["stack"]["id"]
    url = signal_url(api, stack)
    verb = "PUT" if "/waitcondition/" in url else "POST"

    for name in ("first", "second"):
        assert status(api, stack) == "CREATE_IN_PROGRESS"
        answer = httpx.request(verb, url, json={"status": "SUCCESS", "id": name, "data": name.upper()})
        assert answer.status_code == 200, answer.text

    until(lambda: status(api, stack) == "CREATE_COMPLETE")
    shown = api.get(f"/stacks/s/{stack}").json()["stack"]["outputs"]
    assert [output["output_value"] for output in shown] == ['{"first": "FIRST", "second": "SECOND"}']


def test_a_url_that_was_tampered_with_signals_nothing(api: httpx.Client) -> None:
    stack = api.post("/stacks", json={"stack_name": "s", "template": TEMPLATE}).json()["stack"]["id"]
    url = signal_url(api, stack)
    verb = "PUT" if "/waitcondition/" in url else "POST"

    wrong = httpx.request(verb, url.replace("handle", "wait"), json={"status": "SUCCESS"})
    bare = httpx.request(verb, url.partition("?")[0], json={"status": "SUCCESS"})

    assert (wrong.status_code, bare.status_code) == (403, 400)
    assert status(api, stack) == "CREATE_IN_PROGRESS"


def test_a_stack_leaves_no_users_behind(api: httpx.Client, server: Server) -> None:
    stack = api.post("/stacks", json={"stack_name": "s", "template": TEMPLATE}).json()["stack"]["id"]
    signal_url(api, stack)
    admin = yaml.safe_load((server.state_dir / "clouds.yaml").read_text())["clouds"]["calor-admin"]["auth"]
    token = server.token_of("calor-admin")[0]

    def stack_projects() -> list[Any]:
        found = httpx.get(f"{admin['auth_url']}/projects", headers={"X-Auth-Token": token}).json()["projects"]
        # The name is cut to what all clouds take.
        return [project for project in found if stack[:24] in project["name"]]

    assert len(stack_projects()) == 1
    api.delete(f"/stacks/s/{stack}")

    until(lambda: stack_projects() == [])
