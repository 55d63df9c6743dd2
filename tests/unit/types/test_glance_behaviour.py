"""OS::Glance::WebImage at work."""

from __future__ import annotations

from typing import Any

import pytest
from fake_cloud import FakeCloud
from fake_context import FakeContext, filled_in, run

from calor.types.behaviour import ResourceFailed
from calor.types.glance.patching import CONTENT_TYPE, patch
from calor.types.glance.web_image import WebImage


def image_cloud() -> FakeCloud:
    return FakeCloud(
        statuses={"images": "queued"},
        grows={"queued": "importing", "importing": "active"},
        answers={"POST /images/images-1/import": {}},
    )


def made(**given: Any) -> FakeContext:
    formats = {"disk_format": "qcow2", "container_format": "bare", "location": "http://images/a"}
    properties = filled_in(WebImage, **{**formats, **given})
    context = FakeContext(WebImage, properties, services=image_cloud())
    run(WebImage.create(context, properties))
    return context


def steps(context: FakeContext, **given: Any) -> list[dict[str, Any]]:
    """What an update changes in the image itself."""
    after = {**context.properties, **given}
    changed = frozenset(name for name in given if given[name] != context.properties[name])
    context.services.answers["PATCH /images/images-1"] = {}
    run(WebImage.update(context, after, changed))
    [request] = [one for one in context.services.requests if one.method == "PATCH"]
    assert request.headers == {"Content-Type": CONTENT_TYPE}
    found: list[dict[str, Any]] = request.body
    return found


def test_an_image_is_fetched_from_the_web_and_waited_for() -> None:
    context = made(name="web", os_distro="debian", extra_properties={"hw_disk_bus": "scsi"}, tags=["a"])

    assert context.services.body("POST /images") == {
        "hw_disk_bus": "scsi",
        "name": "web",
        "min_disk": 0,
        "min_ram": 0,
        "disk_format": "qcow2",
        "container_format": "bare",
        "protected": False,
        "visibility": "private",
        "tags": ["a"],
        "os_distro": "debian",
    }
    assert context.services.body("POST /images/images-1/import") == {
        "method": {"name": "web-download", "uri": "http://images/a"}
    }
    assert WebImage.attribute(context, "show")["status"] == "active"


def test_an_import_that_failed_fails_the_image() -> None:
    cloud = image_cloud()
    cloud.grows = {}
    cloud.answers["GET /images/images-1"] = {
        "id": "images-1",
        "status": "queued",
        "os_glance_failed_import": "file",
    }
    properties = filled_in(
        WebImage, disk_format="raw", container_format="bare", location="http://images/nothing"
    )

    with pytest.raises(ResourceFailed, match="imported"):
        run(WebImage.create(FakeContext(WebImage, properties, services=cloud), properties))


def test_an_image_that_was_not_imported_before_a_crash_is_imported_when_it_is_found() -> None:
    cloud = image_cloud()
    cloud.place("/images/images-1", name="web", visibility="private", status="queued")
    properties = filled_in(
        WebImage, name="web", disk_format="raw", container_format="bare", location="http://images/a"
    )
    context = FakeContext(WebImage, properties, services=cloud)

    assert run(WebImage.find(context)) is True
    assert cloud.lines("GET") == ["POST /images/images-1/import"]


def test_an_image_is_shared_and_switched_off() -> None:
    context = made(visibility="shared", members=["p2"], active=False)

    assert context.services.lines("GET")[-2:] == [
        "POST /images/images-1/members",
        "POST /images/images-1/actions/deactivate",
    ]


def test_members_change_in_place() -> None:
    context = made(visibility="shared", members=["p2"])
    context.services.answers["DELETE /images/images-1/members/p2"] = {}
    after = {**context.properties, "members": ["p3"], "active": False}

    run(WebImage.update(context, after, frozenset({"members", "active"})))

    assert context.services.lines("GET")[-3:] == [
        "DELETE /images/images-1/members/p2",
        "POST /images/images-1/members",
        "POST /images/images-1/actions/deactivate",
    ]


def test_an_image_changes_in_place() -> None:
    context = made(os_distro="debian", os_version="12", extra_properties={"a": "1"})

    assert steps(
        context, protected=True, os_distro="fedora", os_version=None, tags=["x"], extra_properties={"b/c": 2}
    ) == [
        {"op": "add", "path": "/b~1c", "value": "2"},
        {"op": "replace", "path": "/protected", "value": True},
        {"op": "add", "path": "/tags", "value": ["x"]},
        {"op": "replace", "path": "/os_distro", "value": "fedora"},
        {"op": "remove", "path": "/os_version"},
        {"op": "remove", "path": "/a"},
    ]


def test_a_patch_says_nothing_of_what_is_so_already() -> None:
    assert patch({"a": 1, "b": 2}, {"a": 1, "b": 3}, ["c"]) == [{"op": "replace", "path": "/b", "value": 3}]
