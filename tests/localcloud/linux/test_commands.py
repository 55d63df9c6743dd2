"""`calor cloud probe|ssh|console|stop`."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.linux import PATIENCE, Machine


@pytest.fixture
def state_dir(machine: Machine) -> Path:
    """Of the cloud that the machinery is of."""
    return machine.folder.parents[1]


def calor(state_dir: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _command(state_dir, words), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE
    )


def _command(state_dir: Path, words: Sequence[str]) -> list[str]:
    verb, *rest = words
    return [sys.executable, "-m", "calor.cli.main", "cloud", verb, "--state-dir", str(state_dir), *rest]


def test_the_probe_explains_each_feature_and_its_verdict(state_dir: Path) -> None:
    reported = calor(state_dir, "probe")
    assert reported.returncode == 0
    assert "Servers run on this host" in reported.stdout
    record = json.loads(calor(state_dir, "probe", "-f", "json").stdout)
    assert record["backend"] == "linux"
    assert all(one["works"] for one in record["features"] if one["needed"])


def test_a_command_has_separate_streams_and_an_exit_code(machine: Machine, state_dir: Path) -> None:
    machine.boot("one")
    machine.finished("one")
    done = calor(state_dir, "ssh", "one", "--", "hostname; echo wrong >&2; exit 3")
    assert (done.returncode, done.stdout, done.stderr) == (3, "one\n", "wrong\n")


def test_a_shell_in_a_server_has_a_terminal(machine: Machine, state_dir: Path) -> None:
    machine.boot("one")
    machine.finished("one")
    master, slave = pty.openpty()
    shell = subprocess.Popen(_command(state_dir, ["ssh", "one"]), stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    os.write(master, b"tty; hostname; exit 5\n")
    said = b""
    try:
        while chunk := os.read(master, 4096):
            said += chunk
    except OSError:
        # The other end is closed.
        pass
    assert shell.wait(PATIENCE) == 5
    assert b"/dev/pts/0" in said
    assert b"one\r\n" in said
    os.close(master)


def test_the_console_of_a_server_is_shown(machine: Machine, state_dir: Path) -> None:
    machine.boot("one", script="echo hello")
    machine.finished("one")
    assert "hello\n" in calor(state_dir, "console", "one").stdout


def test_an_unknown_server_is_a_one_line_error(state_dir: Path) -> None:
    done = calor(state_dir, "ssh", "none")
    assert done.returncode == 1
    assert done.stderr.startswith("calor: there is no server none on this host")
    assert done.stderr.count("\n") == 1


def test_stop_stops_all_servers(machine: Machine, state_dir: Path) -> None:
    machine.boot("one")
    machine.finished("one")
    machine.do(machine.linux.stop())
    assert calor(state_dir, "stop").returncode == 0
    assert calor(state_dir, "stop").stdout == "no servers are running\n"
    assert calor(state_dir, "ssh", "one", "true").returncode == 1
