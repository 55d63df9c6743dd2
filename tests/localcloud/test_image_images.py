"""Images: made, changed, shared, found and deleted."""

from __future__ import annotations

from typing import Any

import pytest

from calor.localcloud.config import CloudConfig
from calor.localcloud.server import initialize
from tests.support.cloud import Cloud
from tests.support.storage import OCTETS, Speaker, add_other, image_speaker, until

PATCH = {"Content-Type": "application/openstack-images-v2.1-json-patch"}


@pytest.fixture
def demo(cloud: Cloud) -> Speaker:
    return image_speaker(cloud)


@pytest.fixture
def admin(cloud: Cloud) -> Speaker:
    return image_speaker(cloud, "admin")


@pytest.fixture
def other(cloud: Cloud) -> Speaker:
    add_other(cloud)
    return image_speaker(cloud, "other")


def make(speaker: Speaker, **members: Any) -> dict[str, Any]:
    answer = speaker("POST", "/images", members)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def with_data(speaker: Speaker, data: bytes = b"data", **members: Any) -> dict[str, Any]:
    image = make(speaker, disk_format="raw", container_format="bare", **members)
    upload = speaker("PUT", f"/images/{image['id']}/file", content=data, headers=OCTETS)
    assert upload.status_code == 204, upload.text
    shown: dict[str, Any] = speaker.get(f"/images/{image['id']}")
    return shown


def change(speaker: Speaker, image: dict[str, Any], *changes: dict[str, Any], **more: Any) -> Any:
    return speaker("PATCH", f"/images/{image['id']}", list(changes), headers=more.get("headers", PATCH))


def names(speaker: Speaker, query: str = "") -> list[str]:
    return [image["name"] for image in speaker.get(f"/images{query}")["images"]]


FURNISHED = ["fedora-heat-test", "debian-12", "cirros-0.3.5-x86_64-disk", "cirros-0.3.5", "cirros"]


class TestSeeding:
    def test_a_new_cloud_has_public_images(self, demo: Speaker) -> None:
        assert sorted(names(demo)) == sorted(FURNISHED)
        [cirros] = demo.get("/images?name=cirros")["images"]
        assert (cirros["status"], cirros["visibility"], cirros["min_disk"]) == ("active", "public", 0)
        assert cirros["os_distro"] == "cirros"

    def test_they_have_no_data_to_download(self, demo: Speaker) -> None:
        [cirros] = demo.get("/images?name=cirros")["images"]
        assert demo("GET", f"/images/{cirros['id']}/file").status_code == 204

    def test_they_stay_deleted(self, cloud: Cloud, admin: Speaker) -> None:
        [cirros] = admin.get("/images?name=cirros")["images"]
        assert admin("DELETE", f"/images/{cirros['id']}").status_code == 204
        cloud.stop()
        initialize(CloudConfig("cloud", 5000, cloud.database))
        cloud.start()
        assert "cirros" not in names(admin)
        assert "debian-12" in names(admin)

    def test_version_discovery_needs_no_token(self, cloud: Cloud) -> None:
        answer = cloud.client.get("/image/")
        assert answer.status_code == 300
        assert answer.json()["versions"][0]["status"] == "CURRENT"

    def test_errors_without_a_token_are_html(self, cloud: Cloud) -> None:
        answer = cloud.client.get("/image/v2/images")
        assert answer.status_code == 401
        assert answer.headers["content-type"].startswith("text/html")
        assert "<title>401 Unauthorized</title>" in answer.text


class TestCreation:
    def test_a_new_image_is_queued(self, demo: Speaker) -> None:
        image = make(demo, name="mine", os_distro="debian", tags=["b", "a", "a"])
        assert (image["status"], image["visibility"], image["size"]) == ("queued", "shared", None)
        assert (image["tags"], image["os_distro"]) == (["a", "b"], "debian")
        assert image["owner"] == demo.project_id
        assert image["self"] == f"/v2/images/{image['id']}"
        assert demo.get(f"/images/{image['id']}") == image

    def test_a_chosen_id_must_be_unique(self, demo: Speaker) -> None:
        id = "11111111-2222-3333-4444-555555555555"
        assert make(demo, id=id)["id"] == id
        assert demo("POST", "/images", {"id": id}).status_code == 409

    @pytest.mark.parametrize(
        "wrong",
        [
            {"id": "no-uuid"},
            {"name": 7},
            {"visibility": "secret"},
            {"disk_format": "floppy"},
            {"min_ram": -1},
            {"tags": "one"},
            {"os_version": 12},
        ],
    )
    def test_invalid_requests_are_rejected(self, demo: Speaker, wrong: dict[str, Any]) -> None:
        assert demo("POST", "/images", wrong).status_code == 400

    @pytest.mark.parametrize(
        "attribute", ["status", "size", "checksum", "created_at", "file", "deleted", "os_glance_x"]
    )
    def test_read_only_attributes_are_rejected(self, demo: Speaker, attribute: str) -> None:
        assert demo("POST", "/images", {attribute: "x"}).status_code == 403

    def test_only_admins_create_public_images_and_images_for_others(
        self, demo: Speaker, admin: Speaker
    ) -> None:
        assert demo("POST", "/images", {"visibility": "public"}).status_code == 403
        assert demo("POST", "/images", {"owner": "someone"}).status_code == 403
        assert make(admin, visibility="public", owner="someone")["owner"] == "someone"

    def test_readers_cannot_create(self, cloud: Cloud) -> None:
        cloud.user("watcher", "reader")
        watcher = image_speaker(cloud, "watcher", "demo")
        assert watcher("POST", "/images", {"name": "x"}).status_code == 403


