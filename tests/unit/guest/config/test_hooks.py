"""Each hook applies a config by the tool of its group, and says clearly what is missing."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.unit.guest.config.guest import Guest, script
from tests.unit.guest.config.stack import PATIENCE

TOOL = """#!/bin/sh
{ echo "$@"; env; } > "$0.seen"
echo applied; echo careful >&2
exit ${TOOL_EXITS:-0}
"""


@pytest.fixture
def tool(guest: Guest) -> Path:
    """Stands for the tools that hooks run."""
    for group in ("ansible", "puppet", "docker_compose"):
        guest.environment[f"HEAT_{group.upper()}_WORKING"] = str(guest.folder / "working")
        guest.environment[f"HEAT_{group.upper()}_OUTPUTS"] = str(guest.folder / "outputs")
    guest.environment["HEAT_PUPPET_LOGDIR"] = str(guest.folder / "logs")
    guest.environment["HEAT_PUPPET_HIERA_DATADIR"] = str(guest.folder / "hieradata")
    guest.environment["HEAT_HIERA_CONFIG"] = str(guest.folder / "hiera.yaml")
    guest.environment["HEAT_CFN_INIT_LAST_METADATA_DIR"] = str(guest.folder / "metadata")
    return guest.write_program(guest.folder / "tool", TOOL)


def seen(tool: Path) -> list[str]:
    return Path(f"{tool}.seen").read_text().splitlines()


def config(id: str = "a1", **more: Any) -> dict[str, Any]:
    return {"id": id, "name": "app", "inputs": [], "options": {}, "config": "text", **more}


@pytest.mark.parametrize(
    ("group", "variable", "program", "content"),
    [
        ("ansible", "HEAT_ANSIBLE_CMD", "ansible-playbook", "text"),
        ("puppet", "HEAT_PUPPET_CMD", "puppet", "text"),
        ("docker-compose", "HEAT_DOCKER_COMPOSE_CMD", "docker-compose", {"web": {"image": "x"}}),
        ("cfn-init", "HEAT_CFN_INIT_CMD", "cfn-init", {"config": {}}),
        ("apply-config", "HEAT_APPLY_CONFIG_CMD", "os-apply-config", ""),
    ],
)
def test_a_tool_that_is_not_installed_fails_the_deployment(
    guest: Guest, tool: Path, group: str, variable: str, program: str, content: Any
) -> None:
    (guest.programs / program).unlink(missing_ok=True)
    guest.environment["PATH"] = str(guest.programs)
    result = guest.hook(group, config(config=content))
    assert result["deploy_status_code"] == 127
    assert result["deploy_stderr"] == f"{program} is not installed on this server."

    guest.environment[variable] = str(tool)
    guest.environment["PATH"] += ":/usr/bin:/bin"
    assert guest.hook(group, config(config=content)) == {
        "deploy_stdout": "applied\n",
        "deploy_stderr": "careful\n",
        "deploy_status_code": 0,
    }
    guest.environment["TOOL_EXITS"] = "6"
    assert guest.hook(group, config(config=content))["deploy_status_code"] == 6


@pytest.mark.parametrize(
    "group",
    ["script", "ansible", "puppet", "docker-compose", "cfn-init", "apply-config", "json-file", "hiera"],
)
def test_without_a_config_on_standard_input_a_hook_fails(guest: Guest, group: str) -> None:
    done = guest.run(guest.hooks / group, input="{::::")
    assert done.returncode == 1
    assert "no config" in done.stderr


@pytest.mark.parametrize("group", ["script", "ansible", "puppet"])
def test_an_id_leads_nowhere_else(guest: Guest, tool: Path, group: str) -> None:
    result = guest.hook(group, config("../../x"))
    assert result["deploy_status_code"] == 1
    assert "cannot name a file" in result["deploy_stderr"]


def test_inputs_are_variables_of_a_script(guest: Guest) -> None:
    values = {"text": "a b", "map": {"k": [1]}, "list": [1], "number": 5, "nothing": None}
    inputs = [{"name": name, "value": value} for name, value in values.items()]
    text = 'echo "$text|$map|$list|$number|$nothing|$heat_outputs_path"; pwd'
    result = guest.hook("script", script("a1", text, *inputs))
    assert result["deploy_stdout"].splitlines() == [
        f'a b|{{"k": [1]}}|[1]|5||{guest.folder}/outputs/a1',
        f"{guest.folder}/working",
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("echo no interpreter", "first line"),
        ("", "first line"),
        ("#!/no/such/interpreter\n", "'/no/such/interpreter'"),
        ("#!/bin/sh\r\necho hello\r\n", r"'/bin/sh\r'"),
    ],
)
def test_a_script_that_cannot_run_shows_why(guest: Guest, text: str, reason: str) -> None:
    result = guest.hook("script", config(config=text))
    assert result["deploy_status_code"] != 0
    assert reason in result["deploy_stderr"]


def test_a_name_that_no_variable_can_have_fails_the_deployment(guest: Guest) -> None:
    result = guest.hook("script", script("a1", "true", {"name": "a=b", "value": "c"}))
    assert result["deploy_status_code"] == 1
    assert "environment variable" in result["deploy_stderr"]


def test_outputs_come_only_from_the_folder_of_outputs(guest: Guest) -> None:
    (guest.folder / "private").write_text("secret")
    text = "mkdir -p $heat_outputs_path."
    outputs = [{"name": "/../../private"}]
    assert "secret" not in json.dumps(guest.hook("script", script("a1", text, outputs=outputs)))


def test_a_daemon_does_not_hold_up_the_result_and_stays_alive(guest: Guest) -> None:
    """It writes to what was the output of the script."""
    go, alive = guest.folder / "go", guest.folder / "alive"
    daemon = f"while [ ! -e {go} ]; do sleep 0.01; done; for i in 1 2 3; do echo still; done; touch {alive}"
    result = guest.hook("script", script("a1", f"({daemon}) & echo started"))
    assert result == {"deploy_stdout": "started\n", "deploy_stderr": "", "deploy_status_code": 0}
    go.touch()
    end = time.monotonic() + PATIENCE
    while not alive.exists():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_script_may_write_to_the_devices_of_its_output(guest: Guest) -> None:
    result = guest.hook("script", script("a1", "echo one; echo two > /dev/stdout; echo three > /dev/stderr"))
    assert result["deploy_stdout"] == "one\ntwo\n"
    assert result["deploy_stderr"] == "three\n"


def test_of_much_output_the_end_is_reported(guest: Guest) -> None:
    result = guest.hook("script", script("a1", "seq 1 1000000"))
    assert len(result["deploy_stdout"]) == 950_000
    assert result["deploy_stdout"].endswith("\n999999\n1000000\n")


def test_output_that_is_not_text_is_reported(guest: Guest) -> None:
    result = guest.hook("script", script("a1", r"printf 'a\377b'"))
    assert result["deploy_stdout"] == "a\N{REPLACEMENT CHARACTER}b"


def test_ansible_gets_the_playbook_and_its_variables(guest: Guest, tool: Path) -> None:
    guest.environment["HEAT_ANSIBLE_CMD"] = str(tool)
    options = {
        "tags": "a,b",
        "skip_tags": "c",
        "modulepath": "/m",
        "inventory": "hosts",
        "callback_plugins": "/p",
    }
    guest.hook("ansible", config(inputs=[{"name": "map", "value": {"k": 1}}], options=options))
    working = guest.folder / "working"
    command, *environment = seen(tool)
    assert command == (
        f"-i {working}/hosts --module-path /m --skip-tags c --tags a,b "
        f"{working}/a1_playbook.yaml --extra-vars @{working}/a1_variables.json"
    )
    assert "ANSIBLE_CALLBACK_PLUGINS=/p" in environment
    assert (working / "a1_playbook.yaml").read_text() == "text"
    assert json.loads((working / "a1_variables.json").read_text()) == {
        "map": {"k": 1},
        "heat_config_id": "a1",
        "heat_outputs_path": f"{guest.folder}/outputs/a1",
    }


def test_puppet_may_have_changed_something(guest: Guest, tool: Path) -> None:
    guest.environment.update(HEAT_PUPPET_CMD=str(tool), TOOL_EXITS="2")
    inputs = [{"name": "port", "value": 80}]
    result = guest.hook("puppet", config(inputs=inputs, creation_time="2015-07-16T11:40:20Z"))
    assert result["deploy_status_code"] == 0
    command, *environment = seen(tool)
    assert command.startswith("apply --color false --detailed-exitcodes --logdest console ")
    assert "FACTER_port=80" in environment
    log = guest.folder / "logs" / "2015-07-16-11-40-20Z-a1-stdout.log"
    assert log.read_text() == "applied\n"
    assert log.stat().st_mode & 0o077 == 0


def test_puppet_takes_inputs_from_hiera(guest: Guest, tool: Path) -> None:
    guest.environment["HEAT_PUPPET_CMD"] = str(tool)
    options = {"enable_hiera": True, "enable_facter": False}
    guest.hook("puppet", config(inputs=[{"name": "port", "value": 80}], options=options))
    assert json.loads((guest.folder / "hieradata" / "heat_config_app.json").read_text()) == {"port": 80}
    assert "FACTER_deploy_config_name=app" in seen(tool)
    assert "FACTER_port=80" not in seen(tool)


@pytest.mark.parametrize("content", [{"config": {"files": {}}}, '{"config": {"files": {}}}'])
def test_cfn_init_gets_the_config_as_metadata(guest: Guest, tool: Path, content: Any) -> None:
    guest.environment["HEAT_CFN_INIT_CMD"] = str(tool)
    guest.hook("cfn-init", config(config=content))
    metadata = json.loads((guest.folder / "metadata" / "last_metadata").read_text())
    assert metadata == {"AWS::CloudFormation::Init": {"config": {"files": {}}}}


def test_json_files_are_written_by_their_paths(guest: Guest) -> None:
    new, existing = guest.folder / "etc" / "new.json", guest.folder / "existing.json"
    existing.write_text("{}")
    existing.chmod(0o640)
    result = guest.hook("json-file", config(config={str(new): {"b": 1, "a": [2]}, str(existing): 3}))
    assert result["deploy_status_code"] == 0
    assert new.read_text() == '{\n    "a": [\n        2\n    ],\n    "b": 1\n}'
    assert existing.read_text() == "3"
    assert existing.stat().st_mode & 0o777 == 0o640
    assert "not a map" in guest.hook("json-file", config(config="text"))["deploy_stderr"]


def test_hiera_gets_a_hierarchy_and_data(guest: Guest, tool: Path) -> None:
    content = {"hierarchy": ['"%{::uuid}"', "compute"], "datafiles": {"compute": {"a": 1}}}
    assert guest.hook("hiera", config(config=content))["deploy_status_code"] == 0
    lines = (guest.folder / "hiera.yaml").read_text().splitlines()
    assert lines[-3:] == [":hierarchy:", '  - "%{::uuid}"', "  - compute"]
    assert json.loads((guest.folder / "hieradata" / "compute.json").read_text()) == {"a": 1}


def test_hiera_data_from_elsewhere_is_not_overwritten(guest: Guest, tool: Path) -> None:
    guest.environment["HEAT_HIERA_ELEMENT_CHECK_CMD"] = "echo {'a':1}"
    result = guest.hook("hiera", config(config={"datafiles": {"compute": {}}}))
    assert result["deploy_status_code"] == 1
    assert "hiera.datafiles" in result["deploy_stderr"]
    assert not (guest.folder / "hieradata").exists()


def test_compose_starts_what_the_config_describes(guest: Guest, tool: Path) -> None:
    guest.environment["HEAT_DOCKER_COMPOSE_CMD"] = str(tool)
    files = [{"file_name": "./web.env", "content": "A=1"}]
    for given in (files, json.dumps(files), str(files)):
        inputs = [{"name": "env_files", "value": given}]
        result = guest.hook("docker-compose", config(config={"web": {"image": "x"}}, inputs=inputs))
        assert result["deploy_status_code"] == 0, result
    command, *environment = seen(tool)
    project = guest.folder / "working" / "app"
    assert command == "up -d --no-build"
    assert f"PWD={project}" in environment
    assert (project / "web.env").read_text() == "A=1"
    assert (project / "web.env").stat().st_mode & 0o077 == 0
    assert (
        "image: x" in (project / "docker-compose.yml").read_text()
        or "image" in (project / "docker-compose.yml").read_text()
    )


def test_compose_has_nothing_to_do_for_a_deletion(guest: Guest, tool: Path) -> None:
    guest.environment["HEAT_DOCKER_COMPOSE_CMD"] = str(tool)
    inputs = [{"name": "deploy_action", "value": "DELETE"}]
    assert guest.hook("docker-compose", config(inputs=inputs))["deploy_status_code"] == 0
    assert not Path(f"{tool}.seen").exists()


def test_containers_of_deployments_that_are_gone_are_stopped(guest: Guest, tool: Path) -> None:
    guest.environment["HEAT_DOCKER_COMPOSE_CMD"] = str(tool)
    step = "50-heat-config-docker-compose"
    text = "web:\n  image: x\n"
    guest.give(config(group="docker-compose", config=text))
    assert guest.run(step).returncode == 0
    written = guest.folder / "working" / "app" / "docker-compose.yml"
    assert written.read_text() == text
    assert not Path(f"{tool}.seen").exists()

    guest.give()
    guest.environment["TOOL_EXITS"] = "1"
    assert guest.run(step).returncode == 0
    assert written.exists()
    del guest.environment["TOOL_EXITS"]
    assert guest.run(step).returncode == 0
    assert seen(tool)[0] == "kill"
    assert not written.exists()
