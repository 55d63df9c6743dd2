"""Servers: how they come, what is shown of them, how they go."""

from __future__ import annotations

from base64 import b64encode

import pytest

from tests.support.cloud import Cloud
from tests.support.compute import BAD, CONFLICT, FORBIDDEN, MISSING, Computing, fault_of


@pytest.fixture
def compute(cloud: Cloud) -> Computing:
    return Computing(cloud)


class TestLifeCycle:
    def test_a_new_server_is_built_and_becomes_active(self, compute: Computing) -> None:
        answer = compute.create()
        assert answer.status_code == 202
        made = answer.json()["server"]
        assert answer.headers["Location"].endswith(f"/compute/v2.1/servers/{made['id']}")
        assert made["adminPass"]
        first = compute.show(made["id"])
        assert (first["status"], first["OS-EXT-STS:vm_state"]) == ("BUILD", "building")
        server = compute.wait_for(made["id"], "ACTIVE")
        assert server["OS-EXT-STS:power_state"] == 1
        assert server["OS-SRV-USG:launched_at"]
        assert server["progress"] == 100

    def test_a_deleted_server_is_not_found(self, compute: Computing) -> None:
        server = compute.server()
        assert compute.call("DELETE", f"/servers/{server['id']}").status_code == 204
        compute.wait_until_gone(server["id"])
        assert fault_of(compute.call("DELETE", f"/servers/{server['id']}")) == MISSING
        assert compute.get("/servers")["servers"] == []

    def test_a_server_can_be_deleted_while_it_is_built(self, compute: Computing) -> None:
        made = compute.create(networks="none").json()["server"]
        assert compute.call("DELETE", f"/servers/{made['id']}").status_code == 204
        compute.wait_until_gone(made["id"])

    def test_name_description_and_addresses_can_be_changed(self, compute: Computing) -> None:
        server = compute.server()
        body = {"server": {"name": "db", "description": "d", "accessIPv4": "192.0.2.1"}}
        answer = compute.call("PUT", f"/servers/{server['id']}", body, version="2.19")
        assert answer.status_code == 200
        changed = compute.show(server["id"], version="2.19")
        assert (changed["name"], changed["description"], changed["accessIPv4"]) == ("db", "d", "192.0.2.1")

    def test_unknown_members_are_rejected(self, compute: Computing) -> None:
        assert fault_of(compute.create(colour="red")) == BAD
        server = compute.server()
        answer = compute.call("PUT", f"/servers/{server['id']}", {"server": {"description": "d"}})
        assert fault_of(answer) == BAD

    def test_instance_actions(self, compute: Computing) -> None:
        server = compute.server()
        compute.done(server, "os-stop", None, "SHUTOFF")
        path = f"/servers/{server['id']}/os-instance-actions"
        actions = compute.get(path)["instanceActions"]
        assert [action["action"] for action in actions] == ["stop", "create"]
        action = compute.get(f"{path}/{actions[1]['request_id']}")["instanceAction"]
        assert [event["result"] for event in action["events"]] == ["Success"]
        asked = compute.act(server, "os-start")
        answer = compute.call("GET", f"{path}/{asked.headers['X-Compute-Request-Id']}")
        assert answer.json()["instanceAction"]["action"] == "start"


