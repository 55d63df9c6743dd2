"""The API's description by the rules of OpenAPI, and schemathesis, unmodified, looking for answers that it lacks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.support.server import PATIENCE, Server

validator = pytest.importorskip("openapi_spec_validator")
SCHEMATHESIS = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
EXAMPLES = os.environ.get("CALOR_EXAMPLES", "3")
SEED = os.environ.get("CALOR_EXAMPLES_SEED", "1")

TEMPLATE: dict[str, Any] = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "value": {"type": "OS::Heat::Value", "properties": {"value": "some"}},
        "signalled": {"type": "OS::Heat::WaitConditionHandle"},
        "group": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 2, "resource_def": {"type": "OS::Heat::TestResource"}},
        },
    },
    "outputs": {"value": {"value": {"get_attr": ["value", "value"]}}},
}


def test_the_document_is_one_of_openapi(generous: Server) -> None:
    validator.validate(httpx.get(f"http://127.0.0.1:{generous.port}/openapi.json").json())


@pytest.mark.skipif(SCHEMATHESIS is None, reason="schemathesis is not installed")
def test_schemathesis_finds_nothing(
    generous: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert SCHEMATHESIS is not None
    done = subprocess.run(
        [
            SCHEMATHESIS,
            *("--config-file", str(Path(__file__).with_name("schemathesis.toml"))),
            *("run", f"http://127.0.0.1:{generous.port}/openapi.json"),
            *("--seed", SEED, "--max-examples", EXAMPLES, "--generation-database", "none", "--no-color"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, **_subjects(generous)},
        timeout=3600,
    )

    summary = done.stdout.partition(" SUMMARY ")[2]
    cases = re.search(r"Test cases:\n\s*(.+)", summary)
    tested = re.search(r"Tested: (\d+)", summary)
    with capsys.disabled():
        print(f"\nschemathesis: {tested and tested[1]} operations, cases: {cases and cases[1]} (seed {SEED})")
    found = done.stdout.partition(" WARNINGS ")[0]
    assert done.returncode == 0, found + done.stderr[-2000:]
    paths = httpx.get(f"http://127.0.0.1:{generous.port}/openapi.json").json()["paths"]
    # It has just read the document itself, and leaves that operation out.
    del paths["/openapi.json"]
    assert tested is not None
    assert int(tested[1]) == sum(len(item.keys() - {"parameters"}) for item in paths.values())


def _subjects(server: Server) -> dict[str, str]:
    """A stack with all that belongs to it and one to be deleted, by the names that the configuration has for them."""
    token, project = server.token()
    client = server.client()
    stack, victim = _created(client, "subject"), _created(client, "victim")
    address = f"/stacks/subject/{stack}"
    snapshot = client.post(f"{address}/snapshots", json={"name": "first"}).json()["id"]
    _settled(client, address)
    events = client.get(f"{address}/resources/value/events").json()["events"]
    config = client.post("/software_configs", json={"name": "c"}).json()["software_config"]["id"]
    given = {"config_id": config, "server_id": "server"}
    deployment = client.post("/software_deployments", json=given).json()["software_deployment"]["id"]
    return {
        "TOKEN": token,
        "PROJECT": project,
        "STACK_NAME": "subject",
        "STACK_ID": stack,
        "VICTIM_NAME": "victim",
        "VICTIM_ID": victim,
        "SNAPSHOT_ID": snapshot,
        "EVENT_ID": events[0]["id"],
        "CONFIG_ID": config,
        "DEPLOYMENT_ID": deployment,
        "SERVER_ID": "server",
    }


def _created(client: httpx.Client, name: str) -> str:
    id: str = client.post("/stacks", json={"stack_name": name, "template": TEMPLATE}).json()["stack"]["id"]
    _settled(client, f"/stacks/{name}/{id}")
    return id


def _settled(client: httpx.Client, address: str) -> None:
    end = time.monotonic() + PATIENCE
    while client.get(address).json()["stack"]["stack_status"].endswith("IN_PROGRESS"):
        assert time.monotonic() < end
        time.sleep(0.05)
