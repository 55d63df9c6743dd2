"""Heat's own functional tests, unmodified, against a server. All pass but those that docs/compatibility.md names."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from needing import lacking
from running import Server, free_port
from tempest_runs import filled_in

pytest.importorskip("heat_tempest_plugin")
HOME = Path(__file__).resolve().parents[2]
PROGRAMS = Path(sys.executable).parent
PACKAGE = PROGRAMS.parent / "openstack-heat"
"""Where `make conformance` unpacks openstack-heat: beside the environment, since both have a program `heat-manage`."""
TESTS = PACKAGE / "heat_integrationtests" / "functional"
SERVER_CONFIGURATION = "[DEFAULT]\nenable_stack_adopt = true\nenable_stack_abandon = true\n"
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
    yield made
    made.stop()


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
    assert failed == expected_failures(), done.stdout[-3000:]
    assert passed | failed == {name for name, _ in results}, "some were skipped"
