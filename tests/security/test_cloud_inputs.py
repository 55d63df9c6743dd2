"""What tenants of the embedded cloud give it: a device's name is never a path, and nothing is fetched from the host."""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from calor.localcloud.config import GUEST_SOURCE_ADDRESS, CloudConfig
from calor.localcloud.identity import hashing
from calor.localcloud.server import initialize
from tests.support.cloud import Cloud
from tests.support.compute import Computing
from tests.support.machinery import Watched
from tests.support.storage import image_speaker, until

OCTETS = {"content-type": "application/octet-stream"}


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashing, "_COST", (2, 8, 1))
        database = tmp_path_factory.mktemp("cloud") / "cloud.db"
        yield database, dict(initialize(CloudConfig("cloud", 5000, database)).passwords)


@pytest.fixture
def backend() -> Watched:
    return Watched()


@pytest.fixture
def cloud(furnished: tuple[Path, dict[str, str]], tmp_path: Path, backend: Watched) -> Iterator[Cloud]:
    database, passwords = furnished
    made = Cloud(Path(shutil.copy(database, tmp_path / "cloud.db")), dict(passwords), backend=backend)
    yield made
    made.stop()


@pytest.mark.parametrize(
    "device",
    [
        "/etc",
        "../../etc",
        "/dev/../etc/x",
        "vdb/..",
        "/dev/vdb/../../x",
        "/dev/",
        "a" * 60,
        "/dev/vd b",
        "vdb\n",
        ".",
    ],
)
def test_a_path_is_not_the_name_of_a_device(cloud: Cloud, device: str) -> None:
    compute = Computing(cloud)
    volume = compute.volume()
    server = compute.server()
    body = {"volumeAttachment": {"volumeId": volume["id"], "device": device}}
    path = f"/servers/{server['id']}/os-volume_attachments"
    assert compute.post(path, body, version="2.60").status_code == 400
    disk = {
        "source_type": "volume",
        "destination_type": "volume",
        "uuid": volume["id"],
        "device_name": device,
    }
    image = {"boot_index": 0, "source_type": "image", "destination_type": "local", "uuid": compute.image_id()}
    assert compute.create("other", block_device_mapping_v2=[image, disk]).status_code == 400
    legacy = [{"volume_id": volume["id"], "device_name": device}]
    assert compute.create("old", block_device_mapping=legacy).status_code == 400
    assert compute.get(path)["volumeAttachments"] == []


def test_the_name_of_a_device_may_be_given_without_its_folder(cloud: Cloud) -> None:
    compute = Computing(cloud)
    server, volume = compute.server(), compute.volume()
    body = {"volumeAttachment": {"volumeId": volume["id"], "device": "vdq"}}
    made = compute.post(f"/servers/{server['id']}/os-volume_attachments", body, version="2.60").json()
    assert made["volumeAttachment"]["device"] == "/dev/vdq"


def test_an_image_is_not_fetched_from_the_host(cloud: Cloud) -> None:
    images = image_speaker(cloud)
    for uri in (
        "http://127.0.0.1:9/x",
        "http://169.254.169.254/latest",
        "http://[::1]/",
        "http://localhost:9/",
    ):
        made = images(
            "POST", "/images", {"name": "x", "disk_format": "raw", "container_format": "bare"}
        ).json()
        method = {"method": {"name": "web-download", "uri": uri}}
        assert images("POST", f"/images/{made['id']}/import", method).status_code == 400
        assert images.get(f"/images/{made['id']}")["status"] == "queued"


def test_an_image_is_not_fetched_from_where_a_name_leads_inside(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = image_speaker(cloud)
    inside = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **more: inside)
    formats = {"name": "x", "disk_format": "raw", "container_format": "bare"}
    path = f"/images/{images('POST', '/images', formats).json()['id']}"
    method = {"method": {"name": "web-download", "uri": "http://images.example/x"}}
    assert images("POST", f"{path}/import", method).status_code == 202
    assert until(lambda: _failed(images.get(path)))["status"] == "queued"
    [task] = images.get(f"{path}/tasks")["tasks"]
    assert (task["status"], task["message"].partition(" (")[0]) == (
        "failure",
        "images.example is not at a public address",
    )


def _failed(shown: dict[str, Any]) -> dict[str, Any] | None:
    return shown if "os_glance_failed_import" in shown else None


def test_one_project_fetches_few_images_at_once(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    images, over = image_speaker(cloud), threading.Event()

    def hanging(host: str, *args: Any, **more: Any) -> Any:
        over.wait(60)
        raise socket.gaierror("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", hanging)
    method = {"method": {"name": "web-download", "uri": "http://hangs.test/"}}
    ids, statuses = [], []
    for _ in range(10):
        made = images(
            "POST", "/images", {"name": "x", "disk_format": "raw", "container_format": "bare"}
        ).json()
        ids.append(made["id"])
        statuses.append(images("POST", f"/images/{made['id']}/import", method).status_code)
    assert statuses == [202] * 8 + [503] * 2
    assert images.get(f"/images/{ids[-1]}")["status"] == "queued"
    over.set()
    for id in ids[:8]:
        until(lambda id=id: _failed(images.get(f"/images/{id}")))
    assert images("POST", f"/images/{ids[-1]}/import", method).status_code == 202


def test_faults_cannot_be_switched_from_servers(cloud: Cloud) -> None:
    headers = {"X-Auth-Token": cloud.token_of("admin")}
    assert cloud.client.get("/faults", headers=headers).status_code == 200
    server = TestClient(cloud.client.app, base_url="http://cloud:5000", client=(GUEST_SOURCE_ADDRESS, 1234))
    for path in ("/faults", "/faults/", "/faults/x"):
        assert server.get(path, headers=headers).status_code == 404
    assert server.get("/identity/v3").status_code == 200
