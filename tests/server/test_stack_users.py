"""Users of a stack at the REST API of a server, with the tokens and credentials that the stack hands out."""

from __future__ import annotations

import json
from typing import Any

import httpx2 as httpx
import pytest

from tests.support.server import Server, until


@pytest.fixture
def api(server: Server) -> httpx.Client:
    return server.api()


def made(api: httpx.Client, name: str, resources: dict[str, Any]) -> str:
    """Creates a stack and gives its path."""
    template = {"heat_template_version": "2018-08-31", "resources": resources}
    answer = api.post("/stacks", json={"stack_name": name, "template": template})
    assert answer.status_code == 201, answer.text
    return f"/stacks/{name}/{answer.json()['stack']['id']}"


def status(api: httpx.Client, path: str) -> str:
    return str(api.get(path).json()["stack"]["stack_status"])


def attributes(api: httpx.Client, path: str, name: str) -> Any:
    shown = api.get(f"{path}/resources/{name}").json().get("resource", {})
    complete = shown.get("resource_status") == "CREATE_COMPLETE"
    return shown["attributes"] if complete else None


def waiting(transport: str) -> dict[str, Any]:
    return {
        "handle": {"type": "OS::Heat::WaitConditionHandle", "properties": {"signal_transport": transport}},
        "wait": {
            "type": "OS::Heat::WaitCondition",
            "properties": {"handle": {"get_resource": "handle"}, "timeout": 60},
        },
    }


def test_a_token_signals_the_handle_it_was_made_for(api: httpx.Client) -> None:
    path = made(api, "token", waiting("TOKEN_SIGNAL"))
    known = until(lambda: attributes(api, path, "handle"))
    headers = {"X-Auth-Token": known["token"]}

    answer = httpx.post(known["endpoint"], headers=headers, json={"status": "SUCCESS", "data": "d"})

    assert (answer.status_code, answer.json()) == (200, None)
    until(lambda: status(api, path) == "CREATE_COMPLETE")
    own = known["endpoint"].replace("/signal", "/metadata")
    assert list(httpx.get(own, headers=headers).json()["metadata"]) == ["1"]
    others = own.replace("/resources/handle/", "/resources/wait/")
    assert httpx.get(others, headers=headers).status_code == 403
    stack = own.partition("/resources/")[0]
    assert httpx.get(stack, headers=headers).status_code == 403
    assert httpx.delete(stack, headers=headers).status_code == 403
    project = stack.partition("/stacks/")[0]
    assert httpx.get(f"{project}/stacks", headers=headers).status_code == 403
    assert httpx.get(f"{project}/stacks/token", headers=headers).status_code == 302

    api.delete(path)
    until(lambda: status(api, path) == "DELETE_COMPLETE")
    # The API may remember for a moment whose a token was.
    assert httpx.post(known["endpoint"], headers=headers, json={}).status_code in (401, 404)


def log_in(known: dict[str, Any]) -> str:
    user = {"id": known["user_id"], "password": known["password"]}
    body = {
        "auth": {
            "identity": {"methods": ["password"], "password": {"user": user}},
            "scope": {"project": {"id": known["project_id"]}},
        }
    }
    answer = httpx.post(f"{known['auth_url']}/auth/tokens", json=body)
    return str(answer.headers.get("X-Subject-Token", answer.status_code))


def test_credentials_log_in_until_the_stack_goes(api: httpx.Client) -> None:
    path = made(api, "heat", waiting("HEAT_SIGNAL"))
    known = json.loads(until(lambda: attributes(api, path, "handle"))["signal"])

    token = log_in(known)
    answer = httpx.post(known["alarm_url"], headers={"X-Auth-Token": token}, json={"status": "SUCCESS"})

    assert answer.status_code == 200, answer.text
    until(lambda: status(api, path) == "CREATE_COMPLETE")
    api.delete(path)
    until(lambda: status(api, path) == "DELETE_COMPLETE")
    assert log_in(known) == "401"


def test_a_server_reads_what_it_has_to_apply_and_reports(api: httpx.Client) -> None:
    path = made(
        api,
        "deployed",
        {
            "config": {
                "type": "OS::Heat::SoftwareConfig",
                "properties": {"group": "script", "config": "date", "outputs": [{"name": "o"}]},
            },
            "deployment": {
                "type": "OS::Heat::SoftwareDeployment",
                "properties": {
                    "name": "10-date",
                    "config": {"get_resource": "config"},
                    "server": "0f5a0c41-3d6a-4d0f-9a6e-2b3c4d5e6f70",
                    "signal_transport": "HEAT_SIGNAL",
                },
            },
        },
    )
    address = "/software_deployments/metadata/0f5a0c41-3d6a-4d0f-9a6e-2b3c4d5e6f70"
    (config,) = until(lambda: api.get(address).json()["metadata"])
    inputs = {one["name"]: one["value"] for one in config["inputs"]}
    known = {name: inputs[f"deploy_{name}"] for name in ("user_id", "password", "project_id", "auth_url")}
    token = log_in(known)
    base = str(api.base_url).rstrip("/").rpartition("/")[0] + f"/{known['project_id']}"

    read = httpx.get(f"{base}{address}", headers={"X-Auth-Token": token})
    assert read.json()["metadata"] == [config]
    signal = f"{base}/stacks/{inputs['deploy_stack_id']}/resources/{inputs['deploy_resource_name']}/signal"
    report = {"deploy_status_code": 0, "deploy_stdout": "now", "o": "value"}
    assert httpx.post(signal, headers={"X-Auth-Token": token}, json=report).status_code == 200

    until(lambda: status(api, path) == "CREATE_COMPLETE")
    assert attributes(api, path, "deployment")["deploy_stdout"] == "now"


def test_policies_show_what_a_user_of_iam_reads(api: httpx.Client, server: Server) -> None:
    path = made(
        api,
        "iam",
        {
            "seen": {"type": "OS::Heat::TestResource", "metadata": {"a": 1}},
            "unseen": {"type": "OS::Heat::TestResource", "metadata": {"b": 2}},
            "policy": {"type": "OS::Heat::AccessPolicy", "properties": {"AllowedResources": ["seen"]}},
            "user": {
                "type": "AWS::IAM::User",
                "properties": {
                    "LoginProfile": {"Password": "correct horse battery staple"},
                    "Policies": [{"get_resource": "policy"}],
                },
            },
            "keys": {"type": "AWS::IAM::AccessKey", "properties": {"UserName": {"get_resource": "user"}}},
        },
    )
    until(lambda: status(api, path) == "CREATE_COMPLETE")
    assert attributes(api, path, "keys")["SecretAccessKey"]
    project = api.get(path).json()["stack"]["stack_user_project_id"]
    known = {
        "user_id": api.get(f"{path}/resources/user").json()["resource"]["physical_resource_id"],
        "password": "correct horse battery staple",
        "project_id": project,
        "auth_url": f"http://127.0.0.1:{server.port + 2}/identity/v3",
    }
    headers = {"X-Auth-Token": log_in(known)}
    base = f"http://127.0.0.1:{server.port}/v1/{project}{path}/resources"

    assert httpx.get(f"{base}/seen/metadata", headers=headers).json() == {"metadata": {"a": 1}}
    assert httpx.get(f"{base}/unseen/metadata", headers=headers).status_code == 403
