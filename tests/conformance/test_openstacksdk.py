"""openstacksdk's orchestration proxy, unmodified, against a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.server import Server

openstack = pytest.importorskip("openstack")

TEMPLATE: dict[str, Any] = {
    "heat_template_version": "2021-04-16",
    "parameters": {"length": {"type": "number", "default": 8}},
    "resources": {
        "secret": {"type": "OS::Heat::RandomString", "properties": {"length": {"get_param": "length"}}}
    },
    "outputs": {"secret": {"value": {"get_attr": ["secret", "value"]}}},
}


@pytest.fixture
def orchestration(generous: Server, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(generous.state_dir / "clouds.yaml"))
    return openstack.connect(cloud="calor").orchestration


def reached(orchestration: Any, stack: Any, status: str) -> Any:
    return orchestration.wait_for_status(stack, status=status, interval=0.1, wait=60)


def test_a_stack_lives(orchestration: Any) -> None:
    made = orchestration.create_stack(name="sdk", template=TEMPLATE, parameters={"length": 12}, tags="a,b")
    stack = reached(orchestration, made, "CREATE_COMPLETE")
    assert len(orchestration.get_stack(stack).outputs[0]["output_value"]) == 12
    assert orchestration.find_stack("sdk").id == stack.id
    assert [one.id for one in orchestration.stacks(tags=["a", "b"])] == [stack.id]

    assert [one.name for one in orchestration.resources(stack)] == ["secret"]
    events = list(orchestration.stack_events(stack, "secret"))
    assert [one.resource_status for one in events] == ["CREATE_COMPLETE", "CREATE_IN_PROGRESS"]
    assert len(list(orchestration.stack_events(stack))) > len(events)
    assert orchestration.get_stack_template(stack).outputs == TEMPLATE["outputs"]
    assert orchestration.get_stack_environment(stack).parameters == {"length": 12}
    assert orchestration.get_stack_files(stack) == {}

    # By its id: of an object that it knows, the SDK sends what is new alone.
    orchestration.update_stack(stack.id, template=TEMPLATE, parameters={"length": 16})
    reached(orchestration, stack, "UPDATE_COMPLETE")
    orchestration.check_stack(stack)
    reached(orchestration, stack, "CHECK_COMPLETE")
    orchestration.suspend_stack(stack)
    reached(orchestration, stack, "SUSPEND_COMPLETE")
    orchestration.resume_stack(stack)
    reached(orchestration, stack, "RESUME_COMPLETE")
    assert orchestration.export_stack(stack)["name"] == "sdk"

    orchestration.delete_stack(stack)
    orchestration.wait_for_delete(orchestration.get_stack(stack), interval=1, wait=60)
    assert orchestration.find_stack("sdk") is None


def test_a_stack_is_abandoned(orchestration: Any) -> None:
    stack = orchestration.create_stack(name="left", template=TEMPLATE)
    reached(orchestration, stack, "CREATE_COMPLETE")

    assert set(orchestration.abandon_stack(stack)["resources"]) == {"secret"}


def test_templates_and_environments_of_files(orchestration: Any, tmp_path: Path) -> None:
    template, environment = tmp_path / "template.yaml", tmp_path / "env.yaml"
    template.write_text("heat_template_version: 2021-04-16\nparameters: {size: {type: number}}\n")
    environment.write_text("parameters: {size: 3}\n")

    reported = orchestration.validate_template(template=TEMPLATE, environment={"parameters": {"length": 9}})
    read = orchestration.read_env_and_templates(
        template_file=str(template), environment_files=[str(environment)]
    )

    assert reported.parameters["length"]["Value"] == 9
    assert read["environment"] == {"parameters": {"size": 3}}


def test_software_is_configured_and_deployed(orchestration: Any) -> None:
    config = orchestration.create_software_config(name="c", group="script", config="true")
    assert config.id in [one.id for one in orchestration.software_configs()]
    assert orchestration.get_software_config(config).config == "true"
    deployment = orchestration.create_software_deployment(
        config_id=config.id, server_id="a-server", action="CREATE", status="IN_PROGRESS"
    )
    orchestration.update_software_deployment(deployment, status="COMPLETE", status_reason="done")
    assert orchestration.get_software_deployment(deployment).status == "COMPLETE"
    assert [one.id for one in orchestration.software_deployments(server_id="a-server")] == [deployment.id]
    orchestration.delete_software_deployment(deployment)
    orchestration.delete_software_config(config)

    assert config.id not in [one.id for one in orchestration.software_configs()]
