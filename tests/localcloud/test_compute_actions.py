"""What is done with servers, and what their state does not allow."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cloud import Cloud
from tests.support.compute import BAD, CONFLICT, FORBIDDEN, MISSING, Computing, fault_of, until
from tests.support.machinery import Watched


@pytest.fixture
def compute(cloud: Cloud) -> Computing:
    return Computing(cloud)


class TestPower:
    @pytest.mark.parametrize(
        ("away", "status", "back"),
        [
            ("os-stop", "SHUTOFF", "os-start"),
            ("pause", "PAUSED", "unpause"),
            ("suspend", "SUSPENDED", "resume"),
            ("shelve", "SHELVED_OFFLOADED", "unshelve"),
            ("rescue", "RESCUE", "unrescue"),
        ],
    )
    def test_each_action_can_be_undone(self, compute: Computing, away: str, status: str, back: str) -> None:
        server = compute.server()
        assert fault_of(compute.act(server, back)) == CONFLICT
        compute.done(server, away, None, status)
        assert fault_of(compute.act(server, away)) == CONFLICT
        assert compute.done(server, back, None, "ACTIVE")["OS-EXT-STS:power_state"] == 1

    @pytest.mark.parametrize("kind", ["SOFT", "HARD", "soft"])
    def test_a_reboot(self, watched_cloud: Cloud, backend: Watched, kind: str) -> None:
        compute = Computing(watched_cloud)
        server = compute.server()
        backend.hangs = True
        assert compute.act(server, "reboot", {"type": kind}).status_code == 202
        assert compute.show(server["id"])["status"] in ("REBOOT", "HARD_REBOOT")
        backend.hangs = False
        compute.wait_for(server["id"], "ACTIVE")

    def test_a_stopped_server_needs_a_hard_reboot(self, compute: Computing) -> None:
        server = compute.server()
        compute.done(server, "os-stop", None, "SHUTOFF")
        assert fault_of(compute.act(server, "reboot", {"type": "SOFT"})) == CONFLICT
        compute.done(server, "reboot", {"type": "HARD"}, "ACTIVE")

    def test_other_actions_conflict_with_a_running_task(self, watched_cloud: Cloud, backend: Watched) -> None:
        compute = Computing(watched_cloud)
        server = compute.server()
        backend.hangs = True
        compute.act(server, "reboot", {"type": "SOFT"})
        assert fault_of(compute.act(server, "os-stop")) == CONFLICT
        backend.hangs = False
        compute.wait_for(server["id"], "ACTIVE")

    def test_unknown_actions_are_rejected(self, compute: Computing) -> None:
        server = compute.server()
        assert fault_of(compute.act(server, "dance")) == BAD
        assert fault_of(compute.post(f"/servers/{server['id']}/action", {})) == BAD
        assert fault_of(compute.act(server, "reboot", {"type": "GENTLE"})) == BAD
        assert fault_of(compute.act({"id": "nonsense"}, "os-stop")) == MISSING


class TestRebuild:
    def test_a_server_is_rebuilt_from_another_image(self, compute: Computing) -> None:
        server = compute.server()
        image = compute.image_id("debian-12")
        given = {"imageRef": image, "name": "new", "metadata": {"a": "1"}}
        answer = compute.act(server, "rebuild", given)
        assert answer.status_code == 202
        assert answer.json()["server"]["status"] == "REBUILD"
        assert answer.json()["server"]["adminPass"]
        rebuilt = compute.wait_for(server["id"], "ACTIVE")
        assert (rebuilt["image"]["id"], rebuilt["name"], rebuilt["metadata"]) == (image, "new", {"a": "1"})

    def test_a_stopped_server_stays_stopped(self, compute: Computing) -> None:
        server = compute.server()
        compute.done(server, "os-stop", None, "SHUTOFF")
        compute.done(server, "rebuild", {"imageRef": compute.image_id()}, "SHUTOFF")

    def test_members_depend_on_the_microversion(self, compute: Computing) -> None:
        server = compute.server()
        given = {"imageRef": compute.image_id(), "key_name": "dxl-key"}
        assert fault_of(compute.act(server, "rebuild", given, version="2.53")) == BAD
        answer = compute.act(server, "rebuild", given, version="2.54")
        assert answer.json()["server"]["key_name"] == "dxl-key"


class TestResize:
    def test_it_is_confirmed(self, compute: Computing) -> None:
        server = compute.server()
        compute.done(server, "resize", {"flavorRef": "84"}, "VERIFY_RESIZE")
        assert compute.act(server, "confirmResize").status_code == 204
        assert compute.show(server["id"])["flavor"]["id"] == "84"
        assert compute.show(server["id"])["status"] == "ACTIVE"
        assert self.ram_used(compute) == 256

    def test_it_is_reverted(self, compute: Computing) -> None:
        server = compute.server()
        compute.done(server, "os-stop", None, "SHUTOFF")
        compute.done(server, "resize", {"flavorRef": "84"}, "VERIFY_RESIZE")
        assert self.ram_used(compute) == 256
        reverted = compute.done(server, "revertResize", None, "SHUTOFF")
        assert reverted["flavor"]["original_name"] == "m1.nano"
        assert self.ram_used(compute) == 128

    def test_deleting_a_resized_server_releases_its_quota(self, compute: Computing) -> None:
        server = compute.server()
        compute.done(server, "resize", {"flavorRef": "84"}, "VERIFY_RESIZE")
        compute.call("DELETE", f"/servers/{server['id']}")
        compute.wait_until_gone(server["id"])
        assert self.ram_used(compute) == 0

    def test_a_disk_cannot_shrink(self, compute: Computing) -> None:
        server = compute.server(flavorRef="2")
        compute.done(server, "resize", {"flavorRef": "1"}, "ACTIVE")
        assert compute.show(server["id"])["flavor"]["id"] == "2"
        path = f"/servers/{server['id']}/os-instance-actions"
        [action, _] = compute.get(path)["instanceActions"]
        assert (action["action"], action["message"]) == ("resize", "Error")

    def test_invalid_requests_are_rejected(self, compute: Computing) -> None:
        server = compute.server()
        assert fault_of(compute.act(server, "resize", {"flavorRef": "42"})) == BAD
        assert fault_of(compute.act(server, "resize", {"flavorRef": "nonsense"})) == BAD
        assert fault_of(compute.act(server, "confirmResize")) == CONFLICT
        assert fault_of(compute.act(server, "revertResize")) == CONFLICT

    @staticmethod
    def ram_used(compute: Computing) -> Any:
        return compute.get("/limits")["limits"]["absolute"]["totalRAMUsed"]


class TestImages:
    def test_an_image_is_created_from_a_server(self, compute: Computing) -> None:
        server = compute.server()
        answer = compute.act(server, "createImage", {"name": "copy", "metadata": {"a": "1"}}, version="2.45")
        image_id = answer.json()["image_id"]

        def look() -> Any:
            return compute.get(f"/v2/images/{image_id}", service="image")

        image = until(look, lambda image: image["status"] == "active")
        assert (image["name"], image["a"], image["instance_uuid"]) == ("copy", "1", server["id"])
        compute.wait_for(server["id"], "ACTIVE")
        assert compute.server("second", imageRef=image_id)["image"]["id"] == image_id

    def test_older_microversions_return_the_location(self, compute: Computing) -> None:
        answer = compute.act(compute.server(), "createImage", {"name": "copy"})
        assert answer.status_code == 202
        assert "/images/" in answer.headers["Location"]


class TestShelving:
    def test_a_shelved_server_keeps_only_an_image(self, compute: Computing) -> None:
        def images() -> Any:
            return compute.get("/v2/images?name=web-shelved", service="image")["images"]

        server = compute.server()
        compute.done(server, "shelve", None, "SHELVED_OFFLOADED")
        assert [image["status"] for image in images()] == ["active"]
        compute.done(server, "unshelve", None, "ACTIVE")
        assert images() == []
        compute.done(server, "shelve", None, "SHELVED_OFFLOADED")
        compute.call("DELETE", f"/servers/{server['id']}")
        compute.wait_until_gone(server["id"])
        assert images() == []


class TestLocks:
    def test_only_admins_can_change_a_locked_server(self, compute: Computing) -> None:
        server = compute.server()
        assert compute.act(server, "lock", {"locked_reason": "mine"}, version="2.73").status_code == 202
        assert compute.show(server["id"], version="2.73")["locked_reason"] == "mine"
        assert fault_of(compute.act(server, "os-stop")) == CONFLICT
        assert fault_of(compute.call("DELETE", f"/servers/{server['id']}")) == CONFLICT
        assert compute.act(server, "os-stop", user="admin").status_code == 202
        compute.wait_for(server["id"], "SHUTOFF")
        assert compute.act(server, "unlock").status_code == 202
        compute.done(server, "os-start", None, "ACTIVE")

    def test_the_owner_cannot_remove_an_admins_lock(self, compute: Computing) -> None:
        server = compute.server()
        compute.act(server, "lock", user="admin")
        assert fault_of(compute.act(server, "unlock")) == FORBIDDEN
        assert compute.act(server, "unlock", user="admin").status_code == 202


class TestConsoles:
    def test_the_console_output_is_shown(self, compute: Computing) -> None:
        server = compute.server()
        output = compute.act(server, "os-getConsoleOutput", {}).json()["output"]
        assert "web login:" in output
        assert compute.act(server, "os-getConsoleOutput", {"length": 0}).json()["output"] == ""

    def test_a_console_url_is_returned(self, compute: Computing) -> None:
        server = compute.server()
        old = compute.act(server, "os-getVNCConsole", {"type": "novnc"}).json()["console"]
        assert old["type"] == "novnc"
        new = compute.post(
            f"/servers/{server['id']}/remote-consoles",
            {"remote_console": {"protocol": "vnc", "type": "novnc"}},
            version="2.6",
        ).json()["remote_console"]
        for url in (old["url"], new["url"]):
            assert "web login:" in compute.cloud.client.get(url).text
        assert compute.cloud.client.get(f"{new['url']}x").status_code == 404

    def test_old_console_actions_are_removed_in_later_microversions(self, compute: Computing) -> None:
        answer = compute.act(compute.server(), "os-getVNCConsole", {"type": "novnc"}, version="2.6")
        assert fault_of(answer) == MISSING


class TestForAdmins:
    def test_admins_reset_the_state(self, compute: Computing) -> None:
        server = compute.server()
        assert fault_of(compute.act(server, "os-resetState", {"state": "error"})) == FORBIDDEN
        assert compute.act(server, "os-resetState", {"state": "error"}, user="admin").status_code == 202
        assert compute.show(server["id"])["status"] == "ERROR"
        compute.done(server, "os-stop", None, "SHUTOFF")

    def test_migration_is_not_possible(self, compute: Computing) -> None:
        server = compute.server()
        assert fault_of(compute.act(server, "migrate", user="admin")) == BAD

    def test_diagnostics(self, compute: Computing) -> None:
        server = compute.server()
        path = f"/servers/{server['id']}/diagnostics"
        assert compute.get(path, user="admin", version="2.48")["state"] == "running"
        assert fault_of(compute.call("GET", path)) == FORBIDDEN


def test_a_password_is_changed(compute: Computing) -> None:
    server = compute.server()
    assert compute.act(server, "changePassword", {"adminPass": "secret"}).status_code == 202
    compute.wait_for(server["id"], "ACTIVE")
    actions = compute.get(f"/servers/{server['id']}/os-instance-actions")["instanceActions"]
    assert actions[0]["action"] == "changePassword"
