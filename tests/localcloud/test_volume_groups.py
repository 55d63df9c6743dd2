"""Groups of volumes, their types and their snapshots."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cloud import Cloud
from tests.support.storage import Speaker, add_other, microversion, volume_speaker, wait_for, wait_until_gone

NEWEST = {"headers": microversion(70)}


@pytest.fixture
def demo(cloud: Cloud) -> Speaker:
    return volume_speaker(cloud)


@pytest.fixture
def admin(cloud: Cloud) -> Speaker:
    return volume_speaker(cloud, "admin")


def made(speaker: Speaker, path: str, kind: str, **members: Any) -> dict[str, Any]:
    answer = speaker("POST", path, {kind: members}, **NEWEST)
    assert answer.status_code in (200, 202), answer.text
    shown: dict[str, Any] = answer.json()[kind]
    return shown


@pytest.fixture
def group_type(admin: Speaker) -> str:
    specs = {"consistent_group_snapshot_enabled": "<is> True"}
    return str(made(admin, "/group_types", "group_type", name="gold", group_specs=specs)["id"])


@pytest.fixture
def volume_type(demo: Speaker) -> str:
    return str(demo.get("/types/default")["volume_type"]["id"])


@pytest.fixture
def group(demo: Speaker, group_type: str, volume_type: str) -> str:
    return str(made(demo, "/groups", "group", name="g", group_type="gold", volume_types=[volume_type])["id"])


def member_of(demo: Speaker, group: str, volume_type: str) -> str:
    volume = made(demo, "/volumes", "volume", size=1, group_id=group, volume_type=volume_type)
    wait_for(demo, f"/volumes/{volume['id']}")
    return str(volume["id"])


def test_lists_are_empty_at_first(demo: Speaker) -> None:
    for path in ("/groups", "/groups/detail", "/group_snapshots", "/group_snapshots/detail", "/group_types"):
        body = demo.get(path, **NEWEST)
        assert list(body.values()) == [[]], path
    assert demo("GET", "/groups").status_code == 404


class TestTypes:
    def test_life_cycle(self, admin: Speaker, demo: Speaker, group_type: str) -> None:
        path = f"/group_types/{group_type}"
        assert [each["name"] for each in demo.get("/group_types", **NEWEST)["group_types"]] == ["gold"]
        assert "group_specs" not in demo.get(path, **NEWEST)["group_type"]
        assert demo("POST", "/group_types", {"group_type": {"name": "x"}}, **NEWEST).status_code == 403
        assert admin("POST", "/group_types", {"group_type": {"name": "gold"}}, **NEWEST).status_code == 409
        assert admin("PUT", path, {"group_type": {"is_public": False}}, **NEWEST).status_code == 200
        assert demo.get("/group_types", **NEWEST)["group_types"] == []
        assert len(admin.get("/group_types?is_public=None", **NEWEST)["group_types"]) == 1
        assert admin("POST", f"{path}/group_specs", {"group_specs": {"a": "1"}}, **NEWEST).status_code == 202
        assert admin.get(f"{path}/group_specs/a", **NEWEST) == {"a": "1"}
        assert admin("DELETE", f"{path}/group_specs/a", **NEWEST).status_code == 202
        assert "a" not in admin.get(f"{path}/group_specs", **NEWEST)["group_specs"]
        assert admin("DELETE", path, **NEWEST).status_code == 202
        assert admin("GET", path, **NEWEST).status_code == 404

    def test_types_in_use_cannot_be_deleted(self, admin: Speaker, group_type: str, group: str) -> None:
        assert admin("DELETE", f"/group_types/{group_type}", **NEWEST).status_code == 400


class TestGroups:
    def test_life_cycle(self, demo: Speaker, group: str, group_type: str, volume_type: str) -> None:
        path = f"/groups/{group}"
        [shown] = demo.get("/groups/detail", **NEWEST)["groups"]
        assert (shown["id"], shown["status"], shown["group_type"]) == (group, "available", group_type)
        volume = member_of(demo, group, volume_type)
        other = made(demo, "/volumes", "volume", size=1)["id"]
        wait_for(demo, f"/volumes/{other}")
        assert demo("PUT", path, {"group": {"name": "h", "add_volumes": other}}, **NEWEST).status_code == 202
        found = demo.get(f"{path}?list_volume=True", **NEWEST)["group"]
        assert (found["name"], set(found["volumes"])) == ("h", {volume, other})
        assert demo.get(f"/volumes/{other}", **NEWEST)["volume"]["group_id"] == group
        assert demo("DELETE", f"/volumes/{other}").status_code == 400
        assert demo("PUT", path, {"group": {"remove_volumes": other}}, **NEWEST).status_code == 202
        assert demo("DELETE", f"/volumes/{other}").status_code == 202

        refused = demo("POST", f"{path}/action", {"delete": {"delete-volumes": False}}, **NEWEST)
        assert refused.status_code == 400
        removed = demo("POST", f"{path}/action", {"delete": {"delete-volumes": True}}, **NEWEST)
        assert removed.status_code == 202
        assert demo("GET", path, **NEWEST).status_code == 404
        wait_until_gone(demo, f"/volumes/{volume}")

    def test_groups_of_others_are_not_found(self, cloud: Cloud, demo: Speaker, group: str) -> None:
        add_other(cloud)
        other = volume_speaker(cloud, "other")
        assert other.get("/groups", **NEWEST)["groups"] == []
        assert other("GET", f"/groups/{group}", **NEWEST).status_code == 404
        delete = {"delete": {"delete-volumes": True}}
        assert other("POST", f"/groups/{group}/action", delete, **NEWEST).status_code == 404
        new = {"volume": {"size": 1, "group_id": group, "volume_type": "__DEFAULT__"}}
        assert other("POST", "/volumes", new, **NEWEST).status_code == 404

    def test_inconsistent_requests_are_rejected(self, demo: Speaker, admin: Speaker, group: str) -> None:
        made(admin, "/types", "volume_type", name="other")
        assert (
            demo("POST", "/volumes", {"volume": {"size": 1, "group_id": group}}, **NEWEST).status_code == 400
        )
        other = {"volume": {"size": 1, "group_id": group, "volume_type": "other"}}
        assert demo("POST", "/volumes", other, **NEWEST).status_code == 400
        unknown = {"group": {"group_type": "none", "volume_types": ["other"]}}
        assert demo("POST", "/groups", unknown, **NEWEST).status_code == 404
        assert demo("PUT", f"/groups/{group}", {"group": {}}, **NEWEST).status_code == 400

    def test_groups_count_for_the_quota(
        self, demo: Speaker, admin: Speaker, group: str, volume_type: str
    ) -> None:
        path = f"/os-quota-sets/{demo.project_id}"
        assert admin("PUT", path, {"quota_set": {"groups": 1}}).status_code == 200
        another = {"group": {"group_type": "gold", "volume_types": [volume_type]}}
        assert demo("POST", "/groups", another, **NEWEST).status_code == 413
        delete = {"delete": {"delete-volumes": False}}
        assert demo("POST", f"/groups/{group}/action", delete, **NEWEST).status_code == 202
        assert demo("POST", "/groups", another, **NEWEST).status_code == 202


class TestSnapshots:
    def test_life_cycle(self, demo: Speaker, group: str, volume_type: str) -> None:
        assert (
            demo("POST", "/group_snapshots", {"group_snapshot": {"group_id": group}}, **NEWEST).status_code
            == 400
        )
        volume = member_of(demo, group, volume_type)
        begun = made(demo, "/group_snapshots", "group_snapshot", group_id=group, name="s")
        path = f"/group_snapshots/{begun['id']}"
        [snapshot] = demo.get("/snapshots/detail", **NEWEST)["snapshots"]
        assert (snapshot["volume_id"], snapshot["group_snapshot_id"]) == (volume, begun["id"])
        wait_for(demo, f"/snapshots/{snapshot['id']}")
        assert demo.get(path, **NEWEST)["group_snapshot"]["status"] == "available"
        [listed] = demo.get("/group_snapshots/detail", **NEWEST)["group_snapshots"]
        assert (listed["name"], listed["group_id"]) == ("s", group)
        assert demo("PUT", path, {"group_snapshot": {"name": "t"}}, **NEWEST).status_code == 200
        assert demo.get(path, **NEWEST)["group_snapshot"]["name"] == "t"
        delete = {"delete": {"delete-volumes": True}}
        assert demo("POST", f"/groups/{group}/action", delete, **NEWEST).status_code == 400
        assert demo("DELETE", path, **NEWEST).status_code == 202
        assert demo("GET", path, **NEWEST).status_code == 404
        wait_until_gone(demo, f"/snapshots/{snapshot['id']}")
