"""What becomes of servers when the cloud is restarted, and when the backend fails."""

from __future__ import annotations

import pytest

from tests.support.cloud import Cloud
from tests.support.compute import Computing, until
from tests.support.machinery import Watched


@pytest.fixture
def compute(watched_cloud: Cloud) -> Computing:
    return Computing(watched_cloud)


def restart_with(compute: Computing, backend: Watched) -> None:
    compute.cloud.stop()
    compute.cloud.backend = backend
    compute.cloud.start()


def test_servers_boot_again_after_a_restart(compute: Computing) -> None:
    runs, stands = compute.server("runs"), compute.server("stands")
    compute.done(stands, "os-stop", None, "SHUTOFF")
    fresh = Watched()
    restart_with(compute, fresh)
    until(lambda: [plan.id for plan in fresh.booted], lambda ids: ids == [runs["id"]])
    assert compute.show(stands["id"])["status"] == "SHUTOFF"
    assert fresh.swept == [frozenset({runs["id"], stands["id"]})]


def test_servers_that_still_run_are_left_alone(compute: Computing, backend: Watched) -> None:
    server = compute.server()
    backend.booted.clear()
    compute.cloud.restart()
    compute.done(server, "os-stop", None, "SHUTOFF")
    assert backend.booted == []


def test_interfaces_keep_the_order_of_the_request(compute: Computing, backend: Watched) -> None:
    network = compute.network()
    early, late = compute.port(network["id"])["id"], compute.port(network["id"])["id"]
    server = compute.server(networks=[{"uuid": network["id"]}, {"port": late}])
    attached = {"interfaceAttachment": {"port_id": early}}
    assert compute.post(f"/servers/{server['id']}/os-interface", attached).status_code == 200
    interfaces = compute.get(f"/servers/{server['id']}/os-interface")["interfaceAttachments"]
    order = [each["port_id"] for each in interfaces]
    assert order[1:] == [late, early]
    assert [port.id for port in backend.booted[-1].ports] == order[:2]
    fresh = Watched()
    restart_with(compute, fresh)
    until(
        lambda: [[port.id for port in plan.ports] for plan in fresh.booted],
        lambda reported: reported == [order],
    )


def test_the_disk_of_a_server_belongs_to_the_volume_it_boots_from(
    compute: Computing, backend: Watched
) -> None:
    volume = compute.volume(imageRef=compute.image_id())
    disk = {"source_type": "volume", "destination_type": "volume", "uuid": volume["id"], "boot_index": 0}
    compute.server(imageRef="", block_device_mapping_v2=[disk])
    plan = backend.booted[-1]
    assert plan.root_volume is not None
    assert (plan.root_volume.id, plan.volumes, plan.image_name) == (volume["id"], (), "cirros")


def test_interrupted_tasks_are_resumed(compute: Computing, backend: Watched) -> None:
    backend.hangs = True
    made = compute.create().json()["server"]
    until(lambda: compute.show(made["id"]), lambda server: server["OS-EXT-STS:task_state"] == "spawning")
    restart_with(compute, Watched())
    compute.wait_for(made["id"], "ACTIVE")


def test_an_interrupted_deletion_is_resumed(compute: Computing, backend: Watched) -> None:
    backend.hangs = True
    made = compute.create().json()["server"]
    until(lambda: compute.show(made["id"]), lambda server: server["OS-EXT-STS:task_state"] == "spawning")
    compute.call("DELETE", f"/servers/{made['id']}")
    assert compute.show(made["id"])["OS-EXT-STS:task_state"] == "deleting"
    restart_with(compute, Watched())
    compute.wait_until_gone(made["id"])


def test_a_server_that_cannot_boot_is_in_error_and_shows_why(compute: Computing, backend: Watched) -> None:
    backend.fails = True
    network = compute.network()
    made = compute.create(networks=[{"uuid": network["id"]}]).json()["server"]
    server = compute.wait_for(made["id"], "ERROR")
    assert (server["fault"]["code"], server["fault"]["message"]) == (500, "There is no room.")
    assert server["addresses"] == {}
    compute.call("DELETE", f"/servers/{made['id']}")
    compute.wait_until_gone(made["id"])


def test_a_server_that_exits_by_itself_is_stopped(compute: Computing, backend: Watched) -> None:
    server = compute.server()
    portal = compute.cloud.client.portal
    assert portal is not None
    portal.call(backend.died, server["id"])
    assert compute.show(server["id"])["status"] == "SHUTOFF"


def test_the_plan_has_all_attributes_of_the_server(compute: Computing, backend: Watched) -> None:
    network, volume = compute.network(), compute.volume()
    nic = {"uuid": network["id"], "fixed_ip": "10.9.0.5"}
    server = compute.server(networks=[nic], key_name="dxl-key", flavorRef="3", config_drive=True)
    compute.post(
        f"/servers/{server['id']}/os-volume_attachments", {"volumeAttachment": {"volumeId": volume["id"]}}
    )
    compute.done(server, "reboot", {"type": "HARD"}, "ACTIVE")
    plan = backend.booted[-1]
    assert (plan.name, plan.host_name, plan.image_name) == ("web", "web", "cirros")
    assert (plan.vcpus, plan.memory_mb, plan.disk_gb) == (2, 4096, 40)
    assert [each.address for port in plan.ports for each in port.addresses] == ["10.9.0.5"]
    assert [(each.id, each.device) for each in plan.volumes] == [(volume["id"], "/dev/vdb")]
    assert plan.public_keys[0].startswith("ssh-")
    assert plan.config_drive is not None
    assert b'"hostname":"web.novalocal"' in plan.config_drive["openstack/latest/meta_data.json"]
