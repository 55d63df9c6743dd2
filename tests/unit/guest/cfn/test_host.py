"""Running programs on a server."""

from __future__ import annotations

import os
import signal

import pytest

from calor_guest.cfn.host import run


def test_a_text_is_for_the_shell_and_a_list_is_not() -> None:
    assert run("echo $((1 + 1)); exit 3")[:2] == (3, "2\n")
    assert run(["echo", "$((1 + 1))"])[:2] == (0, "$((1 + 1))\n")


def test_a_missing_program_is_named() -> None:
    outcome = run(["no-such-program"])
    assert outcome.is_not_run
    assert outcome.summary == "no-such-program is not installed"


def test_commands_of_unknown_users_are_not_run() -> None:
    outcome = run("echo here", user="no-such-user")
    assert (outcome.status, outcome.stdout) == (126, "")
    assert "no-such-user" in outcome.summary


@pytest.mark.skipif(os.geteuid() != 0, reason="only for root")
def test_a_command_of_a_user_has_none_of_the_rights_of_root() -> None:
    outcome = run("grep -E '^(Uid|Gid|Groups|CapEff)' /proc/self/status; echo $HOME", user="nobody")
    lines = outcome.stdout.splitlines()
    assert "Uid:\t65534\t65534\t65534\t65534" in lines
    assert "Gid:\t65534\t65534\t65534\t65534" in lines
    assert "CapEff:\t0000000000000000" in lines
    assert next(line for line in lines if line.startswith("Groups")).split() == ["Groups:", "65534"]
    assert lines[-1] == "/nonexistent"


def test_a_program_left_behind_is_not_waited_for() -> None:
    """It still runs, and has the output open, when its parent's exit code is known."""
    outcome = run("sleep 300 & echo $!")
    os.kill(int(outcome.stdout), signal.SIGKILL)


def test_messages_have_the_end_of_what_a_program_prints() -> None:
    outcome = run("seq 1 100000 >&2; exit 1")
    assert outcome.summary == "99998; 99999; 100000"
    assert len(outcome.stderr) < 20_000
