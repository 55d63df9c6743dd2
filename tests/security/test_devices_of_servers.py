"""Servers that want very many network interfaces and disks: each takes devices of the host."""

from __future__ import annotations

import pytest

from calor.localcloud.compute import attachments, interfaces
from calor.localcloud.compute.server_requests import MOST_DISKS, MOST_INTERFACES
from tests.support.cloud import Cloud
from tests.support.compute import Computing
from tests.support.network import Networks


@pytest.fixture
def compute(cloud: Cloud) -> Computing:
    return Computing(cloud)


def test_a_new_server_has_so_many(compute: Computing) -> None:
    network = compute.network()["id"]
    answer = compute.create(networks=[{"uuid": network}] * (MOST_INTERFACES + 1))
    assert answer.status_code == 400
    image = {"uuid": compute.image_id(), "source_type": "image", "destination_type": "local", "boot_index": 0}
    disk = {"source_type": "blank", "destination_type": "volume", "volume_size": 1, "boot_index": -1}
    answer = compute.create(block_device_mapping_v2=[image, *[disk] * MOST_DISKS])
    assert answer.status_code == 400


def test_a_server_gets_no_more_interfaces(compute: Computing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interfaces, "MOST_INTERFACES", 2)
    network = compute.network()["id"]
    server = compute.server()["id"]
    body = {"interfaceAttachment": {"net_id": network}}
    statuses = [compute.post(f"/servers/{server}/os-interface", body).status_code for _ in range(3)]
    assert statuses == [200, 200, 400]


def test_a_server_gets_no_more_volumes(compute: Computing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attachments, "MOST_DISKS", 1)
    server = compute.server()["id"]
    statuses = [
        compute.post(
            f"/servers/{server}/os-volume_attachments",
            {"volumeAttachment": {"volumeId": compute.volume()["id"], "device": device}},
        ).status_code
        for device in ("/dev/vdb", "/dev/vdaa")
    ]
    assert statuses == [200, 400]


def test_routes_of_a_subnet_are_limited(cloud: Cloud) -> None:
    networks = Networks(cloud)
    network = networks.make("network", name="net")["id"]
    routes = [{"destination": f"10.{number}.0.0/16", "nexthop": "10.200.0.9"} for number in range(31)]
    wanted = {"network_id": network, "cidr": "10.200.0.0/24", "ip_version": 4}
    assert networks.try_to_make("subnet", **wanted, host_routes=routes).status_code == 400
    assert networks.try_to_make("subnet", **wanted, host_routes=routes[:30]).status_code == 201
