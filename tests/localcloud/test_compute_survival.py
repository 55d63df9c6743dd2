"""What becomes of servers when the cloud is restarted, and when the machinery fails."""

from __future__ import annotations

import pytest
from computing import Computing, until
from watching import Watched

from clouds import Cloud


@pytest.fixture
def compute(watched_cloud: Cloud) -> Computing:
    return Computing(watched_cloud)


def restart_with(compute: Computing, machinery: Watched) -> None:
    compute.cloud.stop()
    compute.cloud.machinery = machinery
    compute.cloud.start()


def test_servers_run_again_after_a_restart(compute: Computing) -> None:
    runs, stands = compute.server("runs"), compute.server("stands")
    compute.done(stands, "os-stop", None, "SHUTOFF")
    fresh = Watched()
    restart_with(compute, fresh)
    until(lambda: [plan.id for plan in fresh.booted], lambda ids: ids == [runs["id"]])
    assert compute.show(stands["id"])["status"] == "SHUTOFF"
    assert fresh.swept == [frozenset({runs["id"], stands["id"]})]


def test_servers_that_still_run_are_left_alone(compute: Computing, machinery: Watched) -> None:
    server = compute.server()
    machinery.booted.clear()
    compute.cloud.restart()
    compute.done(server, "os-stop", None, "SHUTOFF")
    assert machinery.booted == []


def test_interfaces_keep_the_order_of_the_request(compute: Computing, machinery: Watched) -> None:
    network = compute.network()
    early, late = compute.port(network["id"])["id"], compute.port(network["id"])["id"]
    server = compute.server(networks=[{"uuid": network["id"]}, {"port": late}])
    attached = {"interfaceAttachment": {"port_id": early}}
    assert compute.post(f"/servers/{server['id']}/os-interface", attached).status_code == 200
    interfaces = compute.get(f"/servers/{server['id']}/os-interface")["interfaceAttachments"]
    order = [each["port_id"] for each in interfaces]
    assert order[1:] == [late, early]
    assert [port.id for port in machinery.booted[-1].ports] == order[:2]
    fresh = Watched()
    restart_with(compute, fresh)
    until(lambda: [[port.id for port in plan.ports] for plan in fresh.booted], lambda told: told == [order])


def test_the_disk_of_a_server_belongs_to_the_volume_it_boots_from(
    compute: Computing, machinery: Watched
) -> None:
    volume = compute.volume(imageRef=compute.image_id())
    disk = {"source_type": "volume", "destination_type": "volume", "uuid": volume["id"], "boot_index": 0}
    compute.server(imageRef="", block_device_mapping_v2=[disk])
    plan = machinery.booted[-1]
    assert plan.root_volume is not None
    assert (plan.root_volume.id, plan.volumes, plan.image_name) == (volume["id"], (), "cirros")


def test_what_was_under_way_goes_on(compute: Computing, machinery: Watched) -> None:
    machinery.hangs = True
    made = compute.create().json()["server"]
    until(lambda: compute.show(made["id"]), lambda server: server["OS-EXT-STS:task_state"] == "spawning")
    restart_with(compute, Watched())
    compute.wait_for(made["id"], "ACTIVE")


def test_a_deletion_that_was_under_way_goes_on(compute: Computing, machinery: Watched) -> None:
    machinery.hangs = True
    made = compute.create().json()["server"]
    until(lambda: compute.show(made["id"]), lambda server: server["OS-EXT-STS:task_state"] == "spawning")
    compute.call("DELETE", f"/servers/{made['id']}")
    assert compute.show(made["id"])["OS-EXT-STS:task_state"] == "deleting"
    restart_with(compute, Watched())
    compute.wait_until_gone(made["id"])


def test_a_server_that_cannot_boot_is_in_error_and_says_why(compute: Computing, machinery: Watched) -> None:
    machinery.fails = True
    network = compute.network()
    made = compute.create(networks=[{"uuid": network["id"]}]).json()["server"]
    server = compute.wait_for(made["id"], "ERROR")
    assert (server["fault"]["code"], server["fault"]["message"]) == (500, "There is no room.")
    assert server["addresses"] == {}
    compute.call("DELETE", f"/servers/{made['id']}")
    compute.wait_until_gone(made["id"])


def test_a_server_that_ends_by_itself_is_off(compute: Computing, machinery: Watched) -> None:
    server = compute.server()
    portal = compute.cloud.client.portal
    assert portal is not None
    portal.call(machinery.died, server["id"])
    assert compute.show(server["id"])["status"] == "SHUTOFF"


def test_the_machinery_is_told_everything_of_a_server(compute: Computing, machinery: Watched) -> None:
    network, volume = compute.network(), compute.volume()
    nic = {"uuid": network["id"], "fixed_ip": "10.9.0.5"}
    server = compute.server(networks=[nic], key_name="dxl-key", flavorRef="3", config_drive=True)
    compute.post(
        f"/servers/{server['id']}/os-volume_attachments", {"volumeAttachment": {"volumeId": volume["id"]}}
    )
    compute.done(server, "reboot", {"type": "HARD"}, "ACTIVE")
    plan = machinery.booted[-1]
    assert (plan.name, plan.host_name, plan.image_name) == ("web", "web", "cirros")
    assert (plan.vcpus, plan.memory_mb, plan.disk_gb) == (2, 4096, 40)
    assert [each.address for port in plan.ports for each in port.addresses] == ["10.9.0.5"]
    assert [(each.id, each.device) for each in plan.volumes] == [(volume["id"], "/dev/vdb")]
    assert plan.public_keys[0].startswith("ssh-")
    assert plan.config_drive is not None
    assert b'"hostname":"web.novalocal"' in plan.config_drive["openstack/latest/meta_data.json"]
