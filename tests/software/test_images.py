"""Software on servers whose image is not one of the embedded cloud."""

from __future__ import annotations

from pathlib import Path

from tests.software.conftest import Make
from tests.software.site import Site, attr, config, deployment, server
from tests.support.images import image_without_tools
from tests.support.server import until


def _upload(site: Site, file: Path) -> str:
    formats = {"disk_format": "raw", "container_format": "bare"}
    made = site.ask("image", "POST", "/v2/images", json={"name": "uploaded", **formats}).json()["id"]
    site.ask(
        *("image", "PUT", f"/v2/images/{made}/file"),
        content=file.read_bytes(),
        headers={"Content-Type": "application/octet-stream"},
    ).raise_for_status()
    return str(made)


def test_an_uploaded_image_with_python_gets_the_agents(site: Site, make: Make, tmp_path: Path) -> None:
    image = _upload(site, image_without_tools(tmp_path, has_python=True))
    resources = {
        "server": server(image=image),
        "config": config("#!/bin/sh\nprintf up >$heat_outputs_path.state", outputs=["state"]),
        "deployment": deployment("server", "config"),
    }
    path = make(resources, outputs={"state": {"value": attr("deployment", "state")}})

    [output] = site.api.get(path).json()["stack"]["outputs"]
    assert output["output_value"] == "up"


def test_without_python_a_deployment_waits_for_the_server(site: Site, make: Make, tmp_path: Path) -> None:
    image = _upload(site, image_without_tools(tmp_path, has_python=False))
    resources = {
        "server": server(image=image),
        "config": config("#!/bin/sh\ntrue"),
        "deployment": deployment("server", "config"),
    }
    path = make(resources, wait=False)
    id = until(lambda: site.resource(path, "server")["physical_resource_id"])

    def console() -> str:
        body = {"os-getConsoleOutput": {}}
        answer = site.ask("compute", "POST", f"/servers/{id}/action", json=body)
        return str(answer.json().get("output", ""))

    until(lambda: "need Python 3.6 or newer, which this image does not have" in console())
    until(lambda: " login: " in console())
    assert "waiting for the server" in site.deployment(path, "deployment")["status_reason"]
