"""python-heatclient's own functional tests, unmodified, as its package brings them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unittest
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.support.server import Server

pytest.importorskip("tempest")
pytest.importorskip("heatclient")
SUITE = "heatclient.tests.functional"
MODULES = ("test_readonly_heat", "osc.v1.test_readonly", "osc.v1.test_stack")
NEED_THE_INTERNET = {"test_stack_create_minimal_from_url"}
AT_ONCE = 3


@pytest.mark.skipif(
    find_spec("heatclient.tests") is None or find_spec(SUITE) is None,
    reason="this python-heatclient came without its tests",
)
def test_the_clients_own_tests_pass(
    generous: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _announce_compute(generous)
    tests = sorted(name for name in _tests() if name.rpartition(".")[2] not in NEED_THE_INTERNET)
    # Most of the time is the client's start, and its waiting.
    environment = {
        **os.environ,
        **_credentials(generous),
        "OS_HEATCLIENT_EXEC_DIR": _commands(tmp_path / "bin"),
    }
    logs = [tmp_path / str(number) for number in range(AT_ONCE)]
    running = []
    for number, log in enumerate(logs):
        with log.open("w") as file:
            command = [sys.executable, "-m", "unittest", "-v", *tests[number::AT_ONCE]]
            running.append(subprocess.Popen(command, stderr=file, env=environment))
    for process in running:
        process.wait(timeout=900)
    reported = "".join(log.read_text() for log in logs)

    ran = sum(int(number) for number in re.findall(r"^Ran (\d+) tests? in", reported, re.MULTILINE))
    failed = re.findall(r"^(?:ERROR|FAIL): (\S+)", reported, re.MULTILINE)
    with capsys.disabled():
        print(f"\npython-heatclient: {ran - len(failed)} of {ran} pass")
    assert ran == len(tests) >= 37, reported[-3000:]
    assert failed == [], reported[-6000:]


def _tests() -> Iterator[str]:
    """The names of all tests of the suite."""
    waiting: list[Any] = [unittest.defaultTestLoader.loadTestsFromNames(f"{SUITE}.{one}" for one in MODULES)]
    while waiting:
        for test in waiting.pop():
            if isinstance(test, unittest.TestSuite):
                waiting.append(test)
            else:
                yield test.id()


def _credentials(server: Server) -> dict[str, str]:
    password = json.loads((server.state_dir / "passwords.json").read_text())["demo"]
    return {
        "OS_USERNAME": "demo",
        "OS_PASSWORD": password,
        "OS_PROJECT_NAME": "demo",
        "OS_TENANT_NAME": "demo",
        "OS_AUTH_URL": f"http://127.0.0.1:{server.port + 2}/identity/v3",
        "OS_IDENTITY_API_VERSION": "3",
        "OS_USER_DOMAIN_NAME": "Default",
        "OS_PROJECT_DOMAIN_NAME": "Default",
    }


def _commands(directory: Path) -> str:
    """Where the client's own commands are: another package may have put one of the same name among the programs."""
    directory.mkdir()
    for name, module in (("heat", "heatclient"), ("openstack", "openstackclient")):
        command = directory / name
        command.write_text(
            f"#!{sys.executable}\nimport sys\nfrom {module}.shell import main\nsys.exit(main())\n"
        )
        command.chmod(0o755)
    return str(directory)


def _announce_compute(server: Server) -> None:
    """Puts a compute service into the catalog: some tests ask for the schema of OS::Nova::Server, which needs one to be
    announced, and none to be there."""
    token, _ = server.token_of("calor-admin")
    address = f"http://127.0.0.1:{server.port + 2}/identity/v3"
    with httpx.Client(headers={"X-Auth-Token": token}) as client:
        made = client.post(
            f"{address}/services", json={"service": {"type": "compute", "name": "nova"}}
        ).json()
        endpoint = {
            "service_id": made["service"]["id"],
            "interface": "public",
            "region_id": "RegionOne",
            "url": "http://127.0.0.1:9/compute",
        }
        assert client.post(f"{address}/endpoints", json={"endpoint": endpoint}).status_code == 201
