"""Resource types of other packages, in a server: the example of the documentation, and what is broken."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.support.plugins import install, install_project, on_path
from tests.support.server import PATIENCE, Server, free_port

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugins" / "external-resource"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plugins")


@pytest.fixture(scope="module")
def log(folder: Path) -> Path:
    return folder / "log"


@pytest.fixture(scope="module")
def api(folder: Path, log: Path) -> Iterator[httpx.Client]:
    plugins = folder / "plugins"
    install_project(plugins, EXAMPLE)
    broken = folder / "broken_type.py"
    broken.write_text("raise RuntimeError('no such luck')\n")
    install(plugins, "acme-broken", [broken], {"Acme::Broken": "broken_type:Broken"})
    environment = {**on_path(plugins), "CALOR_EXTERNAL_DIR": str(folder / "scripts")}
    with log.open("w") as file:
        server = Server(folder / "state", free_port(), log=file.fileno(), **environment)
        server.ready()
        token, project = server.token()
        base = f"http://127.0.0.1:{server.port}/v1/{project}"
        yield httpx.Client(base_url=base, headers={"X-Auth-Token": token}, follow_redirects=True)
        server.stop()


def group(effects: Path, word: str, **more: Any) -> dict[str, Any]:
    """Two external resources that write a line each."""
    properties = {
        "script": f'#!/bin/sh\necho "{word} $user $vno $index $portip" | tee -a {effects}',
        "undo": f'echo "undone $index" >>{effects}',
        "user": "root",
        "vno": "42",
        "index": "%index%",
        "ips": ["10.0.0.5", "10.0.0.6"],
        **more,
    }
    definition = {"type": "ExternalResource", "properties": properties}
    computes = {"type": "OS::Heat::ResourceGroup", "properties": {"count": 2, "resource_def": definition}}
    return {
        "heat_template_version": "2018-08-31",
        "resources": {"computes": computes},
        "outputs": {"said": {"value": {"get_attr": ["computes", "output"]}}},
    }


def finished(api: httpx.Client, id: str, name: str = "s") -> dict[str, Any]:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        shown: dict[str, Any] = api.get(f"/stacks/{name}/{id}").json()["stack"]
        if not shown["stack_status"].endswith("IN_PROGRESS"):
            return shown
        time.sleep(0.02)
    raise AssertionError(f"still {shown['stack_status']}")


def lines(file: Path) -> list[str]:
    return sorted(file.read_text().splitlines())


def test_a_plugin_type_is_created_updated_and_deleted(api: httpx.Client, tmp_path: Path) -> None:
    effects = tmp_path / "effects"
    template = group(effects, "joined")

    made = api.post("/stacks", json={"stack_name": "s", "template": template}).json()["stack"]["id"]
    created = finished(api, made)
    assert created["stack_status"] == "CREATE_COMPLETE", created["stack_status_reason"]
    assert created["outputs"][0]["output_value"] == [
        "joined root 42 0 10.0.0.5\n",
        "joined root 42 1 10.0.0.6\n",
    ]
    assert lines(effects) == ["joined root 42 0 10.0.0.5", "joined root 42 1 10.0.0.6"]

    effects.unlink()
    api.put(f"/stacks/s/{made}", json={"template": group(effects, "changed")})
    updated = finished(api, made)
    assert updated["stack_status"] == "UPDATE_COMPLETE", updated["stack_status_reason"]
    assert lines(effects) == ["changed root 42 0 10.0.0.5", "changed root 42 1 10.0.0.6"]

    effects.unlink()
    api.delete(f"/stacks/s/{made}")
    assert finished(api, made)["stack_status"] == "DELETE_COMPLETE"
    assert lines(effects) == ["undone 0", "undone 1"]


def test_a_script_that_fails_fails_its_resource(api: httpx.Client, tmp_path: Path) -> None:
    template = group(tmp_path / "effects", "joined", script="echo cannot join; exit 3")

    made = api.post("/stacks", json={"stack_name": "failing", "template": template}).json()["stack"]["id"]

    ended = finished(api, made, "failing")
    assert ended["stack_status"] == "CREATE_FAILED"
    assert "the script ended with 3: cannot join" in ended["stack_status_reason"]


@pytest.mark.extended
def test_a_plugin_type_is_shown_and_validated_like_any_other(api: httpx.Client, tmp_path: Path) -> None:
    listed = api.get("/resource_types").json()["resource_types"]
    shown = api.get("/resource_types/ExternalResource").json()
    wrong = group(tmp_path / "effects", "joined", sript="true")["resources"]["computes"]["properties"]
    template = {"heat_template_version": "2018-08-31", "resources": {"one": wrong["resource_def"]}}

    assert "ExternalResource" in listed
    assert shown["properties"]["script"]["required"] is True
    refused = api.post("/validate", json={"template": template})
    assert (refused.status_code, "sript" in refused.text) == (400, True)


def test_a_broken_plugin_is_reported_and_left_out(api: httpx.Client, log: Path) -> None:
    reported = [line for line in log.read_text().splitlines() if "Acme::Broken" in line]

    assert "Acme::Broken" not in api.get("/resource_types").json()["resource_types"]
    assert len(reported) == 1
    assert "acme-broken 1.0" in reported[0]
    assert "RuntimeError: no such luck" in reported[0]


def _blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


def test_the_type_of_the_documentation_works_as_it_is_written(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs/adding-a-resource-type.md"
    project, kitchen = tmp_path / "project", tmp_path / "kitchen"
    project.mkdir()
    (project / "pyproject.toml").write_text(_blocks(page, "toml")[0])
    (project / "acme_kettle.py").write_text(_blocks(page, "python")[0])
    template = _blocks(page, "yaml")[0]
    install_project(tmp_path / "plugins", project)
    environment = {**on_path(tmp_path / "plugins"), "ACME_KITCHEN": str(kitchen)}
    server = Server(tmp_path / "state", free_port(), **environment)
    server.ready()
    with server.client() as api:
        id = api.post("/stacks", json={"stack_name": "s", "template": template}).json()["stack"]["id"]
        assert finished(api, id)["stack_status"] == "CREATE_COMPLETE"
        assert len(list(kitchen.iterdir())) == 1

        api.put(f"/stacks/s/{id}", json={"template": template, "parameters": {"celsius": 100}})
        shown = finished(api, id)
        assert (shown["stack_status"], shown["outputs"][0]["output_value"]) == ("UPDATE_COMPLETE", True)

        api.put(f"/stacks/s/{id}", json={"template": template, "parameters": {"celsius": 200}})
        assert "Water does not get hotter than that." in finished(api, id)["stack_status_reason"]

        api.delete(f"/stacks/s/{id}")
        assert finished(api, id)["stack_status"] == "DELETE_COMPLETE"
        assert list(kitchen.iterdir()) == []
    server.stop()
