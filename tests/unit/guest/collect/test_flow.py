"""From the metadata that a server boots with to what is done with its deployments, with the programs as processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from calor_guest.archive import archive
from calor_guest.install import install
from tests.unit.guest.collect.stand_in import StandIn

DEPLOYMENT = {
    "id": "1",
    "name": "first",
    "group": "script",
    "config": "echo",
    "inputs": [],
    "reports_progress": True,
}
STEP = """#!/bin/sh
exec {programs}/20-os-apply-config --root {root}
"""
RECORD = """#!/bin/sh
cat {root}/var/run/heat-config/heat-config >>{root}/seen
echo >>{root}/seen
exit "$(cat {root}/exit-code 2>/dev/null || echo 0)"
"""


class Guest:
    """A root folder with the tools, whose step for deployments notes what it is given."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.programs = root / "programs"
        self.process: subprocess.Popen[bytes] | None = None
        self.programs.mkdir()
        (root / "archive.pyz").write_bytes(archive())
        (root / "archive.pyz").chmod(0o755)
        for name in ("os-collect-config", "os-refresh-config", "20-os-apply-config"):
            (self.programs / name).symlink_to(root / "archive.pyz")
        self.step("10-apply", STEP)
        self.step("20-record", RECORD)

    def step(self, name: str, text: str) -> None:
        path = self.root / "steps" / "configure.d" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(root=self.root, programs=self.programs))
        path.chmod(0o755)

    @property
    def settings(self) -> Path:
        return self.root / "etc" / "os-collect-config.conf"

    def boots(self, metadata: object, *options: str) -> None:
        (self.root / "cfn-init-data").write_text(json.dumps(metadata))
        self.settings.parent.mkdir(exist_ok=True)
        self.settings.write_text(f"[DEFAULT]\ncommand = os-refresh-config --lockfile {self.root}/lock\n")
        environment = {
            **os.environ,
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "OS_REFRESH_CONFIG_BASE_DIR": str(self.root / "steps"),
            "OS_CONFIG_APPLIER_TEMPLATES": str(self.root / "templates"),
        }
        command = ["os-collect-config", "--config-file", str(self.settings), *options]
        command += ["--cachedir", f"{self.root}/cache", "--backup-cachedir", f"{self.root}/backup"]
        command += ["--heat_local-path", f"{self.root}/cfn-init-data", "--min-polling-interval", "0.05"]
        with (self.root / "log").open("ab") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def ends(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    @property
    def seen(self) -> list[object]:
        """The lists of deployments that the step was given."""
        path = self.root / "seen"
        return [json.loads(line) for line in path.read_text().splitlines() if line] if path.exists() else []

    def until(self, condition: Callable[[], object]) -> None:
        for _ in range(3000):
            if condition():
                return
            assert self.process is not None
            assert self.process.poll() is None, (self.root / "log").read_text()
            time.sleep(0.02)
        pytest.fail((self.root / "log").read_text())


@pytest.fixture
def guest(tmp_path: Path) -> Iterator[Guest]:
    made = Guest(tmp_path)
    yield made
    made.ends()


def agent_settings(service: StandIn, root: Path, **general: object) -> dict[str, object]:
    return {
        "command": f"os-refresh-config --lockfile {root}/lock",
        "collectors": ["cfn"],
        "heat": None,
        "cfn": {
            "metadata_url": f"{service.url}/v1/",
            "access_key_id": "access",
            "secret_access_key": "secret",
            "stack_name": "stack/id",
            "path": "server.Metadata",
        },
        **general,
    }


def metadata(service: StandIn, root: Path, *deployments: object, **general: object) -> dict[str, object]:
    return {"os-collect-config": agent_settings(service, root, **general), "deployments": list(deployments)}


def test_a_server_gets_its_deployments_from_the_place_in_its_first_metadata(
    guest: Guest, service: StandIn
) -> None:
    service.has_resource(metadata(service, guest.root, DEPLOYMENT))
    guest.boots(metadata(service, guest.root))
    guest.until(lambda: [DEPLOYMENT] in guest.seen)
    request = service.requests[0]
    assert request.query["LogicalResourceId"] == "server"
    assert request.query["Signature"]
    assert guest.settings.stat().st_mode & 0o777 == 0o600
    assert (guest.root / "var/run/heat-config/heat-config").stat().st_mode & 0o777 == 0o600


def test_changes_are_applied_once(guest: Guest, service: StandIn) -> None:
    service.has_resource(metadata(service, guest.root, DEPLOYMENT))
    guest.boots(metadata(service, guest.root))
    guest.until(lambda: [DEPLOYMENT] in guest.seen)
    second = {**DEPLOYMENT, "id": "2"}
    service.has_resource(metadata(service, guest.root, second))
    guest.until(lambda: [second] in guest.seen)
    asked = len(service.requests)
    guest.until(lambda: len(service.requests) > asked + 1)
    assert guest.seen == [[], [DEPLOYMENT], [second]]


def test_what_the_command_does_not_accept_is_tried_again(guest: Guest, service: StandIn) -> None:
    (guest.root / "exit-code").write_text("3")
    service.has_resource(metadata(service, guest.root, DEPLOYMENT))
    guest.boots(metadata(service, guest.root))
    guest.until(lambda: guest.seen.count([DEPLOYMENT]) >= 2)
    assert not list((guest.root / "cache").glob("*.last"))
    (guest.root / "exit-code").write_text("0")
    guest.until(lambda: (guest.root / "cache" / "cfn.json.last").exists())


def test_an_outage_of_the_source_takes_nothing_back(guest: Guest, service: StandIn) -> None:
    service.has_resource(metadata(service, guest.root, DEPLOYMENT))
    guest.boots(metadata(service, guest.root, collectors=["cfn", "heat_local"]))
    guest.until(lambda: (guest.root / "cache" / "cfn.json.last").exists())
    service.routes.clear()
    (guest.root / "cfn-init-data").write_text(json.dumps({"deployments": [], "other": 1}))
    service.has_resource(metadata(service, guest.root, DEPLOYMENT, collectors=["heat_local", "cfn"]))
    guest.until(lambda: "collectors = heat_local\ncollectors = cfn" in guest.settings.read_text())
    service.routes.clear()
    (guest.root / "cfn-init-data").write_text(json.dumps({"deployments": [], "other": 2}))
    last = guest.root / "cache" / "heat_local.json.last"
    guest.until(lambda: last.exists() and '"other": 2' in last.read_text())
    assert guest.seen[-1] == [DEPLOYMENT]


def test_the_interval_of_the_metadata_is_used(guest: Guest, service: StandIn) -> None:
    wanted = metadata(service, guest.root, polling_interval=0.07)
    service.has_resource(wanted)
    guest.boots(wanted)
    guest.until(lambda: "Sleeping 0.07 seconds" in (guest.root / "log").read_text())


def test_a_killed_agent_repeats_what_was_not_accepted(guest: Guest, service: StandIn) -> None:
    guest.step("30-wait", "#!/bin/sh\ntouch {root}/waiting\nwhile [ -e {root}/hold ]; do sleep 0.02; done\n")
    (guest.root / "hold").touch()
    guest.boots({"deployments": [DEPLOYMENT]})
    guest.until((guest.root / "waiting").exists)
    guest.ends()
    assert not list((guest.root / "cache").glob("*.last"))
    (guest.root / "hold").unlink()
    guest.boots({"deployments": [DEPLOYMENT]})
    guest.until((guest.root / "cache" / "heat_local.json.last").exists)
    assert guest.seen == [[DEPLOYMENT], [DEPLOYMENT]]


def test_hangup_reads_the_settings_again(guest: Guest) -> None:
    guest.boots({"a": 1}, "--polling-interval", "1000")
    guest.until(lambda: "Sleeping" in (guest.root / "log").read_text())
    text = guest.settings.read_text()
    guest.settings.write_text(f"{text}polling_interval = 0.01\nprint_cachedir = true\n")
    assert guest.process is not None
    guest.process.send_signal(signal.SIGHUP)
    assert guest.process.wait(60) == 0
    assert (guest.root / "log").read_text().endswith(f"{guest.root}/cache\n")


def test_installed_tools_need_only_the_command_as_settings(tmp_path: Path) -> None:
    source = tmp_path / "archive.pyz"
    source.write_bytes(archive())
    install(str(source), str(tmp_path / "root"))
    settings = tmp_path / "root/etc/os-collect-config.conf"
    assert "command = os-refresh-config" in settings.read_text()
    assert (tmp_path / "root/usr/libexec/os-refresh-config/configure.d/20-os-apply-config").is_symlink()


def test_installed_tools_are_compiled(tmp_path: Path) -> None:
    """For the Python that installs them; another one has their sources."""
    source = tmp_path / "archive.pyz"
    source.write_bytes(archive())
    install(str(source), str(tmp_path / "root"))
    installed = tmp_path / "root/usr/lib/calor-guest/calor-guest.pyz"
    with zipfile.ZipFile(installed) as packed:
        names = set(packed.namelist())
    assert {f"{name}c" for name in names if name.endswith(".py")} < names
    used = "import calor_guest.programs; print(calor_guest.programs.__file__)"
    known = {"PYTHONPATH": str(installed)}
    done = subprocess.run([sys.executable, "-S", "-c", used], env=known, capture_output=True, text=True)
    assert done.stdout == f"{installed}/calor_guest/programs.pyc\n", done.stderr
