"""The `openstack` command, unmodified: every command that python-heatclient brings is used on a real server."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.server import PATIENCE, Server

shell = pytest.importorskip("openstackclient.shell")
COMMANDS = {entry.name.replace("_", " ") for entry in entry_points(group="openstack.orchestration.v1")}

TEMPLATE: dict[str, Any] = {
    "heat_template_version": "2021-04-16",
    "parameters": {"text": {"type": "string", "default": "some"}, "wait": {"type": "number", "default": 0}},
    "resources": {
        "hooked": {
            "type": "OS::Heat::TestResource",
            "metadata": {"role": "first"},
            "properties": {
                "value": {"get_param": "text"},
                "action_wait_secs": {"update": {"get_param": "wait"}},
            },
        },
        "handle": {"type": "OS::Heat::WaitConditionHandle"},
        "below": {"type": "below.yaml"},
    },
    "outputs": {"text": {"value": {"get_attr": ["hooked", "output"]}}},
}
BELOW = {"heat_template_version": "2021-04-16", "resources": {"inner": {"type": "OS::Heat::RandomString"}}}
FAILING = {
    "heat_template_version": "2021-04-16",
    "resources": {"broken": {"type": "OS::Heat::TestResource", "properties": {"fail": True}}},
}


class Openstack:
    """The command, within this process, as starting it takes seconds. Notes which commands were used."""

    def __init__(self, server: Server, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.client = server.client()
        self.used: set[str] = set()
        self._directory = directory
        for name in [name for name in os.environ if name.startswith("OS_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(server.state_dir / "clouds.yaml"))
        monkeypatch.chdir(directory)

    def __call__(self, command: str, *arguments: str) -> str:
        assert command in COMMANDS
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = shell.main(["--os-cloud", "calor", *command.split(), *arguments])
        assert code == 0, f"{command}: {err.getvalue()}"
        self.used.add(command)
        return out.getvalue()

    def shown(self, command: str, *arguments: str) -> Any:
        return json.loads(self(command, *arguments, "-f", "json"))

    def apart(self, command: str, *arguments: str, cloud: str = "calor") -> str:
        """In a process of its own: within one, the client stays whoever it was first, and some commands write past
        what is caught here."""
        main = "import sys; from openstackclient.shell import main; sys.exit(main(sys.argv[1:]))"
        line = [sys.executable, "-c", main, "--os-cloud", cloud, *command.split(), *arguments]
        out = subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True).stdout
        self.used.add(command)
        return out

    def file(self, name: str, content: Any) -> str:
        path = self._directory / name
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
        return str(path)

    def until(self, stack: str, status: str) -> None:
        """Waits for a stack, faster than `--wait` does."""
        self.wait(lambda: self.client.get(f"/stacks/{stack}").json()["stack"]["stack_status"] == status)

    def wait(self, done: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < end
            time.sleep(0.05)


@pytest.fixture
def openstack(generous: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Openstack:
    return Openstack(generous, tmp_path, monkeypatch)


def test_all_commands_work(openstack: Openstack, capsys: pytest.CaptureFixture[str]) -> None:
    _about_the_service(openstack)
    _about_templates(openstack)
    _a_stack_with_a_hook(openstack)
    _its_parts(openstack)
    _its_resources_and_events(openstack)
    _its_actions(openstack)
    _its_snapshots(openstack)
    _its_transfer(openstack)
    _a_stack_that_fails(openstack)
    _about_software(openstack)

    with capsys.disabled():
        print(f"\nopenstack: {len(openstack.used)} of {len(COMMANDS)} commands work")
    assert openstack.used == COMMANDS


def _about_the_service(run: Openstack) -> None:
    assert run.shown("orchestration build info")["api"]
    engines = json.loads(run.apart("orchestration service list", "-f", "json", cloud="calor-admin"))
    assert [one["Status"] for one in engines] == ["up"]


def _about_templates(run: Openstack) -> None:
    named = run.shown("orchestration resource type list", "--filter", "name=OS::Heat::Val", "--long")
    assert [one["Resource Type"] for one in named] == ["OS::Heat::Value"]
    template = run.shown("orchestration resource type show", "OS::Heat::Value", "--template-type", "hot")
    assert template["heat_template_version"] == "2016-10-14"
    versions = run.shown("orchestration template version list")
    assert "heat_template_version.2021-04-16" in [one["Version"] for one in versions]
    functions = run.shown(
        "orchestration template function list", "heat_template_version.2021-04-16", "--with_conditions"
    )
    assert {"get_attr", "equals"} <= {one["Functions"] for one in functions}
    run.file("below.yaml", BELOW)
    declared = run.shown(
        "orchestration template validate",
        *("-t", run.file("template.yaml", TEMPLATE), "--parameter", "text=other", "--show-nested"),
    )
    assert declared["Parameters"]["text"]["Value"] == "other"
    assert "below" in declared["NestedParameters"]


def _a_stack_with_a_hook(run: Openstack) -> None:
    template, environment = "template.yaml", run.file("env.yaml", {"parameters": {"text": "first"}})
    preview = run.shown("stack create", "s", "-t", template, "-e", environment, "--dry-run")
    assert preview["stack_name"] == "s"
    run(
        "stack create",
        *("s", "-t", template, "--parameter", "text=first", "--pre-create", "hooked", "--tags", "a,b"),
        *("--timeout", "10", "--enable-rollback"),
    )
    run.wait(lambda: run.shown("stack hook poll", "s", "--nested-depth", "2") != [])
    run("stack hook clear", "s", "hooked", "--pre-create")
    run.until("s", "CREATE_COMPLETE")
    update = ("stack update", "s", "-t", template, "--existing")
    changes = json.loads(run(*update, "--parameter", "text=second", "--dry-run", "-f", "json"))
    # Nested stacks count as updated, whether or not something changes in them.
    assert [one["resource_name"] for one in changes["updated"]] == ["below", "hooked"]
    run(*update, "--parameter", "text=second", "--wait")
    shown = run.shown("stack show", "s")
    assert shown["stack_status"] == "UPDATE_COMPLETE"
    assert shown["parameters"]["text"] == "second"
    listed = run.shown("stack list", "--tags", "b", "--sort", "stack_name:asc", "--property", "name=s")
    assert [one["Stack Name"] for one in listed] == ["s"]


def _its_parts(run: Openstack) -> None:
    assert run.shown("stack template show", "s")["parameters"] == TEMPLATE["parameters"]
    assert run.shown("stack environment show", "s")["parameters"] == {"text": "second"}
    assert [name for name in run.shown("stack file list", "s")["files"] if name.endswith("below.yaml")]
    assert [one["output_key"] for one in run.shown("stack output list", "s")] == ["text"]
    assert run.shown("stack output show", "s", "text")["output_key"] == "text"


def _its_resources_and_events(run: Openstack) -> None:
    listed = run.shown("stack resource list", "s", "-n", "2", "--long", "--filter", "status=COMPLETE")
    assert {one["resource_name"] for one in listed} == {"hooked", "handle", "below", "inner"}
    shown = run.shown("stack resource show", "s", "hooked", "--with-attr", "output")
    assert shown["attributes"]["output"] == "second"
    assert json.loads(run("stack resource metadata", "s", "hooked")) == {"role": "first"}
    run("stack resource signal", "s", "handle", "--data", '{"status": "SUCCESS", "id": "1", "data": "x"}')
    run.wait(lambda: json.loads(run("stack resource metadata", "s", "handle")) != {})
    run("stack resource mark unhealthy", "s", "hooked", "looks", "--reset")
    run("stack resource mark unhealthy", "s", "hooked", "looks")
    events = run.shown("stack event list", "s", "--nested-depth", "2", "--sort", "event_time:desc")
    ill = next(one for one in events if one["resource_name"] == "hooked")
    assert ill["resource_status"] == "CHECK_FAILED"
    shown = run.shown("stack event show", "s", "hooked", ill["id"])
    assert shown["resource_type"] == "OS::Heat::TestResource"


def _its_actions(run: Openstack) -> None:
    run("stack check", "s")
    run.until("s", "CHECK_COMPLETE")
    run("stack suspend", "s")
    run.until("s", "SUSPEND_COMPLETE")
    run("stack resume", "s", "--wait")
    run("stack update", "s", "--existing", "--parameter", "text=third", "--parameter", "wait=120")
    run.until("s", "UPDATE_IN_PROGRESS")
    run("stack cancel", "s")
    run.until("s", "ROLLBACK_COMPLETE")


def _its_snapshots(run: Openstack) -> None:
    made = run.shown("stack snapshot create", "s", "--name", "kept")
    run.until("s", "SNAPSHOT_COMPLETE")
    assert [one["id"] for one in run.shown("stack snapshot list", "s")] == [made["ID"]]
    assert "kept" in run("stack snapshot show", "s", made["ID"])
    run("stack snapshot restore", "s", made["ID"])
    run.until("s", "RESTORE_COMPLETE")
    run("stack snapshot delete", "s", made["ID"], "--yes")


def _its_transfer(run: Openstack) -> None:
    assert run.shown("stack export", "s")["name"] == "s"
    run("stack abandon", "s", "--output-file", "left.json")
    run.wait(lambda: run.client.get("/stacks/s").status_code == 404)
    run("stack adopt", "t", "--adopt-file", "left.json", "--wait")
    run("stack delete", "t", "--yes", "--wait")
    assert "t" not in [one["Stack Name"] for one in run.shown("stack list")]


def _a_stack_that_fails(run: Openstack) -> None:
    run("stack create", "f", "-t", run.file("failing.yaml", FAILING))
    run.until("f", "CREATE_FAILED")
    assert "broken" in run("stack failures list", "f", "--long")
    run("stack delete", "f", "--yes")


def _about_software(run: Openstack) -> None:
    definition = run.file("definition.yaml", {"inputs": [{"name": "who"}], "outputs": [{"name": "result"}]})
    script = run.file("script.sh", "#!/bin/sh\necho hello $who\n")
    config = run.shown(
        "software config create",
        *("c", "--config-file", script, "--definition-file", definition, "--group", "script"),
    )["id"]
    assert [one["id"] for one in run.shown("software config list", "--limit", "5")] == [config]
    assert "hello" in run("software config show", config, "--config-only")
    deployment = run.shown(
        "software deployment create",
        *("d", "--config", config, "--server", "server", "--input-value", "who=you"),
        *("--signal-transport", "NO_SIGNAL", "--action", "CREATE"),
    )["id"]
    assert [one["id"] for one in run.shown("software deployment list", "--server", "server")] == [deployment]
    shown = run.shown("software deployment show", deployment, "--long")
    assert (shown["action"], shown["server_id"]) == ("CREATE", "server")
    run.client.put(f"/software_deployments/{deployment}", json={"output_values": {"result": "hello you"}})
    assert "hello you" in run.apart("software deployment output show", deployment, "--all", "--long")
    assert "who" in run("software deployment metadata show", "server")
    run("software deployment delete", deployment)
    run("software config delete", config)
