"""Servers of the embedded cloud can have the original agents."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from tests.conformance.original_agents import agents_image
from tests.support.linux import Machine
from tests.support.linux_fixtures import _possible, host_service, machine

__all__ = ["_possible", "host_service", "machine"]

DEPLOYMENT = {
    "id": "1",
    "name": "one",
    "group": "script",
    "config": "#!/bin/sh\necho hello $who >/root/greeting",
    "inputs": [{"name": "who", "value": "world", "type": "String"}],
    "outputs": [],
    "options": {},
}


def boot(machine: Machine, folder: Path) -> None:
    machine.boot("one", image=agents_image(folder), image_name="agents", memory_mb=512)
    machine.finished("one")


def test_the_original_agents_run_in_a_server(machine: Machine, tmp_path: Path) -> None:
    boot(machine, tmp_path)
    for program in ("os-collect-config", "os-apply-config"):
        assert "14.1.0" in machine.out("one", f"{program} --version 2>&1")
    assert "/usr/libexec/os-refresh-config" in machine.out("one", "os-refresh-config --print-base")
    assert "usage: cfn-init" in machine.out("one", "cfn-init --help")
    for name in ("os-collect-config", "os-refresh-config", "os-apply-config", "cfn-init"):
        assert machine.out("one", f"head -c 2 /usr/bin/{name}") == "#!"
    assert machine.run("one", "ls /usr/lib/calor-guest/* /usr/bin/calor-guest").stdout == ""


def test_the_original_agents_carry_out_a_deployment(machine: Machine, tmp_path: Path) -> None:
    boot(machine, tmp_path)
    metadata = json.dumps({"deployments": [DEPLOYMENT]})
    folder = "/var/lib/heat-cfntools"
    machine.out("one", f"mkdir -p {folder} && printf %s {shlex.quote(metadata)} >{folder}/cfn-init-data")
    done = machine.run("one", "os-collect-config --one-time --force --command os-refresh-config heat_local")
    assert machine.run("one", "cat /root/greeting").stdout == "hello world\n", done.stderr
