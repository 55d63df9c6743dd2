"""The unmodified agents of OpenStack, in a server of the embedded cloud, complete deployments of Calor."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.original_agents import agents_image
from tests.software.conftest import Make, make, site
from tests.software.site import Site, attr, config, deployment, machine, noted, ref, server

__all__ = ["make", "site"]

IMAGE = "agents"


@pytest.fixture(scope="module")
def image(site: Site, tmp_path_factory: pytest.TempPathFactory) -> str:
    tarball = agents_image(tmp_path_factory.mktemp("image"))
    about = {"name": IMAGE, "disk_format": "raw", "container_format": "bare"}
    id = site.ask("image", "POST", "/v2/images", json=about).json()["id"]
    headers = {"Content-Type": "application/octet-stream"}
    content = tarball.read_bytes()
    site.ask("image", "PUT", f"/v2/images/{id}/file", content=content, headers=headers).raise_for_status()
    return IMAGE


@pytest.mark.parametrize(
    ("metadata", "signals"),
    [
        ("POLL_SERVER_CFN", ("CFN_SIGNAL", "TEMP_URL_SIGNAL")),
        ("POLL_SERVER_HEAT", ("HEAT_SIGNAL", "CFN_SIGNAL")),
        ("POLL_TEMP_URL", ("TEMP_URL_SIGNAL", "HEAT_SIGNAL")),
    ],
)
def test_scripts_run_and_report(
    site: Site, make: Make, image: str, metadata: str, signals: tuple[str, ...]
) -> None:
    """At first and after an update."""
    script = noted("$word", "echo hello $word; printf $word >$heat_outputs_path.result")

    def resources(word: str) -> dict[str, Any]:
        return {
            "server": server(metadata, image=image),
            "config": config(script, inputs=["word"], outputs=["result"]),
            **{
                name: deployment("server", "config", name, input_values={"word": f"{word}-{name}"})
                for name in signals
            },
        }

    outputs = {name: {"value": [attr(name, "result"), attr(name, "deploy_stdout")]} for name in signals}
    path = make(resources("one"), outputs=outputs)
    assert site.outputs(path) == {name: [f"one-{name}", f"hello one-{name}\n"] for name in signals}
    site.update(path, resources("two"), outputs=outputs)
    assert site.outputs(path) == {name: [f"two-{name}", f"hello two-{name}\n"] for name in signals}

    ran = site.runs(site.id_of(path, "server"))
    assert sorted(ran) == sorted(f"{word}-{name}" for word in ("one", "two") for name in signals)


def test_a_failure_is_reported(site: Site, make: Make, image: str) -> None:
    resources = {
        "server": server(image=image),
        "config": config("#!/bin/sh\necho no disk >&2; exit 3"),
        "deployment": deployment("server", "config"),
    }
    path = make(resources, wait=False)

    assert site.ended(path)["stack_status"] == "CREATE_FAILED"
    assert "exit code 3; its output ended with: no disk" in site.failure(path, "deployment")


def test_the_cfn_tools_configure_and_signal(site: Site, make: Make, image: str) -> None:
    """With user data of a Heat template: metadata from the stack, and a signal to a pre-signed URL."""
    init = {
        "files": {"/etc/app.conf": {"content": "from the template\n", "mode": "000640"}},
        "commands": {"1": {"command": "cp /etc/app.conf /root/seen"}},
    }
    script = """#!/bin/sh
cfn-init -s STACK -r server
cfn-signal -e $? -d done -i 1 'URL'
"""
    resources = {
        "handle": {"type": "AWS::CloudFormation::WaitConditionHandle"},
        "condition": {
            "type": "AWS::CloudFormation::WaitCondition",
            "properties": {"Handle": ref("handle"), "Timeout": "600"},
        },
        "server": {
            **machine(
                image=image,
                user_data={
                    "str_replace": {
                        "template": script,
                        "params": {"STACK": {"get_param": "OS::stack_name"}, "URL": ref("handle")},
                    }
                },
            ),
            "metadata": {"AWS::CloudFormation::Init": {"config": init}},
        },
    }
    path = make(resources, outputs={"data": {"value": attr("condition", "Data")}})

    assert site.outputs(path) == {"data": '{"1": "done"}'}
    assert site.run(site.id_of(path, "server"), "cat /root/seen") == "from the template\n"
