"""Stacks with software on real servers: a Calor with its embedded cloud, what templates need, and a look inside."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.server.orchestrator import Orchestrator
from tests.support.server import PATIENCE, Server, until

NETWORK = "software"


class Site(Orchestrator):
    """A user of a cloud whose servers run, with a network for them."""

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self.server = server
        answer = self.ask("network", "POST", "/v2.0/networks", json={"network": {"name": NETWORK}})
        network = answer.json()["network"]["id"]
        subnet = {"name": NETWORK, "network_id": network, "cidr": "10.71.0.0/16", "ip_version": 4}
        self.ask("network", "POST", "/v2.0/subnets", json={"subnet": subnet}).raise_for_status()

    def run(self, server: str, command: str) -> str:
        return run_in(self.server.state_dir, server, command)

    def runs(self, server: str) -> list[str]:
        return runs_in(self.server.state_dir, server)

    def ended(self, path: str) -> dict[str, Any]:
        """The stack when its action has ended."""

        def settled() -> dict[str, Any] | None:
            stack: dict[str, Any] = self.api.get(path).json()["stack"]
            return None if stack["stack_status"].endswith("_IN_PROGRESS") else stack

        return until(settled)

    def event(self, path: str, words: str) -> None:
        """Returns when there is an event with these words."""

        def found() -> bool:
            events = self.api.get(f"{path}/events", params={"nested_depth": 3}).json()["events"]
            return any(words in (event["resource_status_reason"] or "") for event in events)

        until(found)

    def deployment(self, path: str, name: str) -> dict[str, Any]:
        """What the API shows of a deployment."""
        id = until(lambda: self.resource(path, name)["physical_resource_id"])
        found: dict[str, Any] = self.api.get(f"/software_deployments/{id}").json()["software_deployment"]
        return found

    def failure(self, path: str, name: str) -> str:
        """The reason for which a resource failed."""
        found = self.resource(path, name)
        assert found["resource_status"].endswith("_FAILED"), found
        return str(found["resource_status_reason"])

    def remove(self, path: str) -> None:
        """Deletes a stack, and waits only for the request: others do not need what it has."""
        self.api.delete(path)


def run_in(state_dir: Path, server: str, command: str) -> str:
    """What a command prints in a server, by its id."""
    shell = [sys.executable, "-m", "calor", "cloud", "ssh", "--state-dir", str(state_dir), server]
    done = subprocess.run(
        [*shell, command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def stop_servers(state_dir: Path) -> None:
    """They outlive their Calor."""
    command = [sys.executable, "-m", "calor", "cloud", "stop", "--state-dir", str(state_dir)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


RUNS = "/root/runs"


def runs_in(state_dir: Path, server: str) -> list[str]:
    """The lines that scripts have added to the file of `noted`."""
    return run_in(state_dir, server, f"cat {RUNS} 2>/dev/null || true").split()


def noted(word: str, *more: str) -> str:
    """A script that leaves a line in the server each time it runs."""
    return "\n".join(("#!/bin/sh", f"echo {word} >>{RUNS}", *more, ""))


def ref(name: str) -> dict[str, str]:
    return {"get_resource": name}


def attr(*path: Any) -> dict[str, Any]:
    return {"get_attr": list(path)}


def server(transport: str = "POLL_SERVER_HEAT", **properties: Any) -> dict[str, Any]:
    """A server with an agent."""
    return machine(user_data_format="SOFTWARE_CONFIG", software_config_transport=transport, **properties)


def machine(type: str = "OS::Nova::Server", **properties: Any) -> dict[str, Any]:
    given = {"image": "debian-12", "flavor": "m1.small", "networks": [{"network": NETWORK}], **properties}
    return {"type": type, "properties": given}


def config(script: str, **properties: Any) -> dict[str, Any]:
    """Inputs and outputs are given by their names."""
    named = {
        key: [each if isinstance(each, dict) else {"name": each} for each in properties.pop(key)]
        for key in ("inputs", "outputs")
        if key in properties
    }
    return {
        "type": "OS::Heat::SoftwareConfig",
        "properties": {"group": "script", "config": script, **named, **properties},
    }


def deployment(server: str, config: str, transport: str = "HEAT_SIGNAL", **properties: Any) -> dict[str, Any]:
    return {
        "type": "OS::Heat::SoftwareDeployment",
        "properties": {
            "server": ref(server),
            "config": ref(config),
            "signal_transport": transport,
            **properties,
        },
    }
