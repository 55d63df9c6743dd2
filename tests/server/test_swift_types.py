"""Stacks with containers, and signals by way of the object store of the embedded cloud."""

from __future__ import annotations

import json
from typing import Any

import httpx2 as httpx

from tests.server.orchestrator import Orchestrator
from tests.support.server import until


def containers(who: Orchestrator) -> list[str]:
    listed = who.ask("object-store", "GET", "?format=json").json()
    return [container["name"] for container in listed]


def box(**properties: Any) -> dict[str, Any]:
    return {"type": "OS::Swift::Container", "properties": properties}


def test_a_container_comes_and_goes_with_what_is_in_it(demo: Orchestrator) -> None:
    resources = {"box": box(name="box", PurgeOnDelete=True, **{"X-Container-Meta": {"colour": "red"}})}
    outputs = {"url": {"value": {"get_attr": ["box", "WebsiteURL"]}}}
    path = demo.create("box", resources, outputs=outputs)
    headers = demo.ask("object-store", "HEAD", "/box").headers
    assert headers["X-Container-Meta-Colour"] == "red"
    assert demo.outputs(path) == {"url": f"{demo.endpoints['object-store']}/box"}
    for name in ("a", "b/c"):
        assert demo.ask("object-store", "PUT", f"/box/{name}", content=b"x").status_code == 201

    demo.act(path, "check")
    demo.delete(path)

    assert "box" not in containers(demo)


def test_a_container_that_is_not_empty_keeps_its_stack(demo: Orchestrator) -> None:
    path = demo.create("full", {"box": box(name="full")})
    assert demo.ask("object-store", "PUT", "/full/a", content=b"x").status_code == 201

    demo.api.delete(path)
    demo.wait(path, "DELETE_FAILED")

    assert demo.ask("object-store", "DELETE", "/full/a").status_code == 204
    demo.delete(path)
    assert "full" not in containers(demo)


def address_of(who: Orchestrator, path: str, attribute: str) -> Any:
    """An attribute of the handle, as soon as there is one."""

    def look() -> Any:
        shown = who.api.get(f"{path}/resources/handle").json().get("resource", {})
        return shown["attributes"][attribute] if shown.get("resource_status") == "CREATE_COMPLETE" else None

    return until(look)


def waiting(handle: dict[str, Any], condition: str, count: int) -> dict[str, Any]:
    return {
        "handle": handle,
        "wait": {
            "type": condition,
            "properties": {"handle": {"get_resource": "handle"}, "timeout": 300, "count": count},
        },
    }


DATA = {"data": {"value": {"get_attr": ["wait", "data"]}}}


def test_signals_that_are_put_into_the_store_are_fetched(demo: Orchestrator) -> None:
    handle = {"type": "OS::Heat::SwiftSignalHandle"}
    path = demo.begin("swift", waiting(handle, "OS::Heat::SwiftSignal", 2), outputs=DATA)
    url = address_of(demo, path, "endpoint")

    assert httpx.put(url, json={"id": "x", "data": "one"}).status_code == 201
    assert httpx.put(url, json={"id": "y", "data": "two"}).status_code == 201

    demo.wait(path, "CREATE_COMPLETE")
    assert json.loads(demo.outputs(path)["data"]) == {"x": "one", "y": "two"}
    demo.delete(path)
    assert containers(demo) == []


def test_a_signal_without_a_body_is_a_success(demo: Orchestrator) -> None:
    handle = {"type": "OS::Heat::SwiftSignalHandle"}
    path = demo.begin("empty", waiting(handle, "OS::Heat::SwiftSignal", 1))

    assert httpx.put(address_of(demo, path, "endpoint")).status_code == 201

    demo.wait(path, "CREATE_COMPLETE")
    demo.delete(path)


def test_a_failure_in_the_store_fails_the_stack(demo: Orchestrator) -> None:
    handle = {"type": "OS::Heat::SwiftSignalHandle"}
    path = demo.begin("failing", waiting(handle, "OS::Heat::SwiftSignal", 1))

    body = {"status": "FAILURE", "reason": "no luck"}
    assert httpx.put(address_of(demo, path, "endpoint"), json=body).status_code == 201

    demo.wait(path, "CREATE_FAILED")
    reason = demo.api.get(path).json()["stack"]["stack_status_reason"]
    assert "SwiftSignalFailure: resources.wait: no luck" in reason
    demo.delete(path)
    assert containers(demo) == []


def test_a_handle_is_signalled_by_a_temporary_url(demo: Orchestrator) -> None:
    handle = {
        "type": "OS::Heat::WaitConditionHandle",
        "properties": {"signal_transport": "TEMP_URL_SIGNAL"},
    }
    path = demo.begin("handle", waiting(handle, "OS::Heat::WaitCondition", 1), outputs=DATA)
    url = json.loads(address_of(demo, path, "signal"))["alarm_url"]

    assert httpx.put(url, json={"id": "x", "data": {"a": 1}}).status_code == 201

    demo.wait(path, "CREATE_COMPLETE")
    assert json.loads(demo.outputs(path)["data"]) == {"x": {"a": 1}}
    demo.delete(path)
    assert containers(demo) == []


def test_a_deployment_reports_by_a_temporary_url(demo: Orchestrator) -> None:
    machine = {
        "type": "OS::Nova::Server",
        "properties": {
            "image": "cirros",
            "flavor": "m1.nano",
            "networks": [{"network": "heat-net"}],
            "user_data_format": "SOFTWARE_CONFIG",
        },
    }
    resources = {
        "machine": machine,
        "config": {
            "type": "OS::Heat::SoftwareConfig",
            "properties": {"group": "script", "config": "#!/bin/sh\n", "outputs": [{"name": "answer"}]},
        },
        "deployment": {
            "type": "OS::Heat::SoftwareDeployment",
            "properties": {
                "config": {"get_resource": "config"},
                "server": {"get_resource": "machine"},
                "signal_transport": "TEMP_URL_SIGNAL",
            },
        },
    }
    path = demo.begin(
        "deployed", resources, outputs={"answer": {"value": {"get_attr": ["deployment", "answer"]}}}
    )

    def report_to() -> str | None:
        listed = demo.api.get("/software_deployments").json()["software_deployments"]
        if not listed:
            return None
        config = demo.api.get(f"/software_configs/{listed[0]['config_id']}").json()["software_config"]
        inputs = {each["name"]: each.get("value") for each in config["inputs"]}
        return inputs.get("deploy_signal_id")

    url = until(report_to)
    body = {"deploy_status_code": 0, "deploy_stdout": "done", "answer": "42"}
    assert httpx.put(url, json=body).status_code == 201

    demo.wait(path, "CREATE_COMPLETE")
    assert demo.outputs(path) == {"answer": "42"}
    demo.delete(path)
    assert containers(demo) == []
