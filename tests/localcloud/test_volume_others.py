"""Snapshots, backups, transfers, types and QoS of volumes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cloud import Cloud
from tests.support.machinery import Watched
from tests.support.storage import Speaker, add_other, microversion, volume_speaker, wait_for, wait_until_gone


@pytest.fixture
def demo(cloud: Cloud) -> Speaker:
    return volume_speaker(cloud)


@pytest.fixture
def admin(cloud: Cloud) -> Speaker:
    return volume_speaker(cloud, "admin")


def made(speaker: Speaker, path: str, kind: str, **members: Any) -> dict[str, Any]:
    answer = speaker("POST", path, {kind: members})
    assert answer.status_code in (200, 202), answer.text
    shown: dict[str, Any] = answer.json()[kind]
    return shown


def volume_of(speaker: Speaker, **members: Any) -> dict[str, Any]:
    return wait_for(
        speaker, f"/volumes/{made(speaker, '/volumes', 'volume', **{'size': 1, **members})['id']}"
    )


class TestSnapshots:
    def test_life_cycle(self, demo: Speaker) -> None:
        volume = volume_of(demo)
        begun = made(demo, "/snapshots", "snapshot", volume_id=volume["id"], name="s", metadata={"a": "1"})
        assert begun["status"] == "creating"
        path = f"/snapshots/{begun['id']}"
        snapshot = wait_for(demo, path)
        assert (snapshot["size"], snapshot["metadata"]) == (1, {"a": "1"})
        assert snapshot["os-extended-snapshot-attributes:progress"] == "100%"
        assert demo("PUT", path, {"snapshot": {"name": "t"}}).json()["snapshot"]["name"] == "t"
        assert demo("POST", f"{path}/metadata", {"metadata": {"b": "2"}}).json()["metadata"] == {
            "a": "1",
            "b": "2",
        }
        assert [each["id"] for each in demo.get(f"/snapshots/detail?volume_id={volume['id']}")["snapshots"]]
        assert demo.get("/snapshots?name=missing")["snapshots"] == []
        assert demo("DELETE", path).status_code == 202
        wait_until_gone(demo, path)

    def test_snapshots_of_volumes_in_use_need_force(self, demo: Speaker) -> None:
        volume = volume_of(demo)
        attach = {"os-attach": {"instance_uuid": "server", "mountpoint": "/dev/vdb"}}
        demo("POST", f"/volumes/{volume['id']}/action", attach)
        wanted = {"snapshot": {"volume_id": volume["id"]}}
        assert demo("POST", "/snapshots", wanted).status_code == 400
        assert demo("POST", "/snapshots", {"snapshot": {"volume_id": None}}).status_code == 404
        assert demo("POST", "/snapshots", wanted, headers=microversion(66)).status_code == 202
        assert (
            demo("POST", "/snapshots", {"snapshot": {**wanted["snapshot"], "force": True}}).status_code == 202
        )

    def test_status_updates(self, cloud: Cloud, demo: Speaker) -> None:
        snapshot = made(demo, "/snapshots", "snapshot", volume_id=volume_of(demo)["id"], display_name="s")
        assert snapshot["name"] == "s"
        path = f"/snapshots/{snapshot['id']}"
        wait_for(demo, path)
        report = {"os-update_snapshot_status": {"status": "error", "progress": "80%"}}
        assert demo("POST", f"{path}/action", report).status_code == 400
        reset = {"os-reset_status": {"status": "creating"}}
        assert demo("POST", f"{path}/action", reset).status_code == 403
        cloud.user("chief", "admin")
        assert volume_speaker(cloud, "chief", "demo")("POST", f"{path}/action", reset).status_code == 202
        assert demo("POST", f"{path}/action", report).status_code == 202
        shown = demo.get(path)["snapshot"]
        assert (shown["status"], shown["os-extended-snapshot-attributes:progress"]) == ("error", "80%")

    def test_snapshots_of_others_are_not_found(self, cloud: Cloud, demo: Speaker) -> None:
        add_other(cloud)
        snapshot = made(demo, "/snapshots", "snapshot", volume_id=volume_of(demo)["id"])
        assert volume_speaker(cloud, "other")("GET", f"/snapshots/{snapshot['id']}").status_code == 404


class TestVolumesInUse:
    def test_copies_are_flushed_first(self, watched_cloud: Cloud, backend: Watched) -> None:
        demo = volume_speaker(watched_cloud)
        volume = volume_of(demo)
        snapshot = made(demo, "/snapshots", "snapshot", volume_id=volume["id"])
        wait_for(demo, f"/snapshots/{snapshot['id']}")
        backup = made(demo, "/backups", "backup", volume_id=volume["id"])
        wait_for(demo, f"/backups/{backup['id']}")
        volume_of(demo, source_volid=volume["id"])
        assert backend.flushed == [volume["id"]] * 3

    def test_volumes_in_use_are_extended(self, watched_cloud: Cloud, backend: Watched) -> None:
        demo = volume_speaker(watched_cloud)
        volume = volume_of(demo)
        path = f"/volumes/{volume['id']}"
        assert demo("POST", f"{path}/action", {"os-extend": {"new_size": 2}}).status_code == 202
        assert wait_for(demo, path)["size"] == 2
        assert backend.grown == [volume["id"]]


class TestBackups:
    def test_restore_to_a_new_volume(self, cloud: Cloud, demo: Speaker) -> None:
        volume = volume_of(demo, metadata={"a": "1"})
        folder = cloud.database.with_suffix("") / "volumes"
        with (folder / volume["id"]).open("r+b") as file:
            file.write(b"precious")
        backup = made(demo, "/backups", "backup", volume_id=volume["id"], name="b")
        shown = wait_for(demo, f"/backups/{backup['id']}")
        assert (shown["size"], shown["is_incremental"], shown["container"]) == (1, False, "volumebackups")
        wait_for(demo, f"/volumes/{volume['id']}")
        answer = demo("POST", f"/backups/{backup['id']}/restore", {"restore": {}})
        restored = answer.json()["restore"]
        assert (answer.status_code, restored["volume_name"]) == (202, f"restore_backup_{backup['id']}")
        assert wait_for(demo, f"/volumes/{restored['volume_id']}")["metadata"] == {"a": "1"}
        wait_for(demo, f"/backups/{backup['id']}")
        with (folder / restored["volume_id"]).open("rb") as file:
            assert file.read(8) == b"precious"

    def test_create_a_volume_from_a_backup(self, cloud: Cloud, demo: Speaker) -> None:
        volume = volume_of(demo, size=2, metadata={"a": "1"})
        folder = cloud.database.with_suffix("") / "volumes"
        with (folder / volume["id"]).open("r+b") as file:
            file.write(b"precious")
        backup = made(demo, "/backups", "backup", volume_id=volume["id"])
        wanted = {"volume": {"backup_id": backup["id"]}}
        assert demo("POST", "/volumes", wanted, headers=microversion(47)).status_code == 400
        wait_for(demo, f"/backups/{backup['id']}")
        assert demo("POST", "/volumes", wanted, headers=microversion(46)).status_code == 400
        small = {"volume": {"backup_id": backup["id"], "size": 1}}
        assert demo("POST", "/volumes", small, headers=microversion(47)).status_code == 400
        begun = demo("POST", "/volumes", wanted, headers=microversion(47)).json()["volume"]
        assert begun["status"] == "creating"
        restored = wait_for(demo, f"/volumes/{begun['id']}")
        assert (restored["size"], restored["metadata"]) == (2, {"a": "1"})
        with (folder / restored["id"]).open("rb") as file:
            assert file.read(8) == b"precious"

    def test_restore_to_an_existing_volume(self, demo: Speaker) -> None:
        volume, small = volume_of(demo, size=2), volume_of(demo, size=1)
        backup = made(demo, "/backups", "backup", volume_id=volume["id"])
        wait_for(demo, f"/backups/{backup['id']}")
        wait_for(demo, f"/volumes/{volume['id']}")
        path = f"/backups/{backup['id']}/restore"
        assert demo("POST", path, {"restore": {"volume_id": small["id"]}}).status_code == 400
        answer = demo("POST", path, {"restore": {"volume_id": volume["id"]}})
        assert answer.json()["restore"]["volume_id"] == volume["id"]
        wait_for(demo, f"/volumes/{volume['id']}")
        wait_for(demo, f"/backups/{backup['id']}")

    def test_a_backup_with_incremental_ones_cannot_be_deleted(self, demo: Speaker) -> None:
        volume = volume_of(demo)
        wanted = {"backup": {"volume_id": volume["id"], "incremental": True}}
        assert demo("POST", "/backups", wanted).status_code == 400
        first = made(demo, "/backups", "backup", volume_id=volume["id"])
        wait_for(demo, f"/backups/{first['id']}")
        wait_for(demo, f"/volumes/{volume['id']}")
        second = demo("POST", "/backups", wanted).json()["backup"]
        assert wait_for(demo, f"/backups/{second['id']}")["is_incremental"] is True
        assert demo.get(f"/backups/{first['id']}")["backup"]["has_dependent_backups"] is True
        assert demo("DELETE", f"/backups/{first['id']}").status_code == 400
        for backup in (second, first):
            assert demo("DELETE", f"/backups/{backup['id']}").status_code == 202
            wait_until_gone(demo, f"/backups/{backup['id']}")

    def test_update_needs_a_microversion(self, demo: Speaker) -> None:
        backup = made(demo, "/backups", "backup", volume_id=volume_of(demo)["id"])
        change = {"backup": {"name": "new"}}
        assert demo("PUT", f"/backups/{backup['id']}", change).status_code == 404
        changed = demo("PUT", f"/backups/{backup['id']}", change, headers=microversion(9))
        assert changed.json()["backup"]["name"] == "new"


class TestTransfers:
    def test_transfers_are_accepted_with_the_key(self, cloud: Cloud, demo: Speaker) -> None:
        add_other(cloud)
        other = volume_speaker(cloud, "other")
        volume = volume_of(demo)
        transfer = made(demo, "/os-volume-transfer", "transfer", volume_id=volume["id"], name="gift")
        assert demo.get(f"/volumes/{volume['id']}")["volume"]["status"] == "awaiting-transfer"
        assert "auth_key" not in demo.get(f"/os-volume-transfer/{transfer['id']}")["transfer"]
        path = f"/os-volume-transfer/{transfer['id']}/accept"
        assert other("POST", path, {"accept": {"auth_key": "guess"}}).status_code == 400
        assert other("POST", path, {"accept": {"auth_key": transfer["auth_key"]}}).status_code == 202
        assert other.get(f"/volumes/{volume['id']}")["volume"]["status"] == "available"
        assert demo("GET", f"/volumes/{volume['id']}").status_code == 404
        for speaker, count in ((demo, 0), (other, 1)):
            quotas = speaker.get(f"/os-quota-sets/{speaker.project_id}?usage=True")["quota_set"]
            assert quotas["volumes"]["in_use"] == count

    def test_a_deleted_transfer_releases_the_volume(self, demo: Speaker) -> None:
        volume = volume_of(demo)
        transfer = made(demo, "/os-volume-transfer", "transfer", volume_id=volume["id"])
        assert [each["id"] for each in demo.get("/os-volume-transfer")["transfers"]] == [transfer["id"]]
        assert demo("DELETE", f"/os-volume-transfer/{transfer['id']}").status_code == 202
        assert demo.get(f"/volumes/{volume['id']}")["volume"]["status"] == "available"
        assert demo("GET", "/volume-transfers").status_code == 404
        assert demo.get("/volume-transfers", headers=microversion(55))["transfers"] == []


class TestTypes:
    def test_life_cycle(self, demo: Speaker, admin: Speaker) -> None:
        assert [each["name"] for each in demo.get("/types")["volume_types"]] == ["lvmdriver-1"]
        assert demo("POST", "/types", {"volume_type": {"name": "gold"}}).status_code == 403
        gold = made(admin, "/types", "volume_type", name="gold", extra_specs={"speed": "high"})
        assert (gold["is_public"], gold["extra_specs"]) == (True, {"speed": "high"})
        assert admin("POST", "/types", {"volume_type": {"name": "gold"}}).status_code == 409
        path = f"/types/{gold['id']}"
        changed = admin("PUT", path, {"volume_type": {"description": "fast"}}).json()["volume_type"]
        assert changed["description"] == "fast"
        volume = volume_of(demo, volume_type="gold")
        assert volume["volume_type"] == "gold"
        assert admin("DELETE", path).status_code == 400
        demo("DELETE", f"/volumes/{volume['id']}")
        wait_until_gone(demo, f"/volumes/{volume['id']}")
        assert admin("DELETE", path).status_code == 202
        assert admin("GET", path).status_code == 404

    def test_extra_specs_one_by_one(self, admin: Speaker) -> None:
        path = f"/types/{made(admin, '/types', 'volume_type', name='gold')['id']}/extra_specs"
        assert admin("POST", path, {"extra_specs": {"a": "1", "b": "2"}}).status_code == 200
        assert admin("PUT", f"{path}/a", {"a": "3"}).json() == {"a": "3"}
        assert admin("DELETE", f"{path}/b").status_code == 202
        assert admin("GET", f"{path}/b").status_code == 404
        assert admin.get(path)["extra_specs"] == {"a": "3"}

    def test_access_to_private_types(self, cloud: Cloud, demo: Speaker, admin: Speaker) -> None:
        secret = {"name": "secret", "os-volume-type-access:is_public": False}
        path = f"/types/{made(admin, '/types', 'volume_type', **secret)['id']}"
        wanted = {"volume": {"size": 1, "volume_type": "secret"}}
        assert demo("POST", "/volumes", wanted).status_code == 404
        assert demo("GET", path).status_code == 404
        add = {"addProjectAccess": {"project": demo.project_id}}
        assert admin("POST", f"{path}/action", add).status_code == 202
        assert admin("POST", f"{path}/action", add).status_code == 409
        granted = admin.get(f"{path}/os-volume-type-access")["volume_type_access"]
        assert [each["project_id"] for each in granted] == [demo.project_id]
        assert demo("POST", "/volumes", wanted).status_code == 202
        remove = {"removeProjectAccess": {"project": demo.project_id}}
        assert admin("POST", f"{path}/action", remove).status_code == 202
        assert admin("POST", f"{path}/action", remove).status_code == 404
        assert demo("GET", path).status_code == 404

    def test_encryption(self, demo: Speaker, admin: Speaker) -> None:
        path = f"/types/{made(admin, '/types', 'volume_type', name='luks')['id']}/encryption"
        assert admin.get(path) == {}
        encryption = made(admin, path, "encryption", provider="luks", cipher="aes", key_size=256)
        assert encryption["control_location"] == "front-end"
        assert admin.get(path)["provider"] == "luks"
        one = f"{path}/{encryption['encryption_id']}"
        assert admin("PUT", one, {"encryption": {"cipher": "aes-xts"}}).json()["encryption"] == {
            "cipher": "aes-xts"
        }
        assert admin.get(f"{path}/cipher") == {"cipher": "aes-xts"}
        assert volume_of(demo, volume_type="luks")["encrypted"] is True
        assert admin("DELETE", one).status_code == 400
        assert admin("PUT", f"{path}/missing", {"encryption": {}}).status_code == 404

    def test_default_types(self, demo: Speaker, admin: Speaker) -> None:
        gold = made(admin, "/types", "volume_type", name="gold")
        path, version = f"/default-types/{demo.project_id}", microversion(62)
        assert demo.get("/types/default")["volume_type"]["name"] == "lvmdriver-1"
        chosen = admin("PUT", path, {"default_type": {"volume_type": "gold"}}, headers=version)
        assert chosen.json()["default_type"]["volume_type_id"] == gold["id"]
        assert volume_of(demo)["volume_type"] == "gold"
        assert admin("DELETE", path, headers=version).status_code == 204
        assert admin("GET", path, headers=version).status_code == 404


class TestQos:
    def test_specs_and_associations(self, admin: Speaker) -> None:
        gold = made(admin, "/types", "volume_type", name="gold")
        qos = made(admin, "/qos-specs", "qos_specs", name="fast", consumer="both", iops="500", burst="9")
        assert (qos["consumer"], qos["specs"]) == ("both", {"iops": "500", "burst": "9"})
        path = f"/qos-specs/{qos['id']}"
        assert admin("PUT", path, {"qos_specs": {"iops": "600"}}).json()["qos_specs"] == {"iops": "600"}
        assert admin("PUT", f"{path}/delete_keys", {"keys": ["burst"]}).status_code == 202
        assert admin.get(path)["qos_specs"]["specs"] == {"iops": "600"}
        assert admin("GET", f"{path}/associate?vol_type_id={gold['id']}").status_code == 202
        [association] = admin.get(f"{path}/associations")["qos_associations"]
        assert association["id"] == gold["id"]
        assert admin("DELETE", path).status_code == 400
        assert admin("GET", f"{path}/disassociate?vol_type_id={gold['id']}").status_code == 202
        assert admin.get(f"{path}/associations")["qos_associations"] == []
        admin("GET", f"{path}/associate?vol_type_id={gold['id']}")
        assert admin("GET", f"{path}/disassociate_all").status_code == 202
        assert admin("DELETE", path).status_code == 202
        assert admin("GET", path).status_code == 404

    def test_qos_specs_are_for_admins(self, demo: Speaker, admin: Speaker) -> None:
        assert demo("GET", "/qos-specs").status_code == 403
        wrong = {"qos_specs": {"name": "q", "consumer": "nobody"}}
        assert admin("POST", "/qos-specs", wrong).status_code == 400


class TestInfrastructure:
    def test_zones_extensions_and_filters(self, demo: Speaker) -> None:
        [zone] = demo.get("/os-availability-zone")["availabilityZoneInfo"]
        assert zone == {"zoneName": "nova", "zoneState": {"available": True}}
        extensions = {each["alias"]: each["name"] for each in demo.get("/extensions")["extensions"]}
        # Horizon looks for these names.
        assert extensions["os-availability-zone"] == "AvailabilityZones"
        assert extensions["os-services"] == "Services"
        assert "backups" in extensions
        [filters] = demo.get("/resource_filters?resource=volume", headers=microversion(33))[
            "resource_filters"
        ]
        assert "status" in filters["filters"]
        assert demo.get("/messages", headers=microversion(3))["messages"] == []

    def test_services_and_pools_are_for_admins(self, demo: Speaker, admin: Speaker) -> None:
        binaries = [each["binary"] for each in admin.get("/os-services")["services"]]
        assert binaries == ["cinder-scheduler", "cinder-volume", "cinder-backup"]
        [pool] = admin.get("/scheduler-stats/get_pools?detail=true")["pools"]
        assert pool["capabilities"]["volume_backend_name"] == "lvmdriver-1"
        host = pool["name"].partition("#")[0]
        assert admin.get(f"/capabilities/{host}")["volume_backend_name"] == "lvmdriver-1"
        assert admin("GET", "/capabilities/nowhere").status_code == 404
        for path in ("/os-services", "/scheduler-stats/get_pools"):
            assert demo("GET", path).status_code == 403
