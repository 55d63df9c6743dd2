"""What servers are made with: flavors, keys, groups, zones; and what an admin sees and sets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cloud import Cloud
from tests.support.compute import BAD, CONFLICT, FORBIDDEN, MISSING, Computing, fault_of


@pytest.fixture
def compute(cloud: Cloud) -> Computing:
    return Computing(cloud)


@pytest.fixture
def admin(cloud: Cloud) -> Computing:
    return Computing(cloud, user="admin")


class TestFlavors:
    def test_default_flavors_exist(self, compute: Computing) -> None:
        flavors = compute.get("/flavors/detail")["flavors"]
        sizes = {each["name"]: (each["id"], each["ram"], each["vcpus"], each["disk"]) for each in flavors}
        assert sizes["m1.nano"] == ("42", 128, 1, 1)
        assert sizes["m1.xlarge"] == ("5", 16384, 8, 160)
        assert len(sizes) == 7

    def test_lists_are_filtered_by_minimum_size(self, compute: Computing) -> None:
        names = [each["name"] for each in compute.get("/flavors?minRam=4096&minDisk=80")["flavors"]]
        assert names == ["m1.large", "m1.xlarge"]

    def test_admins_create_update_and_delete_flavors(self, admin: Computing) -> None:
        wanted = {"name": "own", "ram": 64, "vcpus": 1, "disk": 0, "id": "auto"}
        assert fault_of(admin.post("/flavors", {"flavor": wanted}, user="demo")) == FORBIDDEN
        made = admin.post("/flavors", {"flavor": wanted}).json()["flavor"]
        assert made["swap"] == ""
        assert fault_of(admin.post("/flavors", {"flavor": wanted})) == CONFLICT
        path = f"/flavors/{made['id']}"
        changed = admin.call("PUT", path, {"flavor": {"description": "mine"}}, version="2.55").json()
        assert changed["flavor"]["description"] == "mine"
        assert admin.call("DELETE", path).status_code == 202
        assert fault_of(admin.call("GET", path)) == MISSING

    def test_access_to_a_private_flavor(self, admin: Computing) -> None:
        wanted = {"name": "own", "ram": 64, "vcpus": 1, "disk": 1, "os-flavor-access:is_public": False}
        made = admin.post("/flavors", {"flavor": wanted}).json()["flavor"]
        path, project = f"/flavors/{made['id']}", admin.cloud.id_of("projects", "demo")
        assert fault_of(admin.call("GET", path, user="demo")) == MISSING
        for expected in ((200, None), (409, "conflictingRequest")):
            answer = admin.post(f"{path}/action", {"addTenantAccess": {"tenant": project}})
            assert answer.status_code == expected[0]
        assert admin.get(path, user="demo")["flavor"]["name"] == "own"
        [access] = admin.get(f"{path}/os-flavor-access")["flavor_access"]
        assert access["tenant_id"] == project
        admin.post(f"{path}/action", {"removeTenantAccess": {"tenant": project}})
        assert fault_of(admin.call("GET", path, user="demo")) == MISSING

    def test_extra_specs(self, admin: Computing) -> None:
        path = "/flavors/42/os-extra_specs"
        specs = {"hw:cpu_policy": "shared", "quota:x": 1}
        assert admin.post(path, {"extra_specs": specs}).status_code == 200
        assert admin.get(path, user="demo")["extra_specs"] == {"hw:cpu_policy": "shared", "quota:x": "1"}
        assert admin.call("PUT", f"{path}/quota:x", {"quota:x": "2"}).json() == {"quota:x": "2"}
        assert admin.call("DELETE", f"{path}/quota:x").status_code == 200
        assert fault_of(admin.call("GET", f"{path}/quota:x")) == MISSING
        assert admin.get("/flavors/42", version="2.61")["flavor"]["extra_specs"] == {
            "hw:cpu_policy": "shared"
        }


PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFy5LLeeCmKaPULYgDMrfQ8SUuxhbp0vURLsCJs57UyB a@b"


class TestKeypairs:
    def test_the_seeded_keypair(self, compute: Computing) -> None:
        [found] = compute.get("/os-keypairs")["keypairs"]
        assert found["keypair"]["name"] == "dxl-key"
        assert found["keypair"]["public_key"].startswith("ssh-")

    def test_a_keypair_is_generated(self, compute: Computing) -> None:
        made = compute.post("/os-keypairs", {"keypair": {"name": "new"}}).json()["keypair"]
        assert made["private_key"].startswith("-----BEGIN RSA PRIVATE KEY-----")
        assert made["public_key"].startswith("ssh-rsa ")
        shown = compute.get("/os-keypairs/new")["keypair"]
        assert shown["fingerprint"] == made["fingerprint"]
        assert "private_key" not in shown
        assert fault_of(compute.post("/os-keypairs", {"keypair": {"name": "new"}})) == CONFLICT
        assert compute.call("DELETE", "/os-keypairs/new").status_code == 202
        assert fault_of(compute.call("GET", "/os-keypairs/new")) == MISSING

    def test_a_public_key_is_imported(self, compute: Computing) -> None:
        body = {"keypair": {"name": "own", "public_key": PUBLIC_KEY, "type": "ssh"}}
        answer = compute.post("/os-keypairs", body, version="2.2")
        assert answer.status_code == 201
        assert answer.json()["keypair"]["fingerprint"].count(":") == 15
        assert "private_key" not in answer.json()["keypair"]
        nonsense = {"keypair": {"name": "bad", "public_key": "ssh-rsa nonsense"}}
        assert fault_of(compute.post("/os-keypairs", nonsense)) == BAD

    def test_a_certificate(self, compute: Computing) -> None:
        body = {"keypair": {"name": "windows", "type": "x509"}}
        made = compute.post("/os-keypairs", body, version="2.2").json()["keypair"]
        assert made["public_key"].startswith("-----BEGIN CERTIFICATE-----")

    def test_later_microversions_generate_no_private_keys(self, compute: Computing) -> None:
        assert fault_of(compute.post("/os-keypairs", {"keypair": {"name": "n"}}, version="2.92")) == BAD

    def test_only_admins_access_keypairs_of_others(self, compute: Computing, admin: Computing) -> None:
        demo = compute.cloud.id_of("users", "demo")
        listed = admin.get(f"/os-keypairs?user_id={demo}", version="2.10")["keypairs"]
        assert [each["keypair"]["name"] for each in listed] == ["dxl-key"]
        other = compute.cloud.id_of("users", "admin")
        assert fault_of(compute.call("GET", f"/os-keypairs?user_id={other}", version="2.10")) == FORBIDDEN


class TestGroups:
    def test_the_schema_depends_on_the_microversion(self, compute: Computing) -> None:
        path = "/os-server-groups"
        old = compute.post(path, {"server_group": {"name": "a", "policies": ["anti-affinity"]}})
        assert old.json()["server_group"]["policies"] == ["anti-affinity"]
        wanted = {"name": "b", "policy": "anti-affinity", "rules": {"max_server_per_host": 2}}
        new = compute.post(path, {"server_group": wanted}, version="2.64").json()["server_group"]
        assert (new["policy"], new["rules"]) == ("anti-affinity", {"max_server_per_host": 2})
        wanted = {"name": "c", "policies": ["soft-affinity"]}
        assert fault_of(compute.post(path, {"server_group": wanted}, version="2.14")) == BAD
        assert compute.post(path, {"server_group": wanted}, version="2.15").status_code == 200
        assert len(compute.get(path)["server_groups"]) == 3
        assert compute.call("DELETE", f"{path}/{new['id']}").status_code == 204
        assert fault_of(compute.call("GET", f"{path}/{new['id']}")) == MISSING


class TestHost:
    def test_zones(self, compute: Computing) -> None:
        [zone] = compute.get("/os-availability-zone")["availabilityZoneInfo"]
        assert (zone["zoneName"], zone["zoneState"]) == ("nova", {"available": True})
        detailed = compute.get("/os-availability-zone/detail", user="admin")["availabilityZoneInfo"]
        assert [each["zoneName"] for each in detailed] == ["internal", "nova"]

    def test_an_aggregate_defines_a_zone(self, admin: Computing) -> None:
        wanted = {"name": "racks", "availability_zone": "north"}
        made = admin.post("/os-aggregates", {"aggregate": wanted}).json()["aggregate"]
        path = f"/os-aggregates/{made['id']}"
        assert admin.post(f"{path}/action", {"add_host": {"host": "calor"}}).status_code == 200
        [zone] = admin.get("/os-availability-zone")["availabilityZoneInfo"]
        assert zone["zoneName"] == "north"
        metadata = {"set_metadata": {"metadata": {"ssd": "true"}}}
        changed = admin.post(f"{path}/action", metadata).json()["aggregate"]
        assert changed["metadata"] == {"availability_zone": "north", "ssd": "true"}
        assert fault_of(admin.call("DELETE", path)) == BAD
        admin.post(f"{path}/action", {"remove_host": {"host": "calor"}})
        assert admin.call("DELETE", path).status_code == 200
        assert fault_of(admin.post(f"{path}/action", {"add_host": {"host": "calor"}})) == MISSING

    def test_hypervisors(self, admin: Computing) -> None:
        admin.server()
        [brief] = admin.get("/os-hypervisors")["hypervisors"]
        assert (brief["id"], brief["hypervisor_hostname"]) == (1, "calor")
        [full] = admin.get("/os-hypervisors/detail", version="2.53")["hypervisors"]
        assert full["running_vms"] == 1
        one = admin.get(f"/os-hypervisors/{full['id']}", version="2.88")["hypervisor"]
        assert [each["name"] for each in one["servers"]] == ["web"]
        assert fault_of(admin.call("GET", "/os-hypervisors", user="demo")) == FORBIDDEN

    def test_services_are_disabled_and_enabled(self, admin: Computing) -> None:
        services = admin.get("/os-services", version="2.53")["services"]
        [worker] = [each for each in services if each["binary"] == "nova-compute"]
        body = {"status": "disabled", "disabled_reason": "maintenance"}
        changed = admin.call("PUT", f"/os-services/{worker['id']}", body, version="2.53").json()["service"]
        assert (changed["status"], changed["disabled_reason"]) == ("disabled", "maintenance")
        [zone] = admin.get("/os-availability-zone")["availabilityZoneInfo"]
        assert zone["zoneState"] == {"available": False}
        old = {"host": "calor", "binary": "nova-compute"}
        assert admin.call("PUT", "/os-services/enable", old).json()["service"]["status"] == "enabled"


class TestQuotas:
    def test_quotas_are_set_and_reset(self, admin: Computing) -> None:
        path = f"/os-quota-sets/{admin.cloud.id_of('projects', 'demo')}"
        assert admin.get(path, user="demo")["quota_set"]["instances"] == 1000
        changed = admin.call("PUT", path, {"quota_set": {"cores": 3}}).json()["quota_set"]
        assert changed["cores"] == 3
        assert admin.get("/limits", user="demo")["limits"]["absolute"]["maxTotalCores"] == 3
        assert admin.call("DELETE", path).status_code == 202
        assert admin.get(path)["quota_set"]["cores"] == 8000
        assert fault_of(admin.call("PUT", path, {"quota_set": {"cores": 3}}, user="demo")) == FORBIDDEN
        assert fault_of(admin.call("PUT", path, {"quota_set": {"colours": 3}})) == BAD

    def test_default_quotas(self, admin: Computing) -> None:
        body = {"quota_class_set": {"instances": 7}}
        assert admin.call("PUT", "/os-quota-class-sets/default", body).status_code == 200
        path = f"/os-quota-sets/{admin.cloud.id_of('projects', 'demo')}"
        assert admin.get(path)["quota_set"]["instances"] == 7

    def test_usage(self, compute: Computing) -> None:
        compute.server(flavorRef="3")
        quotas = compute.get(f"/os-quota-sets/{compute.project_id}/detail")["quota_set"]
        assert quotas["cores"] == {"limit": 8000, "in_use": 2, "reserved": 0}
        usage = compute.get(f"/os-simple-tenant-usage/{compute.project_id}")["tenant_usage"]
        assert [each["flavor"] for each in usage["server_usages"]] == ["m1.medium"]

    @pytest.mark.parametrize(
        ("version", "shown"), [("2.35", True), ("2.36", False), ("2.56", False), ("2.57", False)]
    )
    def test_network_quotas_are_removed_in_later_microversions(
        self, compute: Computing, version: str, shown: bool
    ) -> None:
        quotas: Any = compute.get(f"/os-quota-sets/{compute.project_id}", version=version)["quota_set"]
        assert ("floating_ips" in quotas) == shown
        assert ("injected_files" in quotas) == (version != "2.57")


def test_extensions_are_listed(compute: Computing) -> None:
    aliases = {each["alias"] for each in compute.get("/extensions")["extensions"]}
    assert "os-keypairs" in aliases
    assert compute.get("/extensions/os-keypairs")["extension"]["alias"] == "os-keypairs"
    assert fault_of(compute.call("GET", "/extensions/nonsense")) == MISSING