class TestUpdate:
    def test_attributes_and_properties(self, demo: Speaker) -> None:
        image = make(demo, name="before", colour="red", shape="round")
        answer = change(
            demo,
            image,
            {"op": "replace", "path": "/name", "value": "after"},
            {"op": "replace", "path": "/colour", "value": "blue"},
            {"op": "remove", "path": "/shape"},
            {"op": "add", "path": "/a~1b", "value": "slashed"},
            {"op": "replace", "path": "/tags", "value": ["x"]},
        )
        assert answer.status_code == 200
        shown = demo.get(f"/images/{image['id']}")
        assert (shown["name"], shown["colour"], shown["a/b"], shown["tags"]) == (
            "after",
            "blue",
            "slashed",
            ["x"],
        )
        assert "shape" not in shown

    def test_the_older_patch_format(self, demo: Speaker) -> None:
        image = make(demo, name="before")
        older = {"Content-Type": "application/openstack-images-v2.0-json-patch"}
        assert (
            change(demo, image, {"replace": "/name", "value": "after"}, headers=older).json()["name"]
            == "after"
        )

    def test_other_content_types_are_rejected(self, demo: Speaker) -> None:
        image = make(demo)
        answer = change(demo, image, headers={"Content-Type": "application/json"})
        assert answer.status_code == 415

    @pytest.mark.parametrize(
        ("wrong", "status"),
        [
            ({"op": "replace", "path": "/status", "value": "active"}, 403),
            ({"op": "replace", "path": "/id", "value": "x"}, 403),
            ({"op": "remove", "path": "/name"}, 403),
            ({"op": "remove", "path": "/missing"}, 409),
            ({"op": "replace", "path": "/missing", "value": "x"}, 409),
            ({"op": "move", "path": "/name"}, 400),
            ({"op": "add", "path": "name", "value": "x"}, 400),
            ({"op": "add", "path": "/name"}, 400),
            ({"op": "add", "path": "/colour", "value": 7}, 400),
            ({"op": "replace", "path": "/visibility", "value": "public"}, 403),
        ],
    )
    def test_invalid_changes_are_rejected(self, demo: Speaker, wrong: dict[str, Any], status: int) -> None:
        image = make(demo, name="before")
        first = {"op": "add", "path": "/colour", "value": "red"}
        assert change(demo, image, first, wrong).status_code == status
        assert "colour" not in demo.get(f"/images/{image['id']}")

    def test_tags_one_by_one(self, demo: Speaker) -> None:
        path = f"/images/{make(demo)['id']}"
        assert demo("PUT", f"{path}/tags/a").status_code == 204
        assert demo("PUT", f"{path}/tags/a").status_code == 204
        assert demo.get(path)["tags"] == ["a"]
        assert demo("DELETE", f"{path}/tags/a").status_code == 204
        assert demo("DELETE", f"{path}/tags/a").status_code == 404

    def test_a_protected_image_is_not_deleted(self, demo: Speaker) -> None:
        image = make(demo, protected=True)
        assert demo("DELETE", f"/images/{image['id']}").status_code == 403
        change(demo, image, {"op": "replace", "path": "/protected", "value": False})
        assert demo("DELETE", f"/images/{image['id']}").status_code == 204
        assert demo("GET", f"/images/{image['id']}").status_code == 404

    def test_public_images_of_others_are_read_only(self, demo: Speaker) -> None:
        [cirros] = demo.get("/images?name=cirros")["images"]
        assert change(demo, cirros, {"op": "replace", "path": "/name", "value": "x"}).status_code == 403
        assert demo("DELETE", f"/images/{cirros['id']}").status_code == 403


