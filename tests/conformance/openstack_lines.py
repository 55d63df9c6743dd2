"""Runs commands of the `openstack` client, one on each line, within one process: starting it takes seconds.

    python openstack_lines.py CLOUD < commands

A command in backticks stands for the first line of what it prints; `until STATUS: command` is done again until the
object has that status. Ends at the first command that fails, with what it said.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import sys
import time

from openstackclient import shell

PATIENCE = 60.0
_UNTIL = re.compile(r"until (?P<status>\S+): (?P<command>.*)")


def run(cloud: str, command: str) -> str:
    """What the command prints. Raises SystemExit if it fails."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = shell.main(["--os-cloud", cloud, *shlex.split(command)])
    if code:
        sys.exit(f"{command}: {err.getvalue()}")
    return out.getvalue()


def do(cloud: str, line: str) -> None:
    command = re.sub("`(.*?)`", lambda found: run(cloud, found[1]).splitlines()[0], line)
    waiting = _UNTIL.fullmatch(command)
    if waiting is None:
        run(cloud, command)
        return
    end = time.monotonic() + PATIENCE
    while (status := json.loads(run(cloud, f"{waiting['command']} -f json"))["status"]) != waiting["status"]:
        if time.monotonic() > end:
            sys.exit(f"{waiting['command']}: the status is still {status}")
        time.sleep(0.1)


if __name__ == "__main__":
    for each in sys.stdin.read().splitlines():
        do(sys.argv[1], each)
