"""Deployments to several servers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.software.conftest import Make
from tests.software.site import Site, attr, config, noted, ref, server

SERVERS = {"a": server(), "b": server("POLL_SERVER_CFN")}


def group(kind: str, **properties: Any) -> dict[str, Any]:
    given = {
        "config": ref("config"),
        "servers": {name: ref(name) for name in SERVERS},
        "signal_transport": "HEAT_SIGNAL",
        **properties,
    }
    return {"type": f"OS::Heat::{kind}", "properties": given}


@pytest.mark.parametrize("kind", ["SoftwareDeploymentGroup", "SoftwareDeployments"])
def test_all_servers_get_the_deployment(site: Site, make: Make, kind: str) -> None:
    script = "#!/bin/sh\necho $word; printf $deploy_server_id >$heat_outputs_path.id"
    resources = {
        **SERVERS,
        "config": config(script, inputs=["word"], outputs=["id"]),
        "group": group(kind, input_values={"word": "hello"}),
    }
    names = ("id", "deploy_stdouts", "deploy_stderrs", "deploy_status_codes")
    path = make(resources, outputs={name: {"value": attr("group", name)} for name in names})

    assert site.outputs(path) == {
        "id": {name: site.id_of(path, name) for name in SERVERS},
        "deploy_stdouts": dict.fromkeys(SERVERS, "hello\n"),
        "deploy_stderrs": dict.fromkeys(SERVERS, ""),
        "deploy_status_codes": dict.fromkeys(SERVERS, 0),
    }


@pytest.mark.extended
def test_an_update_goes_from_server_to_server(site: Site, make: Make) -> None:
    """One at a time, as the policy says: the second begins when the first has ended."""

    def resources(word: str) -> dict[str, Any]:
        script = noted(
            "$word-begin-$(date +%s.%N)", "sleep 0.3", "echo $word-end-$(date +%s.%N) >>/root/runs"
        )
        return {
            **SERVERS,
            "config": config(script, inputs=["word"]),
            "group": {
                **group("SoftwareDeploymentGroup", input_values={"word": word}),
                "update_policy": {"rolling_update": {"max_batch_size": 1, "pause_time": 0}},
            },
        }

    path = make(resources("old"))
    site.update(path, resources("new"))

    moments = []
    for name in SERVERS:
        lines = [line.split("-") for line in site.runs(site.id_of(path, name))]
        assert [line[:2] for line in lines] == [[w, e] for w in ("old", "new") for e in ("begin", "end")]
        moments.append([float(line[2]) for line in lines if line[0] == "new"])
    first, second = sorted(moments)
    assert first[1] <= second[0]


def test_a_server_is_added_to_a_group(site: Site, make: Make) -> None:
    def resources(*names: str) -> dict[str, Any]:
        return {
            **SERVERS,
            "config": config(noted("ran")),
            "group": group("SoftwareDeploymentGroup", servers={name: ref(name) for name in names}),
        }

    path = make(resources("a"))
    site.update(path, resources("a", "b"))

    assert [site.runs(site.id_of(path, name)) for name in SERVERS] == [["ran"], ["ran"]]


def test_a_failure_on_one_server_fails_the_group(site: Site, make: Make) -> None:
    resources = {
        **SERVERS,
        "config": config(
            '#!/bin/sh\necho not on $name >&2\ntest "$deploy_server_id" = $good', inputs=["good"]
        ),
        "group": group("SoftwareDeploymentGroup", input_values={"good": ref("a")}),
    }
    path = make(resources, wait=False)

    stack = site.ended(path)
    assert stack["stack_status"] == "CREATE_FAILED"
    assert "resources.group.resources.b: deploy_status_code" in stack["stack_status_reason"].replace(
        "the server reports a failure: ", ""
    ).replace("Error: ", "")


def test_structured_deployments_of_a_group(site: Site, make: Make) -> None:
    structured = {
        "type": "OS::Heat::StructuredConfig",
        "properties": {"group": "json-file", "config": {"/etc/app.json": {"name": {"get_input": "name"}}}},
    }
    resources = {
        **SERVERS,
        "config": structured,
        "group": group("StructuredDeploymentGroup", input_values={"name": "x"}),
    }
    path = make(resources)

    for name in SERVERS:
        assert '"name": "x"' in site.run(site.id_of(path, name), "cat /etc/app.json")
