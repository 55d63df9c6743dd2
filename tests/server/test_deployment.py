"""What is in `deploy/` fits the program."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from needing import need
from oslo_config import cfg

from calor.cli.main import parse
from calor.config.loading import load
from calor.config.translating import settings_of

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_run_commands_that_there_are(unit: Path) -> None:
    (line,) = re.findall(r"^ExecStart=(.*)$", unit.read_text(), re.MULTILINE)

    program, *arguments = shlex.split(line.replace("%i", "8004"))

    assert program == "/opt/calor/bin/calor"
    assert parse("calor", arguments).run


def test_systemd_understands_the_units(tmp_path: Path) -> None:
    """All but the program and its user, which are not on this machine."""
    need("systemd-analyze")
    names = []
    for unit in [*UNITS, DEPLOY / "systemd" / "calor.target"]:
        text = (
            unit.read_text().replace("/opt/calor/bin/calor", "/bin/true").replace("User=calor", "User=root")
        )
        (tmp_path / unit.name).write_text(text)
        names.append(f"./{unit.name.replace('@', '@1')}")

    found = subprocess.run(
        ["systemd-analyze", "verify", *names], cwd=tmp_path, capture_output=True, text=True
    )

    told = [line for line in (found.stdout + found.stderr).splitlines() if "calor" in line]
    assert told == []


def test_containers_run_commands_that_there_are() -> None:
    services = yaml.safe_load((DEPLOY / "container" / "compose.yaml").read_text())["services"]
    commands = [service["command"] for service in services.values() if service["image"] == "calor"]

    assert len(commands) == 5
    for command in commands:
        assert parse("calor", command).run


def test_the_example_configuration_has_nothing_that_is_not_known() -> None:
    loaded = load(cfg.ConfigOpts(), [DEPLOY / "heat.conf"])

    assert settings_of(loaded).auth.account is not None
    assert [str(finding) for finding in loaded.findings()] == []
