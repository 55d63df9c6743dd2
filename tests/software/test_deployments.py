"""What deployments do on a server, by action, and how they fail."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from tests.software.conftest import Make
from tests.software.site import Site, attr, config, deployment, noted, server
from tests.support.server import until

ACTIONS = ["CREATE", "UPDATE", "DELETE", "SUSPEND", "RESUME"]


def test_a_failing_script_fails_the_stack_with_its_last_lines(site: Site, make: Make) -> None:
    script = "#!/bin/sh\necho starting\nfor n in 1 2 3; do echo line $n >&2; done\nexit 7"
    resources = {
        "server": server(),
        "config": config(script),
        "deployment": deployment("server", "config"),
        "after": {**deployment("server", "config"), "depends_on": "deployment"},
    }
    path = make(resources, wait=False)

    stack = site.ended(path)
    assert stack["stack_status"] == "CREATE_FAILED"
    for words in ("exit code 7", "line 1 / line 2 / line 3"):
        assert words in stack["stack_status_reason"]
        assert words in site.failure(path, "deployment")
    assert site.resource(path, "after")["resource_status"] == "INIT_COMPLETE"


def test_an_error_output_fails_the_stack(site: Site, make: Make) -> None:
    script = "#!/bin/sh\nprintf 'the disk is full' >$heat_outputs_path.problem"
    outputs = [{"name": "problem", "error_output": True}]
    resources = {
        "server": server(),
        "config": config(script, outputs=outputs),
        "deployment": deployment("server", "config"),
    }
    path = make(resources, wait=False)

    assert site.ended(path)["stack_status"] == "CREATE_FAILED"
    assert "problem : the disk is full" in site.failure(path, "deployment")


def test_a_failed_deployment_runs_again_in_an_update(site: Site, make: Make) -> None:
    def resources(code: int) -> dict[str, Any]:
        return {
            "server": server(),
            "good": config(noted("good")),
            "bad": config(noted("bad", f"exit {code}")),
            "one": deployment("server", "good", name="1"),
            "two": {**deployment("server", "bad", name="2"), "depends_on": "one"},
        }

    path = make(resources(1), wait=False)
    assert site.ended(path)["stack_status"] == "CREATE_FAILED"
    site.update(path, resources(0))

    assert site.runs(site.id_of(path, "server")) == ["good", "bad", "bad"]


def test_a_deployment_waits_for_the_hook_of_its_group(site: Site, make: Make) -> None:
    """What it waits for is in the reason of its status."""
    hook = "#!/usr/bin/env python3\nimport json, sys\njson.dump({'said': json.load(sys.stdin)['config']}, sys.stdout)"
    resources = {
        "server": server(),
        "config": config("words", group="mine", outputs=["said"]),
        "mine": deployment("server", "config"),
    }
    path = make(resources, wait=False, outputs={"said": {"value": attr("mine", "said")}})
    until(lambda: "There is no hook for the group mine" in site.deployment(path, "mine")["status_reason"])
    place = "/var/lib/heat-config/hooks"
    command = f"mkdir -p {place}; printf %s {shlex.quote(hook)} >{place}/mine; chmod +x {place}/mine"
    site.run(site.id_of(path, "server"), f"{command}; os-refresh-config")

    site.wait(path, "CREATE_COMPLETE")
    assert site.outputs(path) == {"said": "words"}


def test_each_action_can_run_a_script(site: Site, make: Make) -> None:
    def resources(word: str) -> dict[str, Any]:
        return {
            "server": server(),
            "config": config(noted("$deploy_action-$word"), inputs=["word"]),
            "deployment": deployment("server", "config", actions=ACTIONS, input_values={"word": word}),
        }

    path = make(resources("a"))
    id = site.id_of(path, "server")
    site.update(path, resources("b"))
    site.act(path, "suspend")
    site.act(path, "resume")
    only_server = {"server": resources("b")["server"]}
    site.update(path, only_server)

    assert site.runs(id) == ["CREATE-a", "UPDATE-b", "SUSPEND-b", "RESUME-b", "DELETE-b"]


@pytest.mark.parametrize("is_group", [False, True])
def test_outputs_follow_when_a_stack_is_suspended(site: Site, make: Make, is_group: bool) -> None:
    deployed = deployment("server", "config", actions=ACTIONS)
    if is_group:
        properties = {"config": {"get_resource": "config"}, "actions": ACTIONS}
        servers = {"one": {"get_resource": "server"}}
        deployed = {
            "type": "OS::Heat::SoftwareDeploymentGroup",
            "properties": {**properties, "servers": servers},
        }
    resources = {
        "server": server(),
        "config": config("#!/bin/sh\nprintf $deploy_action >$heat_outputs_path.action", outputs=["action"]),
        "deployment": deployed,
    }

    def shown(action: str) -> dict[str, Any]:
        return {"action": {"one": action} if is_group else action}

    path = make(resources, outputs={"action": {"value": attr("deployment", "action")}})
    assert site.outputs(path) == shown("CREATE")
    site.act(path, "suspend")
    assert site.outputs(path) == shown("SUSPEND")
    site.act(path, "resume")
    assert site.outputs(path) == shown("RESUME")


@pytest.mark.extended
def test_a_component_has_a_script_for_each_action(site: Site, make: Make) -> None:
    def resources(word: str) -> dict[str, Any]:
        parts = [
            {"actions": actions, "tool": "script", "config": noted(f"{name}-$word")}
            for name, actions in {"set-up": ["CREATE"], "change": ["UPDATE"], "clean": ["DELETE"]}.items()
        ]
        component = {"type": "OS::Heat::SoftwareComponent", "properties": {"configs": parts}}
        component["properties"]["inputs"] = [{"name": "word"}]
        return {
            "server": server(),
            "component": component,
            "deployment": deployment("server", "component", input_values={"word": word}),
        }

    path = make(resources("a"))
    id = site.id_of(path, "server")
    site.update(path, resources("b"))
    site.update(path, {"server": resources("b")["server"]})

    assert site.runs(id) == ["set-up-a", "change-b", "clean-b"]


def test_results_flow_from_one_server_to_another(site: Site, make: Make) -> None:
    resources = {
        "db": server(),
        "web": server("POLL_SERVER_CFN"),
        "set_up": config(
            "#!/bin/sh\nprintf secret-%s $name >$heat_outputs_path.password",
            inputs=["name"],
            outputs=["password"],
        ),
        "use": config("#!/bin/sh\necho with $password at $db", inputs=["password", "db"]),
        "on_db": deployment("db", "set_up", input_values={"name": "x"}),
        "on_web": deployment(
            "web",
            "use",
            "CFN_SIGNAL",
            input_values={"password": attr("on_db", "password"), "db": attr("db", "first_address")},
        ),
    }
    outputs = {
        "said": {"value": attr("on_web", "deploy_stdout")},
        "db": {"value": attr("db", "first_address")},
    }
    path = make(resources, outputs=outputs)

    found = site.outputs(path)
    assert found["said"] == f"with secret-x at {found['db']}\n"


def test_a_stack_is_deleted_while_a_script_runs(site: Site, make: Make) -> None:
    resources = {
        "server": server(),
        "config": config(noted("begun", "sleep 600")),
        "deployment": deployment("server", "config"),
    }
    path = make(resources, wait=False)
    site.event(path, "The server has fetched the deployment")

    site.delete(path)


def test_a_structured_config_is_filled_with_inputs(site: Site, make: Make) -> None:
    """The hook json-file writes what it is given."""

    def resources(port: int) -> dict[str, Any]:
        return {
            "server": server(),
            "config": {
                "type": "OS::Heat::StructuredConfig",
                "properties": {
                    "group": "json-file",
                    "inputs": [{"name": "port", "type": "Number"}],
                    "config": {"/etc/app.json": {"listen": {"get_input": "port"}, "hosts": ["a", "b"]}},
                },
            },
            "deployment": {
                **deployment("server", "config", input_values={"port": port}),
                "type": "OS::Heat::StructuredDeployment",
            },
        }

    path = make(resources(80))
    id = site.id_of(path, "server")
    assert '"listen": 80' in site.run(id, "cat /etc/app.json")
    site.update(path, resources(81))
    assert '"listen": 81' in site.run(id, "cat /etc/app.json")