class TestSharing:
    def test_private_images_of_others_are_not_found(self, demo: Speaker, other: Speaker) -> None:
        image = make(demo, visibility="private")
        assert other("GET", f"/images/{image['id']}").status_code == 404
        assert other("DELETE", f"/images/{image['id']}").status_code == 404

    def test_a_shared_image_is_listed_once_the_member_accepts_it(self, demo: Speaker, other: Speaker) -> None:
        image = make(demo, name="shared")
        path = f"/images/{image['id']}/members"
        assert other("GET", f"/images/{image['id']}").status_code == 404
        assert demo("POST", path, {"member": other.project_id}).json()["status"] == "pending"
        assert other("GET", f"/images/{image['id']}").status_code == 200
        assert "shared" not in names(other)
        assert names(other, "?member_status=pending&visibility=shared") == ["shared"]
        mine = f"{path}/{other.project_id}"
        assert demo("PUT", mine, {"status": "accepted"}).status_code == 403
        assert other("PUT", mine, {"status": "accepted"}).json()["status"] == "accepted"
        assert "shared" in names(other)

    def test_members(self, demo: Speaker, other: Speaker) -> None:
        image = make(demo)
        path = f"/images/{image['id']}/members"
        for member in (other.project_id, "third"):
            assert demo("POST", path, {"member": member}).status_code == 200
        assert demo("POST", path, {"member": "third"}).status_code == 409
        assert [each["member_id"] for each in demo.get(path)["members"]] == [other.project_id, "third"]
        assert [each["member_id"] for each in other.get(path)["members"]] == [other.project_id]
        assert other("GET", f"{path}/third").status_code == 404
        assert other("POST", path, {"member": "fourth"}).status_code == 403
        assert demo("DELETE", f"{path}/third").status_code == 204
        assert demo("GET", f"{path}/third").status_code == 404

    def test_only_shared_images_have_members(self, demo: Speaker) -> None:
        image = make(demo, visibility="private")
        assert demo("POST", f"/images/{image['id']}/members", {"member": "x"}).status_code == 403

    def test_community_images_are_listed_on_request(self, demo: Speaker, other: Speaker) -> None:
        make(demo, name="common", visibility="community")
        assert "common" not in names(other)
        assert names(other, "?visibility=community") == ["common"]
        assert "common" in names(demo)


class TestLists:
    def test_newest_first_with_pagination(self, demo: Speaker) -> None:
        for name in ("a", "b", "c"):
            make(demo, name=name, visibility="private")
        page = demo.get("/images?visibility=private&limit=2")
        assert [image["name"] for image in page["images"]] == ["c", "b"]
        rest = demo.get(page["next"].removeprefix("/v2"))
        assert [image["name"] for image in rest["images"]] == ["a"]
        assert "next" not in rest

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("name=a", ["a"]),
            ("name=in:a,b", ["a", "b"]),
            ("colour=red", ["a"]),
            ("tag=t", ["b"]),
            ("status=queued", ["a", "b"]),
            ("min_ram=64", ["b"]),
            ("protected=true", []),
            ("created_at=gt:2000-01-01T00:00:00Z", ["a", "b"]),
            ("created_at=lt:2000-01-01T00:00:00Z", []),
            ("size_min=1", []),
            ("os_hidden=true", ["hidden"]),
        ],
    )
    def test_filters(self, demo: Speaker, query: str, found: list[str]) -> None:
        make(demo, name="a", colour="red", visibility="private")
        make(demo, name="b", tags=["t"], min_ram=64, visibility="private")
        make(demo, name="hidden", os_hidden=True, visibility="private")
        assert names(demo, f"?visibility=private&sort=name:asc&{query}") == found

    def test_sorted_by_several_keys(self, demo: Speaker) -> None:
        for name, ram in (("b", 1), ("a", 1), ("c", 2)):
            make(demo, name=name, min_ram=ram, visibility="private")
        assert names(demo, "?visibility=private&sort=min_ram:desc,name:asc") == ["c", "a", "b"]
        query = "?visibility=private&sort_key=min_ram&sort_dir=asc&sort_key=name&sort_dir=desc"
        assert names(demo, query) == ["b", "a", "c"]

    @pytest.mark.parametrize(
        "query", ["limit=-1", "limit=x", "marker=missing", "sort=colour:asc", "sort_dir=up", "visibility=x"]
    )
    def test_invalid_requests_are_rejected(self, demo: Speaker, query: str) -> None:
        assert demo("GET", f"/images?{query}").status_code == 400


