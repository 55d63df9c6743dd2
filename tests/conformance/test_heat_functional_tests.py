"""Heat's own functional tests, unmodified, against a server. All pass but those that docs/compatibility.md names."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from tests.conformance.tempest_runs import filled_in
from tests.support.requirements import lacking
from tests.support.server import Server, free_port

pytest.importorskip("heat_tempest_plugin")
HOME = Path(__file__).resolve().parents[2]
PROGRAMS = Path(sys.executable).parent
PACKAGE = PROGRAMS.parent / "openstack-heat"
"""Where `make conformance` unpacks openstack-heat: beside the environment, since both have a program `heat-manage`."""
TESTS = PACKAGE / "heat_integrationtests" / "functional"
SERVER_CONFIGURATION = """
[DEFAULT]
enable_stack_adopt = true
enable_stack_abandon = true
[calor]
fetch_allowed = 127.0.0.1
"""
BUILDING_TAKES = 2.5
"""Seconds by which new servers are held up: one test has to see that one is being made, and looks every second."""
RESULT = re.compile(
    r"^\{\d+\} heat_integrationtests\.functional\.(.+?) (?:\[[\d.]+s\] )?\.\.\. (\w+)", re.MULTILINE
)
RUNS = 192
"""So many there are, a test counted once for each of its scenarios."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    if not TESTS.is_dir():
        lacking("openstack-heat")
    config = tmp_path / "calor.conf"
    config.write_text(SERVER_CONFIGURATION)
    made = Server(tmp_path / "state", free_port(), config)
    made.ready()
    _hold_up_servers(made)
    yield made
    made.stop()


def _hold_up_servers(server: Server) -> None:
    token, _ = server.token_of("calor-admin")
    fault = {"method": "POST", "path": "/compute/v2.1/servers", "delay": BUILDING_TAKES}
    address = f"http://127.0.0.1:{server.port + 2}/faults"
    httpx.post(address, json={"fault": fault}, headers={"X-Auth-Token": token}).raise_for_status()


def expected_failures() -> set[str]:
    """The tests in the table of the section about them in docs/compatibility.md."""
    text = (HOME / "docs" / "compatibility.md").read_text()
    section = text.split("### Heat's functional tests\n", 1)[1].split("\n#", 1)[0]
    return set(re.findall(r"^\| `(test_[\w.]+)` \|", section, re.MULTILINE))


def test_heats_functional_tests_pass_but_for_the_documented_ones(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    passwords = json.loads((server.state_dir / "passwords.json").read_text())
    configuration = filled_in(
        auth_url=f"http://127.0.0.1:{server.port + 2}/identity/v3",
        password=passwords["demo"],
        admin_password=passwords["admin"],
    )
    (tmp_path / "tempest.conf").write_text(configuration)
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    environment = {
        **os.environ,
        "HOME": str(workspace),
        "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
        "PYTHONPATH": str(PACKAGE),
        "TEMPEST_CONFIG_DIR": str(tmp_path),
        "TEMPEST_CONFIG": "tempest.conf",
        # One of the tests calls heat-manage.
        "CALOR_STATE_DIR": str(server.state_dir),
    }

    done = subprocess.run(
        [
            *(PROGRAMS / "stestr", "--top-dir", PACKAGE, "--test-path", TESTS),
            *("run", "--concurrency", "8"),
        ],
        cwd=workspace,
        capture_output=True,
        text=True,
        env=environment,
        timeout=1200,
    )

    results = RESULT.findall(done.stdout)
    passed = {name for name, result in results if result == "ok"}
    failed = {name for name, result in results if result == "FAILED"}
    with capsys.disabled():
        print(f"\nHeat's functional tests: {len(passed)} of {len(results)} pass")
    assert len(results) == RUNS, done.stdout[-3000:]
    assert sorted(failed - expected_failures()) == [], "failed, and docs/compatibility.md does not say why"
    assert sorted(expected_failures() - failed) == [], "passed, although docs/compatibility.md says otherwise"
    assert passed | failed == {name for name, _ in results}, "some were skipped"
