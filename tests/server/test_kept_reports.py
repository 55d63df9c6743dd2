"""Deployments outside of stacks, whose servers report by a temporary URL of the object store."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2 as httpx
import pytest

from tests.server.orchestrator import Orchestrator

KEY = "secret"


@pytest.fixture(scope="module")
def demo(demo: Orchestrator) -> Orchestrator:
    """With a container for reports."""
    key = {"X-Account-Meta-Temp-Url-Key": KEY}
    assert demo.ask("object-store", "POST", "", headers=key).is_success
    assert demo.ask("object-store", "PUT", "/reports").is_success
    return demo


Deploy = Callable[[], tuple[str, str]]


@pytest.fixture
def deploy(demo: Orchestrator) -> Deploy:
    """Deploys as the command does: makes an empty object and a configuration with its URL. Gives the path of the
    deployment, and the URL."""

    def deploy() -> tuple[str, str]:
        name = f"/reports/{uuid4()}"
        assert demo.ask("object-store", "PUT", name).is_success
        url = signed(f"{demo.endpoints['object-store']}{name}")
        inputs = {
            "deploy_signal_transport": "TEMP_URL_SIGNAL",
            "deploy_signal_id": url,
            "deploy_signal_verb": "PUT",
        }
        config = {
            "group": "script",
            "config": "#!/bin/sh\n",
            "inputs": [{"name": name, "value": value} for name, value in inputs.items()],
            "outputs": [{"name": "answer"}, {"name": "problem", "error_output": True}],
        }
        made = demo.api.post("/software_configs", json=config).json()["software_config"]
        body = {"config_id": made["id"], "server_id": "a-server", "status": "IN_PROGRESS"}
        answer = demo.api.post("/software_deployments", json=body)
        assert answer.status_code == 200, answer.text
        return f"/software_deployments/{answer.json()['software_deployment']['id']}", url

    return deploy


def signed(address: str) -> str:
    expires = int(time.time()) + 3600
    text = f"PUT\n{expires}\n{urlsplit(address).path}"
    signature = hmac.new(KEY.encode(), text.encode(), hashlib.sha256).hexdigest()
    return f"{address}?temp_url_sig={signature}&temp_url_expires={expires}"


def shown(user: Orchestrator, path: str) -> Any:
    answer = user.api.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()["software_deployment"]


def report(url: str, **reported: Any) -> None:
    assert httpx.put(url, json=reported).status_code == 201


def test_a_deployment_is_in_progress_until_its_server_reports(demo: Orchestrator, deploy: Deploy) -> None:
    path, url = deploy()
    assert shown(demo, path)["status"] == "IN_PROGRESS"

    report(url, deploy_status_code=0, deploy_stdout="done", deploy_stderr="", answer="42", other="x")

    found = shown(demo, path)
    assert found["status"] == "COMPLETE"
    assert found["output_values"] == {
        "answer": "42",
        "deploy_stdout": "done",
        "deploy_stderr": "",
        "deploy_status_code": 0,
    }
    listed = demo.api.get("/software_deployments").json()["software_deployments"]
    assert found in listed


@pytest.mark.parametrize(
    ("reported", "reason"),
    [
        ({"deploy_status_code": 3}, "deploy_status_code : the configuration ended with exit code 3"),
        ({"deploy_status_code": 0, "problem": "no disk"}, "problem : no disk"),
    ],
)
def test_a_report_may_tell_of_a_failure(
    demo: Orchestrator, deploy: Deploy, reported: dict[str, Any], reason: str
) -> None:
    path, url = deploy()

    report(url, **reported)

    found = shown(demo, path)
    assert (found["status"], found["status_reason"]) == ("FAILED", reason)


def test_what_was_reported_once_stays(demo: Orchestrator, deploy: Deploy) -> None:
    path, url = deploy()
    report(url, deploy_status_code=0)
    before = shown(demo, path)

    report(url, deploy_status_code=1)

    assert shown(demo, path) == before


def test_a_store_that_does_not_answer_leaves_it_as_it_is(
    demo: Orchestrator, admin: Orchestrator, deploy: Deploy
) -> None:
    path, url = deploy()
    report(url, deploy_status_code=0)

    with admin.fault(method="GET", path=urlsplit(url).path, status=503):
        assert shown(demo, path)["status"] == "IN_PROGRESS"

    assert shown(demo, path)["status"] == "COMPLETE"


def test_nobody_looks_into_a_store_of_another_project(
    demo: Orchestrator, admin: Orchestrator, deploy: Deploy
) -> None:
    """Else users could have an admin read what the admin's own project keeps at a place that they name."""
    path, url = deploy()
    assert admin.ask("object-store", "PUT", "/reports").is_success
    private = "/" + "/".join(urlsplit(url).path.rsplit("/", 2)[1:])
    assert admin.ask("object-store", "PUT", private, json={"answer": "a secret"}).is_success

    assert shown(admin, path)["status"] == "IN_PROGRESS"
    assert shown(demo, path)["status"] == "IN_PROGRESS"