class TestData:
    def test_what_is_uploaded_is_downloaded(self, demo: Speaker) -> None:
        data = bytes(range(256)) * 1000
        image = with_data(demo, data)
        assert (image["status"], image["size"], image["virtual_size"]) == ("active", len(data), len(data))
        assert image["stores"] == "file"
        assert (len(image["checksum"]), image["os_hash_algo"], len(image["os_hash_value"])) == (
            32,
            "sha512",
            128,
        )
        download = demo("GET", f"/images/{image['id']}/file")
        assert download.content == data
        assert download.headers["Content-MD5"] == image["checksum"]

    def test_range_requests(self, demo: Speaker) -> None:
        path = f"/images/{with_data(demo, b'0123456789')['id']}/file"
        part = demo("GET", path, headers={"Range": "bytes=2-4"})
        assert (part.status_code, part.content) == (206, b"234")
        assert part.headers["Content-Range"] == "bytes 2-4/10"
        assert demo("GET", path, headers={"Range": "bytes=-3"}).content == b"789"
        assert demo("GET", path, headers={"Range": "bytes=10-"}).status_code == 416

    def test_upload_requirements(self, demo: Speaker) -> None:
        unformatted = make(demo)
        answer = demo("PUT", f"/images/{unformatted['id']}/file", content=b"x", headers=OCTETS)
        assert answer.status_code == 400
        assert demo.get(f"/images/{unformatted['id']}")["status"] == "queued"
        path = f"/images/{with_data(demo)['id']}/file"
        assert demo("PUT", path, content=b"x", headers=OCTETS).status_code == 409
        assert demo("PUT", path, content=b"x", headers={"Content-Type": "text/plain"}).status_code == 415

    def test_staged_data_is_imported(self, demo: Speaker) -> None:
        image = make(demo, disk_format="raw", container_format="bare")
        path = f"/images/{image['id']}"
        method = {"method": {"name": "glance-direct"}}
        assert demo("POST", f"{path}/import", method).status_code == 409
        assert demo("PUT", f"{path}/stage", content=b"staged", headers=OCTETS).status_code == 204
        assert demo.get(path)["status"] == "uploading"
        assert demo("POST", f"{path}/import", {"method": {"name": "web-download"}}).status_code == 400
        assert demo("POST", f"{path}/import", method).status_code == 202
        until(lambda: demo.get(path)["status"] == "active")
        assert demo("GET", f"{path}/file").content == b"staged"

    def test_a_deactivated_image_is_not_downloaded(self, demo: Speaker, other: Speaker) -> None:
        path = f"/images/{with_data(demo, visibility='community')['id']}"
        assert other("POST", f"{path}/actions/deactivate").status_code == 403
        assert demo("POST", f"{path}/actions/deactivate").status_code == 204
        assert demo.get(path)["status"] == "deactivated"
        assert demo("GET", f"{path}/file").status_code == 403
        assert demo("POST", f"{path}/actions/reactivate").status_code == 204
        assert demo("GET", f"{path}/file").content == b"data"

    def test_deleting_an_image_removes_its_data(self, cloud: Cloud, demo: Speaker) -> None:
        image = with_data(demo)
        folder = cloud.database.with_suffix("") / "images"
        assert [file.name for file in folder.iterdir()] == [image["id"]]
        demo("DELETE", f"/images/{image['id']}")
        assert list(folder.iterdir()) == []

    def test_imports_are_resumed_after_a_restart(self, cloud: Cloud, demo: Speaker) -> None:
        kept = with_data(demo, b"kept")
        image = make(demo, disk_format="raw", container_format="bare")
        path = f"/images/{image['id']}"
        demo("PUT", f"{path}/stage", content=b"staged", headers=OCTETS)
        demo("POST", f"{path}/import", {"method": {"name": "glance-direct"}})
        cloud.restart()
        assert demo("GET", f"/images/{kept['id']}/file").content == b"kept"
        until(lambda: demo.get(path)["status"] == "active")


class TestInfrastructure:
    @pytest.mark.parametrize("name", ["image", "images", "member", "members"])
    def test_schemas(self, demo: Speaker, name: str) -> None:
        assert demo.get(f"/schemas/{name}")["name"] == name

    def test_import_methods_and_stores(self, demo: Speaker, admin: Speaker) -> None:
        assert demo.get("/info/import")["import-methods"]["value"] == ["glance-direct", "web-download"]
        assert [store["id"] for store in demo.get("/info/stores")["stores"]] == ["file"]
        assert admin.get("/tasks")["tasks"] == []
        assert demo("GET", "/schemas/nonsense").status_code == 404
