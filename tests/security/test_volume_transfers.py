"""A volume that was handed over is out of reach for whoever gave it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cloud import Cloud
from tests.support.compute import Computing
from tests.support.storage import Speaker, add_other, microversion, volume_speaker, wait_for, wait_until_gone

NEWEST = microversion(70)


@pytest.fixture
def giver(cloud: Cloud) -> Speaker:
    return volume_speaker(cloud)


@pytest.fixture
def taker(cloud: Cloud) -> Speaker:
    add_other(cloud)
    return volume_speaker(cloud, "other")


@pytest.fixture
def admin(cloud: Cloud) -> Speaker:
    return volume_speaker(cloud, "admin")


@pytest.fixture
def volume_type(giver: Speaker) -> str:
    return str(giver.get("/types/default")["volume_type"]["id"])


@pytest.fixture
def group(giver: Speaker, admin: Speaker, volume_type: str) -> str:
    made(admin, "/group_types", "group_type", name="gold")
    return str(made(giver, "/groups", "group", group_type="gold", volume_types=[volume_type])["id"])


def made(speaker: Speaker, path: str, kind: str, **members: Any) -> dict[str, Any]:
    answer = speaker("POST", path, {kind: members}, headers=NEWEST)
    assert answer.status_code in (200, 202), answer.text
    shown: dict[str, Any] = answer.json()[kind]
    return shown


def volume_of(speaker: Speaker, **members: Any) -> str:
    id = str(made(speaker, "/volumes", "volume", size=1, **members)["id"])
    wait_for(speaker, f"/volumes/{id}")
    return id


def act(speaker: Speaker, volume: str, action: str, **content: Any) -> int:
    return int(speaker("POST", f"/volumes/{volume}/action", {action: content}, headers=NEWEST).status_code)


def status_of(speaker: Speaker, volume: str) -> str:
    return str(speaker.get(f"/volumes/{volume}")["volume"]["status"])


def offered(speaker: Speaker, volume: str) -> dict[str, Any]:
    return made(speaker, "/volume-transfers", "transfer", volume_id=volume)


def refused(speaker: Speaker, volume: str) -> bool:
    wanted = {"transfer": {"volume_id": volume}}
    return bool(speaker("POST", "/volume-transfers", wanted, headers=NEWEST).status_code == 400)


def accept(speaker: Speaker, transfer: dict[str, Any]) -> int:
    path, key = f"/volume-transfers/{transfer['id']}/accept", {"auth_key": transfer["auth_key"]}
    return int(speaker("POST", path, {"accept": key}, headers=NEWEST).status_code)


def hand_over(giver: Speaker, taker: Speaker, volume: str) -> None:
    assert accept(taker, offered(giver, volume)) == 202


class TestGroups:
    def test_a_volume_in_a_group_is_not_handed_over(
        self, giver: Speaker, taker: Speaker, group: str, volume_type: str
    ) -> None:
        volume = volume_of(giver, group_id=group, volume_type=volume_type)
        assert refused(giver, volume)
        change = {"group": {"remove_volumes": volume}}
        assert giver("PUT", f"/groups/{group}", change, headers=NEWEST).status_code == 202
        hand_over(giver, taker, volume)
        delete = {"delete": {"delete-volumes": True}}
        assert giver("POST", f"/groups/{group}/action", delete, headers=NEWEST).status_code == 202
        assert status_of(taker, volume) == "available"

    def test_a_group_holds_volumes_of_its_project_only(
        self, admin: Speaker, taker: Speaker, group: str, volume_type: str
    ) -> None:
        """Not even an admin puts others into it, which the owner of the group could then delete."""
        change = {"group": {"add_volumes": volume_of(taker)}}
        assert admin("PUT", f"/groups/{group}", change, headers=NEWEST).status_code == 400
        wanted = {"volume": {"size": 1, "group_id": group, "volume_type": volume_type}}
        assert admin("POST", "/volumes", wanted, headers=NEWEST).status_code == 400

    def test_snapshots_of_a_group_do_not_take_those_along_that_were_handed_over(
        self, giver: Speaker, taker: Speaker, group: str, volume_type: str
    ) -> None:
        volume = volume_of(giver, group_id=group, volume_type=volume_type)
        together = made(giver, "/group_snapshots", "group_snapshot", group_id=group)["id"]
        [snapshot] = giver.get("/snapshots")["snapshots"]
        wait_for(giver, f"/snapshots/{snapshot['id']}")
        giver("PUT", f"/groups/{group}", {"group": {"remove_volumes": volume}}, headers=NEWEST)
        hand_over(giver, taker, volume)
        assert giver("DELETE", f"/group_snapshots/{together}", headers=NEWEST).status_code == 202
        assert taker.get(f"/snapshots/{snapshot['id']}")["snapshot"]["status"] == "available"


class TestOldTransfers:
    def test_a_volume_that_waits_for_a_transfer_is_not_detached(self, giver: Speaker) -> None:
        volume = volume_of(giver)
        offered(giver, volume)
        assert act(giver, volume, "os-detach") == 400
        assert status_of(giver, volume) == "awaiting-transfer"

    @pytest.mark.parametrize("again", ["accepted", "deleted"])
    def test_an_earlier_transfer_is_worth_nothing_later(
        self, giver: Speaker, taker: Speaker, admin: Speaker, again: str
    ) -> None:
        volume = volume_of(giver)
        first = offered(giver, volume)
        assert act(admin, volume, "os-reset_status", status="available") == 202
        hand_over(giver, taker, volume)
        offered(taker, volume)
        if again == "accepted":
            assert accept(giver, first) in (400, 404)
        else:
            path = f"/volume-transfers/{first['id']}"
            assert giver("DELETE", path, headers=NEWEST).status_code == 404
        assert status_of(taker, volume) == "awaiting-transfer"


class TestServers:
    """A server keeps what it has attached, so the volume service alone must not call that free."""

    def attached(self, cloud: Cloud, **more: Any) -> tuple[Computing, str, str]:
        compute = Computing(cloud)
        volume, server = compute.volume(**more), compute.server()
        body = {"volumeAttachment": {"volumeId": volume["id"]}}
        answer = compute.post(f"/servers/{server['id']}/os-volume_attachments", body)
        assert answer.status_code == 200, answer.text
        return compute, server["id"], volume["id"]

    def test_what_a_server_has_is_detached_from_it_by_the_compute_service_only(
        self, cloud: Cloud, giver: Speaker
    ) -> None:
        compute, server, volume = self.attached(cloud)
        assert act(giver, volume, "os-detach") == 409
        assert act(giver, volume, "os-begin_detaching") == 202
        assert act(giver, volume, "os-detach") == 409
        assert act(giver, volume, "os-roll_detaching") == 202
        [attachment] = giver.get("/attachments", headers=NEWEST)["attachments"]
        path = f"/attachments/{attachment['id']}"
        assert giver("DELETE", path, headers=NEWEST).status_code == 409
        assert status_of(giver, volume) == "in-use"
        answer = compute.call("DELETE", f"/servers/{server}/os-volume_attachments/{volume}")
        assert answer.status_code == 202
        assert status_of(giver, volume) == "available"

    def test_what_a_server_has_is_not_handed_over(self, cloud: Cloud, giver: Speaker, admin: Speaker) -> None:
        _, _, volume = self.attached(cloud)
        assert act(admin, volume, "os-reset_status", status="available") == 202
        assert refused(giver, volume)

    def test_a_server_does_not_take_a_volume_of_others_along(
        self, cloud: Cloud, giver: Speaker, taker: Speaker, admin: Speaker
    ) -> None:
        compute, server, volume = self.attached(cloud)
        path = f"/servers/{server}/os-volume_attachments/{volume}"
        goes = {"volumeAttachment": {"volumeId": volume, "delete_on_termination": True}}
        answer = compute.call("PUT", path, goes, version="2.90")
        assert answer.status_code == 202, answer.text
        assert act(admin, volume, "os-force_detach") == 202
        hand_over(giver, taker, volume)
        assert compute.call("DELETE", f"/servers/{server}").status_code == 204
        compute.wait_until_gone(server)
        assert status_of(taker, volume) == "available"


def test_a_volume_for_several_servers_is_attached_when_it_is_available_or_in_use(giver: Speaker) -> None:
    volume = volume_of(giver, multiattach=True)
    offered(giver, volume)
    assert act(giver, volume, "os-attach", instance_uuid="server", mountpoint="/dev/vdb") == 400
    assert status_of(giver, volume) == "awaiting-transfer"


def test_an_incremental_backup_does_not_build_on_one_of_the_giver(giver: Speaker, taker: Speaker) -> None:
    volume = volume_of(giver)
    backup = made(giver, "/backups", "backup", volume_id=volume)["id"]
    wait_for(giver, f"/backups/{backup}")
    hand_over(giver, taker, volume)
    wanted = {"backup": {"volume_id": volume, "incremental": True}}
    assert taker("POST", "/backups", wanted, headers=NEWEST).status_code == 400
    assert giver("DELETE", f"/backups/{backup}").status_code == 202
    wait_until_gone(giver, f"/backups/{backup}")
