"""The key of the database is changed as docs/operating.md says, while everything runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.support.processes import Fleet
from tests.support.server import until

pytestmark = pytest.mark.extended

OLD, NEW = "o" * 32, "n" * 32
PARTS = ("engine", "api")
TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "parameters": {"word": {"type": "string", "hidden": True}},
    "resources": {"one": {"type": "OS::Heat::TestResource", "properties": {"value": {"get_param": "word"}}}},
    "outputs": {"said": {"value": {"get_attr": ["one", "output"]}}},
}


class Keyed:
    """An API, an engine and the embedded cloud that share a configuration file."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "heat.conf"
        self.configure(OLD)
        self.fleet = Fleet(folder, CALOR_CONFIG_FILE=str(self._file))
        for part in ("cloud", *PARTS):
            self.fleet.start(part)

    def configure(self, keys: str) -> None:
        self._file.write_text(f"[DEFAULT]\nauth_encryption_key = {keys}\n")

    def restart(self) -> None:
        for part in PARTS:
            assert self.fleet.tell(part) == 0, self.fleet.log(part)
            self.fleet.start(part)

    def rotate(self) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "calor", "db", "rotate-key"]
        return subprocess.run(command, env=self.fleet.environment, capture_output=True, text=True)


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[Keyed]:
    made = Keyed(tmp_path)
    yield made
    made.fleet.stop()


def act(api: httpx.Client, method: str, word: str) -> None:
    body = {"stack_name": "s", "template": TEMPLATE, "parameters": {"word": word}}
    path = (
        "/stacks"
        if method == "POST"
        else api.get("/stacks/s").url.path.partition("/v1/")[2].partition("/")[2]
    )
    assert api.request(method, path, json=body).status_code in (201, 202)


def said(api: httpx.Client) -> Any:
    """The output of the stack once nothing is under way."""

    def settled() -> Any:
        stack = api.get("/stacks/s").json()["stack"]
        return stack if stack["stack_status"].endswith("_COMPLETE") else None

    return until(settled)["outputs"][0]["output_value"]


def test_the_documented_steps_change_the_key_without_downtime(keyed: Keyed) -> None:
    api = keyed.fleet.client()
    act(api, "POST", "first")
    assert said(api) == "first"

    keyed.configure(f"{OLD},{NEW}")
    keyed.restart()
    assert said(api) == "first"

    keyed.configure(f"{NEW},{OLD}")
    refused = keyed.rotate()
    assert refused.returncode == 1
    assert "restart it" in refused.stderr
    keyed.restart()
    act(api, "PUT", "second")
    assert said(api) == "second"

    rotated = keyed.rotate()
    assert rotated.returncode == 0, rotated.stderr
    assert rotated.stdout != "encrypted 0 rows again\n"
    assert said(api) == "second"

    keyed.configure(NEW)
    keyed.restart()
    act(api, "PUT", "third")
    assert said(api) == "third"
    assert "encrypted with another key" not in keyed.fleet.log("engine") + keyed.fleet.log("api")