class TestTenancy:
    def test_servers_are_visible_to_their_project_and_admins(self, compute: Computing) -> None:
        server = compute.server()
        compute.cloud.user("eve", "member", project="service")
        eve = compute.cloud.token_of("eve", {"project": {"name": "service", "domain": {"name": "Default"}}})
        path = f"/compute/v2.1/servers/{server['id']}"
        for method in ("GET", "DELETE"):
            answer = compute.cloud.client.request(method, path, headers={"X-Auth-Token": eve})
            assert fault_of(answer) == MISSING
        assert compute.show(server["id"], user="admin")["id"] == server["id"]

    def test_only_admins_list_all_projects(self, compute: Computing) -> None:
        server = compute.server()
        assert compute.get("/servers", user="admin")["servers"] == []
        listed = compute.get("/servers?all_tenants=1", user="admin")["servers"]
        assert [each["id"] for each in listed] == [server["id"]]
        assert fault_of(compute.call("GET", "/servers?all_tenants=1")) == FORBIDDEN

    def test_only_admins_see_the_host(self, compute: Computing) -> None:
        server = compute.server()
        assert "OS-EXT-SRV-ATTR:host" not in compute.show(server["id"])
        assert compute.show(server["id"], user="admin")["OS-EXT-SRV-ATTR:host"] == "calor"

    def test_readers_change_nothing(self, compute: Computing) -> None:
        server = compute.server()
        compute.cloud.user("rita", "reader")
        assert compute.show(server["id"], user="rita")["id"] == server["id"]
        assert fault_of(compute.call("DELETE", f"/servers/{server['id']}", user="rita")) == FORBIDDEN
        for action in ("os-stop", "createBackup", "trigger_crash_dump", "removeFloatingIp", "restore"):
            assert fault_of(compute.act(server, action, user="rita")) == FORBIDDEN


class TestLists:
    def test_newest_first(self, compute: Computing) -> None:
        ids = [compute.server(name)["id"] for name in ("a", "b", "c")]
        assert [each["id"] for each in compute.get("/servers")["servers"]] == ids[::-1]

    def test_pagination(self, compute: Computing) -> None:
        for name in ("a", "b", "c"):
            compute.create(name)
        page = compute.get("/servers/detail?limit=2&sort_key=display_name&sort_dir=asc")
        assert [each["name"] for each in page["servers"]] == ["a", "b"]
        [link] = page["servers_links"]
        assert link["rel"] == "next"
        following = compute.get(link["href"].partition("/compute/v2.1")[2])
        assert [each["name"] for each in following["servers"]] == ["c"]
        assert "servers_links" not in following
        assert fault_of(compute.call("GET", "/servers?marker=nonsense")) == BAD

    @pytest.mark.parametrize(
        ("query", "names"),
        [
            ("name=^web", ["web-2", "web-1"]),
            ("status=active", ["web-2", "web-1"]),
            ("status=SHUTOFF", ["db"]),
            ("status=ACTIVE&status=SHUTOFF", ["db", "web-2", "web-1"]),
            ("status=NONSENSE", []),
            ("flavor=84", ["web-2"]),
            ("image=nonsense", []),
            ("tags=blue", ["web-1"]),
            ("not-tags=blue", ["db", "web-2"]),
            ("changes-since=2099-01-01T00:00:00Z", []),
            ("sort_key=display_name&sort_dir=asc", ["db", "web-1", "web-2"]),
        ],
    )
    def test_filters_and_sorting(self, compute: Computing, query: str, names: list[str]) -> None:
        compute.server("web-1", tags=["blue"])
        compute.server("web-2", flavorRef="84")
        compute.done(compute.server("db"), "os-stop", None, "SHUTOFF")
        listed = compute.get(f"/servers?{query}", version="2.52")["servers"]
        assert [each["name"] for each in listed] == names

    def test_address_filters(self, compute: Computing) -> None:
        network = compute.network(cidr="10.9.0.0/24")
        nic = {"uuid": network["id"], "fixed_ip": "10.9.0.77"}
        server = compute.server(networks=[nic])
        compute.server("other")
        listed = compute.get("/servers?ip=10.9.0.7")["servers"]
        assert [each["id"] for each in listed] == [server["id"]]

    def test_invalid_queries_are_rejected(self, compute: Computing) -> None:
        for query in ("limit=-1", "limit=x", "sort_key=colour", "changes-since=yesterday", "name=("):
            assert fault_of(compute.call("GET", f"/servers?{query}")) == BAD


