"""Images made by other services: what users write as metadata sets no attribute of an image."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cloud import Cloud
from tests.support.compute import Computing
from tests.support.storage import Speaker, image_speaker, volume_speaker, wait_for

ATTRIBUTES = {
    "visibility": "public",
    "protected": "yes",
    "owner": "somebody",
    "id": "00000000-0000-4000-8000-000000000000",
    "status": "active",
    "checksum": "0",
    "os_hash_value": "0",
    "min_disk": "7",
    "min_ram": "7",
    "disk_format": "iso",
    "container_format": "ova",
    "os_glance_failed_import": "file",
    "location": "file:///etc/passwd",
}


@pytest.fixture
def volumes(cloud: Cloud) -> Speaker:
    return volume_speaker(cloud)


def volume(volumes: Speaker) -> str:
    made = volumes("POST", "/volumes", {"volume": {"size": 1}}).json()["volume"]
    return str(wait_for(volumes, f"/volumes/{made['id']}")["id"])


def act(volumes: Speaker, id: str, action: str, content: dict[str, Any]) -> Any:
    return volumes("POST", f"/volumes/{id}/action", {action: content})


def check_plain(image: dict[str, Any], owner: str) -> None:
    """It is like an image nobody wrote metadata for, but for the free property."""
    assert {name: image[name] for name in ("visibility", "protected", "owner", "min_disk", "min_ram")} == {
        "visibility": "private",
        "protected": False,
        "owner": owner,
        "min_disk": 0,
        "min_ram": 0,
    }
    assert (image["disk_format"], image["container_format"]) == ("raw", "bare")
    assert image["id"] != ATTRIBUTES["id"]
    assert "0" not in (image["checksum"], image["os_hash_value"])
    assert not {"os_glance_failed_import", "location"} & set(image)
    assert image["free"] == "kept"


@pytest.mark.parametrize("visibility", ["public", "community"])
def test_a_volume_is_published_by_admins_only(cloud: Cloud, volumes: Speaker, visibility: str) -> None:
    wanted = {"image_name": "debian", "visibility": visibility, "protected": True}
    answer = act(volumes, volume(volumes), "os-volume_upload_image", wanted)
    shown = image_speaker(cloud).get("/images?name=debian")["images"]
    if visibility == "public":
        assert (answer.status_code, shown) == (403, [])
    else:
        assert answer.status_code == 202
        assert [(each["visibility"], each["protected"]) for each in shown] == [("community", True)]
    admin = volume_speaker(cloud, "admin")
    assert act(admin, volume(admin), "os-volume_upload_image", wanted).status_code == 202


@pytest.mark.parametrize("name", ["disk_format", "container_format"])
def test_an_uploaded_volume_has_a_known_format(cloud: Cloud, volumes: Speaker, name: str) -> None:
    wanted = {"image_name": "odd", name: "odd"}
    assert act(volumes, volume(volumes), "os-volume_upload_image", wanted).status_code == 400
    assert image_speaker(cloud).get("/images?name=odd")["images"] == []


def test_metadata_of_a_volume_sets_no_attribute_of_its_image(cloud: Cloud, volumes: Speaker) -> None:
    id = volume(volumes)
    metadata = {"metadata": {**ATTRIBUTES, "free": "kept"}}
    assert act(volumes, id, "os-set_image_metadata", metadata).status_code == 200
    answer = act(volumes, id, "os-volume_upload_image", {"image_name": "made"}).json()
    image = image_speaker(cloud).get(f"/images/{answer['os-volume_upload_image']['image_id']}")
    check_plain(image, volumes.project_id)


def test_metadata_of_a_server_sets_no_attribute_of_its_image(cloud: Cloud) -> None:
    compute = Computing(cloud)
    wanted = {"name": "cirros", "metadata": {**ATTRIBUTES, "free": "kept"}}
    answer = compute.act(compute.server(), "createImage", wanted, version="2.45")
    assert answer.status_code == 202, answer.text
    check_plain(image_speaker(cloud).get(f"/images/{answer.json()['image_id']}"), compute.project_id)
