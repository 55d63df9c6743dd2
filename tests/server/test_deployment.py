"""What is in `deploy/` fits the program."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from oslo_config import cfg

from calor.cli.main import parse
from calor.config.loading import load
from calor.config.translating import settings_of
from calor.localcloud.linux import syscalls
from tests.support.requirements import need

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_run_commands_that_there_are(unit: Path) -> None:
    (line,) = re.findall(r"^ExecStart=(.*)$", unit.read_text(), re.MULTILINE)

    program, *arguments = shlex.split(line.replace("%i", "8004"))

    assert program == "/opt/calor/bin/calor"
    assert parse(arguments).run


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

    reported = [line for line in (found.stdout + found.stderr).splitlines() if "calor" in line]
    assert reported == []


WITH_SERVERS = ("calor.service", "calor-cloud.service")
CALLS = {
    *(
        "unshare",
        "setns",
        "mount",
        "umount2",
        "pivot_root",
        "chroot",
        "open_tree",
        "move_mount",
        "mount_setattr",
    ),
    *(
        "sethostname",
        "capset",
        "prctl",
        "mknod",
        "mknodat",
        "chown",
        "lchown",
        "fchownat",
        "setgroups",
        "syncfs",
    ),
    *("setresuid", "setresgid", "clone", "ioctl"),
}
"""The system calls of servers' machinery that sandboxes are apt to refuse."""


def directives(unit: str) -> dict[str, str]:
    lines = (DEPLOY / "systemd" / unit).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if re.match("[A-Z][A-Za-z]*=", line))


def allowed_calls(words: str) -> set[str]:
    """The system calls of a SystemCallFilter, with those of its groups."""
    found: set[str] = set()
    waiting = words.split()
    while waiting:
        word = waiting.pop()
        if word.startswith("@"):
            reported = subprocess.run(
                ["systemd-analyze", "syscall-filter", word], capture_output=True, text=True, check=True
            )
            waiting += [line.strip() for line in reported.stdout.splitlines()[1:] if "#" not in line]
        else:
            found.add(word)
    return found


@pytest.mark.parametrize("unit", WITH_SERVERS)
class TestUnitsWithServers:
    def test_allow_every_namespace_that_servers_have(self, unit: str) -> None:
        flags = {name[3:].lower() for name in vars(syscalls) if re.fullmatch("NEW[A-Z]+", name)}

        assert {"user", "net", "pid"} <= flags
        assert {"mnt" if flag == "ns" else flag for flag in flags} <= set(
            directives(unit)["RestrictNamespaces"].split()
        )

    def test_allow_the_system_calls_that_make_servers(self, unit: str) -> None:
        need("systemd-analyze")
        assert allowed_calls(directives(unit)["SystemCallFilter"]) >= CALLS

    def test_allow_the_sockets_that_make_networks(self, unit: str) -> None:
        used = {
            name
            for file in Path(syscalls.__file__).parent.glob("*.py")
            for name in re.findall(r"socket\.(AF_[A-Z0-9]+)", file.read_text())
        }

        assert "AF_NETLINK" in used
        assert used <= set(directives(unit)["RestrictAddressFamilies"].split())

    def test_leave_proc_as_it_is(self, unit: str) -> None:
        """A user namespace may mount /proc only if nothing is mounted over what it would show."""
        over_proc = {
            "ProtectKernelTunables",
            "ProtectKernelLogs",
            "ProtectProc",
            "ProtectHostname",
            "ProcSubset",
        }

        assert not over_proc & directives(unit).keys()

    def test_let_images_have_programs_of_other_users(self, unit: str) -> None:
        assert "RestrictSUIDSGID" not in directives(unit)

    def test_let_servers_outlive_a_restart(self, unit: str) -> None:
        assert directives(unit)["KillMode"] == "process"


def test_containers_run_commands_that_there_are() -> None:
    services = yaml.safe_load((DEPLOY / "container" / "compose.yaml").read_text())["services"]
    commands = [service["command"] for service in services.values() if service["image"] == "calor"]

    assert len(commands) == 5
    for command in commands:
        assert parse(command).run


def test_the_example_configuration_has_nothing_that_is_not_known() -> None:
    loaded = load(cfg.ConfigOpts(), [DEPLOY / "heat.conf"])

    assert settings_of(loaded).auth.account is not None
    assert [str(finding) for finding in loaded.findings()] == []