class TestVersions:
    def test_responses_have_version_headers(self, compute: Computing) -> None:
        answer = compute.call("GET", "/servers", version="2.47")
        assert answer.headers["OpenStack-API-Version"] == "compute 2.47"
        assert answer.headers["X-OpenStack-Nova-API-Version"] == "2.47"
        assert "OpenStack-API-Version" in answer.headers["Vary"]

    def test_unsupported_versions_are_rejected(self, compute: Computing) -> None:
        assert fault_of(compute.call("GET", "/servers", version="2.9999")) == (406, "notAcceptable")
        assert fault_of(compute.call("GET", "/servers", version="two")) == BAD

    def test_version_discovery_needs_no_token(self, compute: Computing) -> None:
        [first, version] = compute.cloud.client.get("/compute/").json()["versions"]
        assert (first["id"], first["version"]) == ("v2.0", "")
        assert (version["id"], version["min_version"]) == ("v2.1", "2.1")
        document = compute.cloud.client.get("/compute/v2.1/").json()["version"]
        assert document["version"] == version["version"]
        assert compute.cloud.client.get("/compute/v2/").json()["version"]["id"] == "v2.0"
        assert document["links"][0]["href"] == "http://cloud:5000/compute/v2.1/"

    def test_server_members_by_microversion(self, compute: Computing) -> None:
        server = compute.server(tags=["blue"])
        appearances = {
            "locked": "2.9",
            "description": "2.19",
            "tags": "2.26",
            "trusted_image_certificates": "2.63",
            "server_groups": "2.71",
            "locked_reason": "2.73",
            "OS-EXT-SRV-ATTR:hostname": "2.90",
            "pinned_availability_zone": "2.96",
        }
        for attribute, version in appearances.items():
            before = f"2.{int(version.partition('.')[2]) - 1}"
            assert attribute not in compute.show(server["id"], version=before)
            assert attribute in compute.show(server["id"], version=version)
        assert compute.show(server["id"], version="2.46")["flavor"]["id"] == "42"
        assert compute.show(server["id"], version="2.47")["flavor"]["original_name"] == "m1.nano"


class TestCreation:
    def test_given_attributes_are_shown(self, compute: Computing) -> None:
        given = {
            "metadata": {"role": "web"},
            "tags": ["blue"],
            "description": "the first",
            "key_name": "dxl-key",
            "user_data": b64encode(b"#!/bin/sh\n").decode(),
            "config_drive": True,
            "OS-DCF:diskConfig": "AUTO",
            "hostname": "first",
            "availability_zone": "nova",
        }
        server = compute.server(**given)
        for member in ("metadata", "tags", "description", "key_name", "OS-DCF:diskConfig"):
            assert server[member] == given[member]
        assert server["config_drive"] == "True"
        assert server["OS-EXT-SRV-ATTR:hostname"] == "first"
        assert server["OS-EXT-AZ:availability_zone"] == "nova"

    @pytest.mark.parametrize(
        "members",
        [
            {"flavorRef": "nonsense"},
            {"imageRef": "70a599e0-31e7-49b7-b260-868f441e862b"},
            {"imageRef": ""},
            {"key_name": "nonsense"},
            {"availability_zone": "nonsense"},
            {"user_data": "not base64!"},
            {"networks": [{"uuid": "70a599e0-31e7-49b7-b260-868f441e862b"}]},
            {"networks": [{}]},
            {"min_count": 3, "max_count": 2},
            {"metadata": {"key": 1}},
            {"tags": ["a,b"]},
            {"personality": [{"path": "/x", "contents": ""}]},
            {"name": ""},
        ],
    )
    def test_invalid_requests_are_rejected(self, compute: Computing, members: dict[str, object]) -> None:
        assert fault_of(compute.create(**members)) == BAD
        assert compute.get("/servers")["servers"] == []

    def test_later_microversions_require_networks(self, compute: Computing) -> None:
        wanted = compute.wanted()
        del wanted["networks"]
        assert fault_of(compute.post("/servers", {"server": wanted}, version="2.37")) == BAD

    def test_multiple_create(self, compute: Computing) -> None:
        compute.create(min_count=1, max_count=3)
        names = sorted(each["name"] for each in compute.get("/servers")["servers"])
        assert names == ["web-1", "web-2", "web-3"]

    def test_return_reservation_id(self, compute: Computing) -> None:
        reservation = compute.create(max_count=2, return_reservation_id=True).json()["reservation_id"]
        listed = compute.get(f"/servers?reservation_id={reservation}")["servers"]
        assert len(listed) == 2

    def test_server_group_hint(self, compute: Computing) -> None:
        group = compute.post(
            "/os-server-groups", {"server_group": {"name": "g", "policies": ["affinity"]}}
        ).json()["server_group"]
        server = compute.server(hints={"group": group["id"]})
        assert server["server_groups"] == [group["id"]]
        shown = compute.get(f"/os-server-groups/{group['id']}")["server_group"]
        assert shown["members"] == [server["id"]]
        nowhere = {"group": "70a599e0-31e7-49b7-b260-868f441e862b"}
        assert fault_of(compute.create(hints=nowhere)) == BAD

    def test_a_flavor_too_small_for_the_image_is_rejected(self, compute: Computing) -> None:
        image = {"name": "large", "min_ram": 512, "disk_format": "raw", "container_format": "bare"}
        made = compute.post("/v2/images", image, service="image").json()
        compute.cloud.client.put(
            f"/image/v2/images/{made['id']}/file",
            content=b"x",
            headers={
                "X-Auth-Token": compute.cloud.token_of("demo"),
                "Content-Type": "application/octet-stream",
            },
        )
        assert fault_of(compute.create(imageRef=made["id"])) == BAD
        assert compute.server(imageRef=made["id"], flavorRef="1")["status"] == "ACTIVE"

    def test_the_quota_is_enforced(self, compute: Computing) -> None:
        path = f"/os-quota-sets/{compute.project_id}"
        body = {"quota_set": {"instances": 2}}
        assert compute.call("PUT", path, body, user="admin").status_code == 200
        compute.create(max_count=5)
        assert len(compute.get("/servers")["servers"]) == 2
        assert fault_of(compute.create()) == FORBIDDEN
        first = compute.get("/servers")["servers"][0]
        compute.call("DELETE", f"/servers/{first['id']}")
        compute.wait_until_gone(first["id"])
        assert compute.create().status_code == 202


