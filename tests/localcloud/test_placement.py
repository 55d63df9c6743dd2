"""The placement service shows what the host has and what servers take of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cloud import Cloud
from tests.support.compute import Computing

NEWEST = {"OpenStack-API-Version": "placement 1.39"}


def get(cloud: Cloud, path: str, user: str = "admin", headers: dict[str, str] = NEWEST) -> Any:
    sent = {"X-Auth-Token": cloud.token_of(user), **headers}
    return cloud.client.get(f"/placement{path}", headers=sent)


def read(cloud: Cloud, path: str) -> Any:
    answer = get(cloud, path)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def provider(cloud: Cloud) -> str:
    [found] = read(cloud, "/resource_providers")["resource_providers"]
    return f"/resource_providers/{found['uuid']}"


def test_it_is_in_the_catalog(cloud: Cloud) -> None:
    services = {service["type"] for service in cloud.get("/auth/catalog").json()["catalog"]}
    assert "placement" in services
    assert cloud.client.get("/placement/").json()["versions"][0]["max_version"] == "1.39"


def test_the_provider_is_the_hypervisor(cloud: Cloud, provider: str) -> None:
    admin = Computing(cloud, "admin", version="2.53")
    [hypervisor] = admin.get("/os-hypervisors/detail")["hypervisors"]
    found = read(cloud, provider)

    assert (found["uuid"], found["name"]) == (hypervisor["id"], hypervisor["hypervisor_hostname"])
    stock = read(cloud, f"{provider}/inventories")["inventories"]
    assert stock["VCPU"]["total"] == hypervisor["vcpus"]
    assert stock["MEMORY_MB"]["total"] == hypervisor["memory_mb"]
    assert read(cloud, f"{provider}/inventories/DISK_GB")["total"] == stock["DISK_GB"]["total"]


def test_servers_are_consumers(cloud: Cloud, provider: str) -> None:
    assert read(cloud, f"{provider}/usages")["usages"] == {"VCPU": 0, "MEMORY_MB": 0, "DISK_GB": 0}
    compute = Computing(cloud)
    compute.network()
    server = compute.server(flavorRef="3")

    taken = {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 40}
    assert read(cloud, f"{provider}/usages")["usages"] == taken
    assert read(cloud, f"/usages?project_id={compute.project_id}")["usages"] == taken
    assert read(cloud, "/usages?project_id=other")["usages"] == {}
    assert read(cloud, f"{provider}/allocations")["allocations"] == {server["id"]: {"resources": taken}}
    [shown] = read(cloud, f"/allocations/{server['id']}")["allocations"].values()
    assert shown["resources"] == taken
    assert read(cloud, "/allocations/none") == {"allocations": {}}


def test_aggregates_with_the_host_are_those_of_the_provider(cloud: Cloud, provider: str) -> None:
    admin = Computing(cloud, "admin", version="2.53")
    made = admin.post("/os-aggregates", {"aggregate": {"name": "a"}}).json()["aggregate"]
    [host] = {one["host"] for one in admin.get("/os-services")["services"] if one["binary"] == "nova-compute"}
    assert read(cloud, f"{provider}/aggregates")["aggregates"] == []
    admin.post(f"/os-aggregates/{made['id']}/action", {"add_host": {"host": host}})
    assert read(cloud, f"{provider}/aggregates")["aggregates"] == [made["uuid"]]


def test_traits_and_classes(cloud: Cloud, provider: str) -> None:
    traits = read(cloud, f"{provider}/traits")["traits"]
    assert "COMPUTE_NODE" in traits
    assert read(cloud, "/traits?name=in:COMPUTE_NODE,X")["traits"] == ["COMPUTE_NODE"]
    assert {one["name"] for one in read(cloud, "/resource_classes")["resource_classes"]} == {
        "VCPU",
        "MEMORY_MB",
        "DISK_GB",
    }


def test_versions_and_roles_count(cloud: Cloud, provider: str) -> None:
    assert get(cloud, "/resource_providers", user="demo").status_code == 403
    assert get(cloud, f"{provider}/traits", headers={}).status_code == 404
    assert get(cloud, "/", headers={"OpenStack-API-Version": "placement 1.99"}).status_code == 200
    assert get(cloud, provider, headers={"OpenStack-API-Version": "placement 1.99"}).status_code == 406
    missing = get(cloud, "/resource_providers/none")
    assert missing.status_code == 404
    assert missing.json()["errors"][0]["title"] == "Not Found"
