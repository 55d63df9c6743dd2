"""Volumes: made of nothing, images, snapshots and volumes; changed, attached, deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.cloud import Cloud
from tests.support.storage import (
    OCTETS,
    Speaker,
    add_other,
    image_speaker,
    microversion,
    until,
    volume_speaker,
    wait_for,
    wait_until_gone,
)

GIGABYTE = 1 << 30


@pytest.fixture
def demo(cloud: Cloud) -> Speaker:
    return volume_speaker(cloud)


@pytest.fixture
def admin(cloud: Cloud) -> Speaker:
    """An admin in the project of everyone else."""
    role = cloud.id_of("roles", "admin")
    user, project = cloud.id_of("users", "admin"), cloud.id_of("projects", "demo")
    assert cloud.request("PUT", f"/projects/{project}/users/{user}/roles/{role}").status_code == 204
    return volume_speaker(cloud, "admin", "demo")


@pytest.fixture
def other(cloud: Cloud) -> Speaker:
    add_other(cloud)
    return volume_speaker(cloud, "other")


def begin(speaker: Speaker, **members: Any) -> dict[str, Any]:
    answer = speaker("POST", "/volumes", {"volume": members})
    assert answer.status_code == 202, answer.text
    made: dict[str, Any] = answer.json()["volume"]
    return made


def make(speaker: Speaker, **members: Any) -> dict[str, Any]:
    return wait_for(speaker, f"/volumes/{begin(speaker, **{'size': 1, **members})['id']}")


def act(speaker: Speaker, volume: dict[str, Any], action: str, value: Any = None, **more: Any) -> Any:
    return speaker("POST", f"/volumes/{volume['id']}/action", {action: value}, **more)


def show(speaker: Speaker, volume: dict[str, Any], **more: Any) -> dict[str, Any]:
    shown: dict[str, Any] = speaker.get(f"/volumes/{volume['id']}", **more)["volume"]
    return shown


def snapshot_of(speaker: Speaker, volume: dict[str, Any], **members: Any) -> dict[str, Any]:
    answer = speaker("POST", "/snapshots", {"snapshot": {"volume_id": volume["id"], **members}})
    assert answer.status_code == 202, answer.text
    return wait_for(speaker, f"/snapshots/{answer.json()['snapshot']['id']}")


def file_of(cloud: Cloud, volume: dict[str, Any]) -> Path:
    return cloud.database.with_suffix("") / "volumes" / str(volume["id"])


def fault_of(answer: Any) -> tuple[int, str]:
    [(name, words)] = answer.json().items()
    assert words["code"] == answer.status_code
    return answer.status_code, name


BAD, FORBIDDEN, MISSING, OVER = (
    (400, "badRequest"),
    (403, "forbidden"),
    (404, "itemNotFound"),
    (413, "overLimit"),
)


class TestCreation:
    def test_a_volume_becomes_available(self, cloud: Cloud, demo: Speaker) -> None:
        begun = begin(demo, size=2, name="data", description="for data", metadata={"a": "1"})
        assert (begun["status"], begun["volume_type"]) == ("creating", "lvmdriver-1")
        volume = wait_for(demo, f"/volumes/{begun['id']}")
        assert (volume["name"], volume["size"], volume["metadata"]) == ("data", 2, {"a": "1"})
        assert (volume["bootable"], volume["availability_zone"], volume["attachments"]) == (
            "false",
            "nova",
            [],
        )
        assert "os-vol-host-attr:host" not in volume
        # What the API was extended by is shown only when it is asked for.
        assert "os-vol-tenant-attr:tenant_id" in volume
        assert "os-vol-tenant-attr:tenant_id" not in begun

    def test_a_new_volume_is_a_sparse_file(self, cloud: Cloud, demo: Speaker) -> None:
        file = file_of(cloud, make(demo, size=3))
        assert file.stat().st_size == 3 * GIGABYTE
        assert file.stat().st_blocks < 1000

    def test_a_volume_from_an_image_is_bootable_with_image_metadata(
        self, cloud: Cloud, demo: Speaker
    ) -> None:
        [cirros] = image_speaker(cloud).get("/images?name=cirros")["images"]
        volume = make(demo, imageRef=cirros["id"])
        assert volume["bootable"] == "true"
        assert volume["volume_image_metadata"]["image_id"] == cirros["id"]
        assert volume["volume_image_metadata"]["os_distro"] == "cirros"

    def test_a_volume_from_an_image_has_its_data(self, cloud: Cloud, demo: Speaker) -> None:
        images = image_speaker(cloud)
        formats = {"disk_format": "raw", "container_format": "bare"}
        image = images("POST", "/images", {"name": "i", "min_disk": 2, **formats}).json()
        images("PUT", f"/images/{image['id']}/file", content=b"root file system", headers=OCTETS)
        small = demo("POST", "/volumes", {"volume": {"size": 1, "imageRef": image["id"]}})
        assert fault_of(small) == BAD
        with file_of(cloud, make(demo, size=2, imageRef=image["id"])).open("rb") as file:
            assert file.read(16) == b"root file system"

    def test_a_volume_from_a_volume_or_snapshot_has_its_data(self, cloud: Cloud, demo: Speaker) -> None:
        first = make(demo)
        with file_of(cloud, first).open("r+b") as file:
            file.seek(GIGABYTE // 2)
            file.write(b"then")
        snapshot = snapshot_of(demo, first)
        with file_of(cloud, first).open("r+b") as file:
            file.seek(GIGABYTE // 2)
            file.write(b"now!")
        for origin, expected in (("snapshot_id", b"then"), ("source_volid", b"now!")):
            source = snapshot["id"] if origin == "snapshot_id" else first["id"]
            copy = make(demo, size=None, **{origin: source})
            assert (copy["size"], copy[origin]) == (1, source)
            with file_of(cloud, copy).open("rb") as file:
                file.seek(GIGABYTE // 2)
                assert file.read(4) == expected
            assert file_of(cloud, copy).stat().st_blocks < 1000

    @pytest.mark.parametrize(
        ("wrong", "fault"),
        [
            ({}, BAD),
            ({"size": 0}, BAD),
            ({"size": "big"}, BAD),
            ({"size": 1, "colour": "red"}, BAD),
            ({"size": 1, "name": "x" * 256}, BAD),
            ({"size": 1, "metadata": {"a": 1}}, BAD),
            ({"size": 1, "availability_zone": "mars"}, BAD),
            ({"size": 1, "volume_type": "gold"}, MISSING),
            ({"size": 1, "imageRef": "missing"}, MISSING),
            ({"size": 1, "snapshot_id": "missing"}, MISSING),
            ({"size": 1, "source_volid": "missing"}, MISSING),
            ({"size": 1, "source_volid": "a", "snapshot_id": "b"}, BAD),
        ],
    )
    def test_invalid_requests_are_rejected(
        self, demo: Speaker, wrong: dict[str, Any], fault: tuple[int, str]
    ) -> None:
        assert fault_of(demo("POST", "/volumes", {"volume": wrong})) == fault

    def test_a_copy_cannot_be_smaller(self, demo: Speaker) -> None:
        volume = make(demo, size=2)
        answer = demo("POST", "/volumes", {"volume": {"size": 1, "source_volid": volume["id"]}})
        assert fault_of(answer) == BAD

    def test_readers_cannot_create(self, cloud: Cloud) -> None:
        cloud.user("watcher", "reader")
        watcher = volume_speaker(cloud, "watcher", "demo")
        assert fault_of(watcher("POST", "/volumes", {"volume": {"size": 1}})) == FORBIDDEN

    def test_interrupted_creations_are_resumed(self, cloud: Cloud, demo: Speaker) -> None:
        made = make(demo)
        begun = begin(demo, size=1)
        demo("DELETE", f"/volumes/{made['id']}")
        cloud.restart()
        wait_for(demo, f"/volumes/{begun['id']}")
        wait_until_gone(demo, f"/volumes/{made['id']}")


class TestProjects:
    def test_volumes_of_others_are_not_found(self, demo: Speaker, other: Speaker) -> None:
        volume = make(demo)
        assert fault_of(other("GET", f"/volumes/{volume['id']}")) == MISSING
        assert fault_of(other("DELETE", f"/volumes/{volume['id']}")) == MISSING
        assert other.get("/volumes")["volumes"] == []

    def test_admins_list_all_projects(self, cloud: Cloud, demo: Speaker) -> None:
        volume = make(demo)
        admin = volume_speaker(cloud, "admin")
        assert admin.get("/volumes/detail")["volumes"] == []
        [seen] = admin.get("/volumes/detail?all_tenants=1")["volumes"]
        assert seen["id"] == volume["id"]
        assert seen["os-vol-tenant-attr:tenant_id"] == demo.project_id
        assert seen["os-vol-host-attr:host"]
        assert len(demo.get("/volumes?all_tenants=1")["volumes"]) == 1

    def test_the_project_in_the_url_must_match_the_token(self, cloud: Cloud, demo: Speaker) -> None:
        stranger = Speaker(cloud, "/volume/v3/another")
        assert fault_of(stranger("GET", "/volumes")) == BAD

    def test_quotas(self, cloud: Cloud, demo: Speaker, admin: Speaker) -> None:
        quotas = f"/os-quota-sets/{demo.project_id}"
        assert demo("PUT", quotas, {"quota_set": {"volumes": 5}}).status_code == 403
        assert fault_of(admin("PUT", quotas, {"quota_set": {"moons": 5}})) == BAD
        changed = admin("PUT", quotas, {"quota_set": {"volumes": 2, "gigabytes": 5}}).json()["quota_set"]
        assert (changed["volumes"], changed["gigabytes"], changed["snapshots"]) == (2, 5, 100)
        first = make(demo, size=2)
        too_large = demo("POST", "/volumes", {"volume": {"size": 4}})
        assert fault_of(too_large) == OVER
        assert too_large.headers["Retry-After"] == "0"
        assert fault_of(act(demo, first, "os-extend", {"new_size": 6})) == OVER
        make(demo, size=1)
        assert fault_of(demo("POST", "/volumes", {"volume": {"size": 1}})) == OVER
        usage = demo.get(f"{quotas}?usage=True")["quota_set"]
        assert (usage["volumes"]["in_use"], usage["gigabytes"]["in_use"]) == (2, 3)
        absolute = demo.get("/limits")["limits"]["absolute"]
        assert (absolute["maxTotalVolumes"], absolute["totalGigabytesUsed"]) == (2, 3)
        demo("DELETE", f"/volumes/{first['id']}")
        wait_until_gone(demo, f"/volumes/{first['id']}")
        assert demo.get(f"{quotas}?usage=True")["quota_set"]["gigabytes"]["in_use"] == 1
        assert admin("DELETE", quotas).status_code == 200
        assert demo.get(quotas)["quota_set"]["volumes"] == 100

    def test_quotas_of_all_projects(self, demo: Speaker, admin: Speaker) -> None:
        path = "/os-quota-class-sets/default"
        assert demo("GET", path).status_code == 403
        changed = admin("PUT", path, {"quota_class_set": {"per_volume_gigabytes": 2}})
        assert changed.json()["quota_class_set"]["per_volume_gigabytes"] == 2
        assert fault_of(demo("POST", "/volumes", {"volume": {"size": 3}})) == OVER
        assert demo.get(f"/os-quota-sets/{demo.project_id}")["quota_set"]["per_volume_gigabytes"] == 2


class TestLists:
    def test_filters_sorting_and_pagination(self, demo: Speaker) -> None:
        for name, size in (("a", 2), ("b", 1), ("c", 3)):
            make(demo, name=name, size=size, metadata={"letter": name})

        def names(query: str) -> list[str]:
            return [each["name"] for each in demo.get(f"/volumes/detail?{query}")["volumes"]]

        assert names("") == ["c", "b", "a"]
        assert names("sort=size:asc") == ["b", "a", "c"]
        assert names("sort_key=name&sort_dir=asc") == ["a", "b", "c"]
        assert names("name=b") == ["b"]
        assert names("status=error") == []
        assert names("metadata={'letter': 'c'}") == ["c"]
        assert names("bootable=false&size=2") == ["a"]
        page = demo.get("/volumes?limit=2&sort=name:asc")
        assert [each["name"] for each in page["volumes"]] == ["a", "b"]
        [link] = page["volumes_links"]
        assert "volumes_links" in demo.get("/volumes?limit=3")
        assert demo.get("/volumes?limit=0")["volumes"] == []
        rest = demo.cloud.client.get(link["href"], headers={"X-Auth-Token": demo.cloud.token_of("demo")})
        assert [each["name"] for each in rest.json()["volumes"]] == ["c"]
        assert "volumes_links" not in rest.json()
        assert names("offset=2") == ["a"]

    def test_counts_need_a_microversion(self, demo: Speaker) -> None:
        make(demo)
        assert "count" not in demo.get("/volumes?with_count=true")
        assert demo.get("/volumes?with_count=true&limit=1", headers=microversion(45))["count"] == 1
        summary = demo.get("/volumes/summary", headers=microversion(12))["volume-summary"]
        assert summary == {"total_count": 1, "total_size": 1}

    @pytest.mark.parametrize(
        ("query", "fault"),
        [("limit=x", BAD), ("marker=missing", MISSING), ("sort=colour", BAD), ("metadata=x", BAD)],
    )
    def test_invalid_requests_are_rejected(self, demo: Speaker, query: str, fault: tuple[int, str]) -> None:
        make(demo)
        assert fault_of(demo("GET", f"/volumes?{query}")) == fault


class TestUpdate:
    def test_names_and_metadata(self, demo: Speaker) -> None:
        volume = make(demo, metadata={"a": "1"})
        path = f"/volumes/{volume['id']}"
        changed = demo("PUT", path, {"volume": {"name": "new", "description": "other"}}).json()["volume"]
        assert (changed["name"], changed["description"]) == ("new", "other")
        assert demo("POST", f"{path}/metadata", {"metadata": {"b": "2"}}).json()["metadata"] == {
            "a": "1",
            "b": "2",
        }
        assert demo("PUT", f"{path}/metadata/a", {"meta": {"a": "3"}}).json() == {"meta": {"a": "3"}}
        assert demo("DELETE", f"{path}/metadata/b").status_code == 200
        assert demo("DELETE", f"{path}/metadata/b").status_code == 404
        assert demo.get(f"{path}/metadata")["metadata"] == {"a": "3"}
        assert demo("PUT", f"{path}/metadata", {"metadata": {}}).json()["metadata"] == {}
        assert fault_of(demo("PUT", f"{path}/metadata/a", {"meta": {"b": "3"}})) == BAD
        assert fault_of(demo("PUT", path, {"volume": {}})) == BAD
        assert fault_of(demo("PUT", path, {"volume": {"size": 3}})) == BAD

    def test_a_volume_grows_but_never_shrinks(self, cloud: Cloud, demo: Speaker) -> None:
        volume = make(demo)
        assert fault_of(act(demo, volume, "os-extend", {"new_size": 1})) == BAD
        assert act(demo, volume, "os-extend", {"new_size": 2}).status_code == 202
        assert wait_for(demo, f"/volumes/{volume['id']}")["size"] == 2
        assert file_of(cloud, volume).stat().st_size == 2 * GIGABYTE

    def test_extending_a_volume_in_use_needs_a_microversion(self, demo: Speaker) -> None:
        volume = make(demo)
        act(demo, volume, "os-attach", {"instance_uuid": "server", "mountpoint": "/dev/vdb"})
        assert fault_of(act(demo, volume, "os-extend", {"new_size": 2})) == BAD
        assert act(demo, volume, "os-extend", {"new_size": 2}, headers=microversion(42)).status_code == 202
        assert wait_for(demo, f"/volumes/{volume['id']}", "in-use")["size"] == 2

    def test_flags(self, demo: Speaker) -> None:
        volume = make(demo)
        assert act(demo, volume, "os-set_bootable", {"bootable": True}).status_code == 200
        assert show(demo, volume)["bootable"] == "true"
        assert act(demo, volume, "os-update_readonly_flag", {"readonly": True}).status_code == 202
        assert show(demo, volume)["metadata"] == {"readonly": "True"}
        act(demo, volume, "os-update_readonly_flag", {"readonly": False})
        assert show(demo, volume)["metadata"] == {"readonly": "False"}

    def test_only_admins_reset_a_state(self, demo: Speaker, admin: Speaker) -> None:
        volume = make(demo)
        assert fault_of(act(demo, volume, "os-reset_status", {"status": "error"})) == FORBIDDEN
        assert act(admin, volume, "os-reset_status", {"status": "error"}).status_code == 202
        assert show(demo, volume)["status"] == "error"

    def test_retype(self, demo: Speaker, admin: Speaker) -> None:
        admin("POST", "/types", {"volume_type": {"name": "gold"}})
        volume = make(demo)
        assert act(demo, volume, "os-retype", {"new_type": "gold"}).status_code == 202
        assert wait_for(demo, f"/volumes/{volume['id']}")["volume_type"] == "gold"
        assert fault_of(act(demo, volume, "os-retype", {"new_type": "gold"})) == BAD

    def test_upload_to_image(self, cloud: Cloud, demo: Speaker) -> None:
        volume = make(demo)
        answer = act(demo, volume, "os-volume_upload_image", {"image_name": "made"})
        reported = answer.json()["os-volume_upload_image"]
        assert (answer.status_code, reported["status"], reported["disk_format"]) == (202, "uploading", "raw")
        images = image_speaker(cloud)
        image = until(lambda: _active(images.get(f"/images/{reported['image_id']}")))
        assert (image["name"], image["size"]) == ("made", GIGABYTE)
        wait_for(demo, f"/volumes/{volume['id']}")

    def test_image_metadata(self, demo: Speaker) -> None:
        volume = make(demo)
        assert act(demo, volume, "os-set_image_metadata", {"metadata": {"k": "v"}}).json() == {
            "metadata": {"k": "v"}
        }
        assert act(demo, volume, "os-show_image_metadata").json() == {"metadata": {"k": "v"}}
        assert act(demo, volume, "os-unset_image_metadata", {"key": "k"}).status_code == 200
        assert fault_of(act(demo, volume, "os-unset_image_metadata", {"key": "k"})) == MISSING

    def test_revert_to_snapshot(self, cloud: Cloud, demo: Speaker) -> None:
        volume = make(demo)
        snapshot = snapshot_of(demo, volume)
        with file_of(cloud, volume).open("r+b") as file:
            file.write(b"later")
        wanted = {"snapshot_id": snapshot["id"]}
        assert fault_of(act(demo, volume, "revert", wanted)) == BAD
        assert act(demo, volume, "revert", wanted, headers=microversion(40)).status_code == 202
        wait_for(demo, f"/volumes/{volume['id']}")
        with file_of(cloud, volume).open("rb") as file:
            assert file.read(5) == bytes(5)

    def test_an_empty_id_is_not_found(self, demo: Speaker) -> None:
        for method in ("GET", "PUT", "DELETE"):
            assert fault_of(demo(method, "/volumes/")) == MISSING

    def test_unknown_actions_are_rejected(self, demo: Speaker) -> None:
        assert fault_of(act(demo, make(demo), "os-dance")) == BAD


def _active(image: dict[str, Any]) -> dict[str, Any] | None:
    return image if image["status"] == "active" else None


class TestDeletion:
    def test_the_file_is_removed(self, cloud: Cloud, demo: Speaker) -> None:
        volume = make(demo)
        assert demo("DELETE", f"/volumes/{volume['id']}").status_code == 202
        wait_until_gone(demo, f"/volumes/{volume['id']}")
        assert not file_of(cloud, volume).exists()

    def test_volumes_in_use_cannot_be_deleted(self, demo: Speaker, admin: Speaker) -> None:
        volume = make(demo)
        act(demo, volume, "os-attach", {"instance_uuid": "server", "mountpoint": "/dev/vdb"})
        assert fault_of(demo("DELETE", f"/volumes/{volume['id']}")) == BAD
        assert fault_of(act(demo, volume, "os-force_delete", {})) == FORBIDDEN
        assert act(admin, volume, "os-force_delete", {}).status_code == 202
        wait_until_gone(demo, f"/volumes/{volume['id']}")

    def test_volumes_with_snapshots_need_cascade(self, demo: Speaker) -> None:
        volume = make(demo)
        snapshot = snapshot_of(demo, volume)
        assert fault_of(demo("DELETE", f"/volumes/{volume['id']}")) == BAD
        assert demo("DELETE", f"/volumes/{volume['id']}?cascade=true").status_code == 202
        wait_until_gone(demo, f"/volumes/{volume['id']}")
        wait_until_gone(demo, f"/snapshots/{snapshot['id']}")


class TestAttachment:
    def test_reserve_attach_and_detach(self, demo: Speaker) -> None:
        volume = make(demo)
        assert act(demo, volume, "os-reserve").status_code == 202
        assert show(demo, volume)["status"] == "attaching"
        assert fault_of(act(demo, volume, "os-reserve")) == BAD
        attach = {"instance_uuid": "server", "mountpoint": "/dev/vdb"}
        assert act(demo, volume, "os-attach", attach).status_code == 202
        shown = show(demo, volume)
        [attachment] = shown["attachments"]
        assert (shown["status"], attachment["server_id"], attachment["device"]) == (
            "in-use",
            "server",
            "/dev/vdb",
        )
        assert act(demo, volume, "os-begin_detaching").status_code == 202
        assert show(demo, volume)["status"] == "detaching"
        assert act(demo, volume, "os-roll_detaching").status_code == 202
        assert show(demo, volume)["status"] == "in-use"
        detach = {"attachment_id": attachment["attachment_id"]}
        assert act(demo, volume, "os-detach", detach).status_code == 202
        assert (show(demo, volume)["status"], show(demo, volume)["attachments"]) == ("available", [])

    def test_admins_force_detach(self, demo: Speaker, admin: Speaker) -> None:
        volume = make(demo)
        act(demo, volume, "os-attach", {"instance_uuid": "server", "mountpoint": "/dev/vdb"})
        act(admin, volume, "os-reset_status", {"status": "error"})
        assert act(admin, volume, "os-force_detach", {"connector": None}).status_code == 202
        assert (show(demo, volume)["status"], show(demo, volume)["attachments"]) == ("available", [])

    def test_unreserve(self, demo: Speaker) -> None:
        volume = make(demo)
        act(demo, volume, "os-reserve")
        assert act(demo, volume, "os-unreserve").status_code == 202
        assert show(demo, volume)["status"] == "available"

    def test_attachments_api(self, demo: Speaker) -> None:
        volume = make(demo)
        wanted = {"attachment": {"volume_uuid": volume["id"], "instance_uuid": "server"}}
        assert demo("POST", "/attachments", wanted).status_code == 404
        made = demo("POST", "/attachments", wanted, headers=microversion(54)).json()["attachment"]
        path = f"/attachments/{made['id']}"
        assert (made["status"], show(demo, volume)["status"]) == ("reserved", "reserved")
        connector = {"attachment": {"connector": {"host": "node", "mountpoint": "/dev/vdb"}}}
        updated = demo("PUT", path, connector, headers=microversion(54)).json()["attachment"]
        assert (updated["status"], show(demo, volume)["status"]) == ("attaching", "attaching")
        done = demo("POST", f"{path}/action", {"os-complete": None}, headers=microversion(54))
        assert (done.status_code, show(demo, volume)["status"]) == (204, "in-use")
        assert [each["id"] for each in demo.get("/attachments", headers=microversion(27))["attachments"]] == [
            made["id"]
        ]
        assert demo.get(path, headers=microversion(27))["attachment"]["status"] == "attached"
        assert demo("DELETE", path, headers=microversion(27)).status_code == 200
        assert show(demo, volume)["status"] == "available"


class TestMicroversions:
    def test_version_headers(self, demo: Speaker) -> None:
        answer = demo("GET", "/volumes", headers=microversion(50))
        assert answer.headers["OpenStack-API-Version"] == "volume 3.50"
        assert demo("GET", "/volumes").headers["OpenStack-API-Version"] == "volume 3.0"

    def test_members_by_microversion(self, demo: Speaker) -> None:
        volume = make(demo)
        assert "volume_type_id" not in show(demo, volume)
        assert show(demo, volume, headers=microversion(63))["volume_type_id"]

    def test_unsupported_versions_are_rejected(self, demo: Speaker) -> None:
        assert demo("GET", "/volumes", headers=microversion(999)).status_code == 406
        assert fault_of(demo("GET", "/volumes", headers={"OpenStack-API-Version": "volume 4"})) == BAD

    def test_version_discovery_needs_no_token(self, cloud: Cloud) -> None:
        assert cloud.client.get("/volume/").status_code == 300
        [version] = cloud.client.get("/volume/v3/").json()["versions"]
        assert (version["id"], version["min_version"]) == ("v3.0", "3.0")
