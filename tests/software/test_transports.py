"""Each way in which a server learns of its deployments, with each way in which it reports."""

from __future__ import annotations

import pytest

from tests.software.conftest import Make
from tests.software.site import Site, attr, config, deployment, noted, ref, server

METADATA = ("POLL_SERVER_CFN", "POLL_SERVER_HEAT", "POLL_TEMP_URL")
SIGNALS = ("CFN_SIGNAL", "HEAT_SIGNAL", "TEMP_URL_SIGNAL")

GREETING = """#!/bin/sh
echo "hello $who"
echo "careful" >&2
printf 'hi %s' "$who" >"$heat_outputs_path.greeting"
"""


@pytest.mark.parametrize("transport", METADATA)
def test_results_arrive(site: Site, make: Make, transport: str) -> None:
    resources = {
        "server": server(transport),
        "config": config(GREETING, inputs=["who"], outputs=["greeting"]),
        **{
            name: deployment("server", "config", name, name=name, input_values={"who": name})
            for name in SIGNALS
        },
    }
    names = ("greeting", "deploy_stdout", "deploy_stderr", "deploy_status_code")
    outputs = {name: {"value": [attr(name, each) for each in names]} for name in SIGNALS}
    path = make(resources, outputs=outputs)

    assert site.outputs(path) == {name: [f"hi {name}", f"hello {name}\n", "careful\n", 0] for name in SIGNALS}


@pytest.mark.extended
@pytest.mark.parametrize("transport", METADATA)
def test_an_update_reaches_the_server(site: Site, make: Make, transport: str) -> None:
    """Only what has changed runs again."""

    def resources(word: str) -> dict[str, object]:
        return {
            "server": server(transport),
            "first": config(noted("first")),
            "second": config(noted("second-$word"), inputs=["word"]),
            "one": deployment("server", "first", "CFN_SIGNAL", name="1"),
            "two": deployment("server", "second", "TEMP_URL_SIGNAL", name="2", input_values={"word": word}),
        }

    path = make(resources("a"))
    site.update(path, resources("b"))

    assert site.runs(site.id_of(path, "server")) == ["first", "second-a", "second-b"]


def test_nobody_waits_for_a_deployment_without_a_signal(site: Site, make: Make) -> None:
    resources = {
        "server": server(),
        "config": config(noted("quiet")),
        "quiet": deployment("server", "config", "NO_SIGNAL", name="1"),
        "after": config("#!/bin/sh\ncat /root/runs", outputs=[]),
        "loud": {**deployment("server", "after", name="2"), "depends_on": "quiet"},
    }
    path = make(resources, outputs={"seen": {"value": attr("loud", "deploy_stdout")}})

    assert site.outputs(path) == {"seen": "quiet\n"}


def test_the_transport_can_change(site: Site, make: Make) -> None:
    def resources(transport: str) -> dict[str, object]:
        return {
            "server": server(transport),
            "config": config("#!/bin/sh\necho $word", inputs=["word"]),
            "deployment": deployment("server", "config", input_values={"word": transport}),
        }

    outputs = {"word": {"value": attr("deployment", "deploy_stdout")}}
    path = make(resources("POLL_SERVER_HEAT"), outputs=outputs)
    before = site.id_of(path, "server")
    site.update(path, resources("POLL_SERVER_CFN"), outputs=outputs)

    assert site.outputs(path) == {"word": "POLL_SERVER_CFN\n"}
    assert site.id_of(path, "server") == before


def test_inputs_have_types_and_defaults(site: Site, make: Make) -> None:
    script = """#!/bin/sh
echo "$text $number $list $map $unset"
"""
    inputs = [
        {"name": "text", "default": "as declared"},
        {"name": "number", "type": "Number"},
        {"name": "list", "type": "CommaDelimitedList"},
        {"name": "map", "type": "Json"},
    ]
    values = {"number": 4, "list": ["a", "b"], "map": {"k": ref("server")}, "unset": "undeclared"}
    resources = {
        "server": server(),
        "config": config(script, inputs=inputs),
        "deployment": deployment("server", "config", input_values=values),
    }
    path = make(resources, outputs={"said": {"value": attr("deployment", "deploy_stdout")}})

    id = site.id_of(path, "server")
    assert site.outputs(path)["said"] == f'as declared 4 ["a", "b"] {{"k": "{id}"}} undeclared\n'


def test_the_server_knows_what_it_is_part_of(site: Site, make: Make) -> None:
    script = '#!/bin/sh\necho "$deploy_server_id $deploy_action $deploy_stack_id $deploy_resource_name"'
    resources = {
        "server": server(),
        "config": config(script),
        "deployment": deployment("server", "config"),
    }
    path = make(resources, outputs={"said": {"value": attr("deployment", "deploy_stdout")}})

    id, stack = site.id_of(path, "server"), path.removeprefix("/stacks/")
    assert site.outputs(path)["said"] == f"{id} CREATE {stack} deployment\n"
