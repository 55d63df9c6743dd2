"""The id of an image is never that of another project's."""

from __future__ import annotations

from tests.support.cloud import Cloud
from tests.support.storage import add_other, image_speaker


def test_the_id_of_a_deleted_image_is_not_taken_by_others(cloud: Cloud) -> None:
    """Servers and templates that name it would get whatever the other one put there."""
    add_other(cloud)
    admin, other = image_speaker(cloud, "admin"), image_speaker(cloud, "other")
    formats = {"disk_format": "raw", "container_format": "bare"}
    id = admin("POST", "/images", {"name": "base", "visibility": "public", **formats}).json()["id"]
    copy = {"id": id, "name": "base", "visibility": "community", **formats}
    assert other("POST", "/images", copy).status_code == 409
    assert admin("DELETE", f"/images/{id}").status_code == 204

    assert other("POST", "/images", copy).status_code == 409
    assert admin("POST", "/images", copy).status_code == 201
