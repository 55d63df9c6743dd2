"""Stacks with images that are fetched from the web, against the image service of the embedded cloud."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.server.orchestrator import Orchestrator
from tests.support.server import Server, free_port

DATA = b"as good as an image" * 100


class _Web(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path == "/image"
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(DATA) if found else 0))
        self.end_headers()
        if found:
            self.wfile.write(DATA)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Web)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def admin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Orchestrator]:
    folder = tmp_path_factory.mktemp("server")
    config = folder / "calor.conf"
    config.write_text("[calor]\nfetch_allowed = 127.0.0.1\n")
    server = Server(folder / "state", free_port(), config)
    server.ready()
    yield Orchestrator(server, "calor-admin")
    server.stop()


def image(location: str, **properties: Any) -> dict[str, Any]:
    formats = {"disk_format": "raw", "container_format": "bare", "location": location}
    return {"image": {"type": "OS::Glance::WebImage", "properties": {**formats, **properties}}}


def test_an_image_comes_from_the_web_changes_and_goes(admin: Orchestrator, web: str) -> None:
    first = image(f"{web}/image", name="web", os_distro="debian", tags=["a"], extra_properties={"x": "1"})
    path = admin.create("image", first)
    id = admin.id_of(path, "image")
    shown = admin.shown("image", f"/v2/images/{id}") or {}
    assert (shown["status"], shown["size"], shown["os_distro"], shown["x"]) == (
        "active",
        len(DATA),
        "debian",
        "1",
    )

    admin.update(
        path,
        image(
            f"{web}/image",
            name="web",
            tags=["b"],
            extra_properties={"y": "2"},
            visibility="shared",
            members=[admin.project],
            active=False,
        ),
    )

    shown = admin.shown("image", f"/v2/images/{id}") or {}
    assert (shown["visibility"], shown["tags"], shown["y"]) == ("shared", ["b"], "2")
    assert not {"os_distro", "x"} & shown.keys()
    assert shown["status"] == "deactivated"
    members = admin.ask("image", "GET", f"/v2/images/{id}/members").json()["members"]
    assert [member["member_id"] for member in members] == [admin.project]

    admin.delete(path)
    assert admin.shown("image", f"/v2/images/{id}") is None


def test_an_image_from_an_address_that_is_not_allowed_fails_at_once(admin: Orchestrator) -> None:
    path = admin.begin("inside", image("http://127.0.0.2/image"))
    admin.wait(path, "CREATE_FAILED")

    events = admin.api.get(f"{path}/events").json()["events"]
    failed = [
        one for one in events if one["resource_status"] == "CREATE_FAILED" and one["resource_name"] == "image"
    ]
    assert len(failed) == 1
    reason = failed[0]["resource_status_reason"]
    assert "127.0.0.2 is not at a public address" in reason
    assert "[calor] fetch_allowed" in reason
    admin.delete(path)


@pytest.mark.extended
def test_an_image_that_cannot_be_fetched_fails_its_stack(admin: Orchestrator, web: str) -> None:
    path = admin.begin("nowhere", image(f"{web}/nothing"))
    admin.wait(path, "CREATE_FAILED")
    reason = admin.resource(path, "image")["resource_status_reason"]
    assert "the image could not be imported: 404 Not Found" in reason
    id = admin.id_of(path, "image")

    admin.delete(path)

    assert admin.shown("image", f"/v2/images/{id}") is None
