"""OS::Glance::WebImage at work."""

from __future__ import annotations

from typing import Any

import pytest

from calor.clouds.errors import NotFound
from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeCloud, FakeContext, properties_of, run
from calor.types.glance.json_patch import CONTENT_TYPE, patch
from calor.types.glance.web_image import WebImage


def image_cloud() -> FakeCloud:
    return FakeCloud(
        statuses={"images": "queued"},
        next_status={"queued": "importing", "importing": "active"},
        responses={"POST /images/images-1/import": {}},
    )


def made(**given: Any) -> FakeContext:
    formats = {"disk_format": "qcow2", "container_format": "bare", "location": "http://images/a"}
    properties = properties_of(WebImage, **{**formats, **given})
    context = FakeContext(WebImage, properties, services=image_cloud())
    run(WebImage.create(context, properties))
    return context


def steps(context: FakeContext, **given: Any) -> list[dict[str, Any]]:
    """What an update changes in the image itself."""
    after = {**context.properties, **given}
    changed = frozenset(name for name in given if given[name] != context.properties[name])
    context.services.responses["PATCH /images/images-1"] = {}
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


@pytest.mark.parametrize(
    ("tasks", "reason"),
    [
        (
            {"tasks": [{"status": "failure", "message": "404 Not Found"}, {"status": "processing"}]},
            "the image could not be imported: 404 Not Found",
        ),
        ({"tasks": [{"status": "failure", "message": ""}]}, "the image could not be imported"),
        (NotFound("There are no tasks here.", status=404), "the image could not be imported"),
    ],
)
def test_an_import_that_failed_fails_the_image_with_the_reason(tasks: Any, reason: str) -> None:
    cloud = image_cloud()
    cloud.next_status = {}
    cloud.responses["GET /images/images-1"] = {
        "id": "images-1",
        "status": "queued",
        "os_glance_failed_import": "file",
    }
    properties = properties_of(
        WebImage, disk_format="raw", container_format="bare", location="http://images/nothing"
    )

    cloud.responses["GET /images/images-1/tasks"] = tasks
    with pytest.raises(ResourceFailed) as raised:
        run(WebImage.create(FakeContext(WebImage, properties, services=cloud), properties))
    assert str(raised.value) == reason


def test_an_image_that_was_not_imported_before_a_crash_is_imported_when_it_is_found() -> None:
    cloud = image_cloud()
    cloud.place("/images/images-1", name="web", visibility="private", status="queued")
    properties = properties_of(
        WebImage, name="web", disk_format="raw", container_format="bare", location="http://images/a"
    )
    context = FakeContext(WebImage, properties, services=cloud)

    assert run(WebImage.find(context)) is True
    assert cloud.lines(without="GET") == ["POST /images/images-1/import"]


def test_an_image_is_shared_and_switched_off() -> None:
    context = made(visibility="shared", members=["p2"], active=False)

    assert context.services.lines(without="GET")[-2:] == [
        "POST /images/images-1/members",
        "POST /images/images-1/actions/deactivate",
    ]


def test_members_change_in_place() -> None:
    context = made(visibility="shared", members=["p2"])
    context.services.responses["DELETE /images/images-1/members/p2"] = {}
    after = {**context.properties, "members": ["p3"], "active": False}

    run(WebImage.update(context, after, frozenset({"members", "active"})))

    assert context.services.lines(without="GET")[-3:] == [
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


def test_a_patch_omits_what_is_unchanged() -> None:
    assert patch({"a": 1, "b": 2}, {"a": 1, "b": 3}, ["c"]) == [{"op": "replace", "path": "/b", "value": 3}]