class TestMetadataAndTags:
    def test_metadata_is_added_replaced_and_removed(self, compute: Computing) -> None:
        path = f"/servers/{compute.server(metadata={'a': '1'})['id']}/metadata"
        assert compute.post(path, {"metadata": {"b": "2"}}).json()["metadata"] == {"a": "1", "b": "2"}
        assert compute.call("PUT", f"{path}/a", {"meta": {"a": "3"}}).json()["meta"] == {"a": "3"}
        assert fault_of(compute.call("PUT", f"{path}/a", {"meta": {"b": "3"}})) == BAD
        assert compute.call("DELETE", f"{path}/b").status_code == 204
        assert fault_of(compute.call("GET", f"{path}/b")) == MISSING
        assert compute.call("PUT", path, {"metadata": {"c": "4"}}).json()["metadata"] == {"c": "4"}
        assert compute.get(path)["metadata"] == {"c": "4"}

    def test_tags_are_added_replaced_and_removed(self, compute: Computing) -> None:
        compute.version = "2.26"
        path = f"/servers/{compute.server()['id']}/tags"
        assert compute.call("PUT", f"{path}/blue").status_code == 201
        assert compute.call("PUT", f"{path}/blue").status_code == 204
        assert compute.call("GET", f"{path}/blue").status_code == 204
        assert compute.call("PUT", path, {"tags": ["red", "red"]}).json()["tags"] == ["red"]
        assert compute.call("DELETE", f"{path}/red").status_code == 204
        assert compute.call("GET", f"{path}/red").status_code == 404
        assert compute.call("GET", path, version="2.25").status_code == 404

    def test_metadata_of_a_locked_server_cannot_change(self, compute: Computing) -> None:
        server = compute.server()
        compute.act(server, "lock")
        answer = compute.post(f"/servers/{server['id']}/metadata", {"metadata": {"b": "2"}})
        assert fault_of(answer) == CONFLICT
