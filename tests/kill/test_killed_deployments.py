"""A server is killed, in parts or as a whole, while scripts run on the servers of its stacks. Every deployment ends,
and none runs twice with the same inputs.

CALOR_DEPLOYMENT_KILLS and CALOR_KILL_SEED say how often, and what the random choices begin with.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.kill.killable_server import Served, until
from tests.software.site import attr, config, deployment, machine, noted, ref, runs_in, stop_servers
from tests.support.requirements import need_servers

KILLS = int(os.environ.get("CALOR_DEPLOYMENT_KILLS", "12"))
SEED = int(os.environ.get("CALOR_KILL_SEED", "1"))
VICTIMS = ("engine", "api", "cloud", "everything", "stopped")
SERVERS = {"a": "POLL_SERVER_HEAT", "b": "POLL_SERVER_CFN"}
SIGNALS = {"x": "HEAT_SIGNAL", "y": "CFN_SIGNAL", "z": "TEMP_URL_SIGNAL"}
LONGEST = 2.0
"""Seconds after the beginning of an update within which the server is killed: about as long as it takes."""


class Site(Served):
    """A server with real servers."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, backend="linux")

    def close(self) -> None:
        super().close()
        stop_servers(self.folder / "state")

    def create(self, template: dict[str, Any]) -> str:
        answer = self.ask("POST", "/stacks", {"stack_name": "s", "template": template})
        assert answer.status_code == 201, answer.text
        return f"s/{answer.json()['stack']['id']}"

    def update(self, path: str, template: dict[str, Any]) -> None:
        self.ask("PUT", f"/stacks/{path}", {"template": template})

    def ended(self, path: str) -> dict[str, Any]:
        def settled() -> dict[str, Any] | None:
            stack = self.stack(path)
            assert stack is not None
            return None if stack["stack_status"].endswith("_IN_PROGRESS") else stack

        found: dict[str, Any] = until(settled, "the end of the stack")
        return found

    def runs(self, path: str, name: str) -> Counter[str]:
        """How often each script ran on a server."""
        shown = self.ask("GET", f"/stacks/{path}/resources/{name}").json()["resource"]
        return Counter(runs_in(self.folder / "state", shown["physical_resource_id"]))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    need_servers(tmp_path)
    made = Site(tmp_path)
    yield made
    made.close()


def template(word: str) -> dict[str, Any]:
    """Scripts that note who they are and what they were given, on two servers."""
    network = [{"network": ref("net")}]
    resources: dict[str, Any] = {
        "net": {"type": "OS::Neutron::Net"},
        "subnet": {
            "type": "OS::Neutron::Subnet",
            "properties": {"network": ref("net"), "cidr": "10.72.0.0/24"},
        },
        "config": config(noted("$deploy_resource_name-$word", "sleep 0.2"), inputs=["word"]),
    }
    for server, transport in SERVERS.items():
        resources[server] = machine(
            user_data_format="SOFTWARE_CONFIG", software_config_transport=transport, networks=network
        )
        for name, signal in SIGNALS.items():
            resources[f"{server}_{name}"] = deployment(
                server, "config", signal, name=name, input_values={"word": word}
            )
    outputs = {"codes": {"value": [attr(f"{s}_{d}", "deploy_status_code") for s in SERVERS for d in SIGNALS]}}
    return {"heat_template_version": "2018-08-31", "resources": resources, "outputs": outputs}


def check(site: Site, path: str, words: list[str]) -> None:
    stack = site.ended(path)
    assert stack["stack_status"].endswith("_COMPLETE"), stack["stack_status_reason"]
    assert stack["outputs"][0]["output_value"] == [0] * len(SERVERS) * len(SIGNALS)
    for server in SERVERS:
        wanted = {f"{server}_{name}-{word}": 1 for name in SIGNALS for word in words}
        assert site.runs(path, server) == wanted


def test_a_script_runs_once_though_the_engine_is_killed(site: Site) -> None:
    path = site.create(template("new"))
    until(lambda: "fetched" in str(site.events(*path.split("/"))), "a server that fetches a deployment")
    site.raise_again("engine", site.fell("engine"))

    check(site, path, ["new"])


@pytest.mark.extended
def test_deployments_survive_kills(site: Site) -> None:
    random = Random(SEED)
    words = ["created"]
    path = site.create(template("created"))
    for number in range(KILLS):
        victim, moment = random.choice(VICTIMS), random.random() * LONGEST
        try:
            if number:
                words.append(f"w{number}")
                site.update(path, template(words[-1]))
            time.sleep(moment)
            site.raise_again(victim, site.fell(victim))
            check(site, path, words)
        except AssertionError as error:
            raise AssertionError(
                f"{error}\nkilled {victim} after {moment:.2f} s of round {number}; again: CALOR_KILL_SEED={SEED}"
            ) from error
