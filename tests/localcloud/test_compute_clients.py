"""The unmodified OpenStack SDK makes and changes servers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.localcloud.cloud_process import Running

pytest.importorskip("openstack")


@pytest.fixture
def demo(running: Running) -> Any:
    return running.connect("demo", "demo")


@pytest.mark.extended
def test_a_server_from_its_creation_to_its_deletion(demo: Any) -> None:
    compute = demo.compute
    server = compute.create_server(
        name="sdk",
        image_id=demo.image.find_image("cirros").id,
        flavor_id=compute.find_flavor("m1.nano").id,
        networks=[{"uuid": demo.network.find_network("heat-net").id}],
        key_name="dxl-key",
    )
    server = compute.wait_for_server(server)
    assert list(server.addresses) == ["heat-net"]
    assert compute.find_server("sdk").id == server.id
    compute.stop_server(server)
    compute.wait_for_server(server, status="SHUTOFF")
    compute.start_server(server)
    compute.wait_for_server(server)
    compute.set_server_metadata(server, role="web")
    assert compute.get_server(server.id).metadata == {"role": "web"}
    compute.resize_server(server, compute.find_flavor("m1.micro"))
    compute.wait_for_server(server, status="VERIFY_RESIZE")
    compute.confirm_server_resize(server)
    image = compute.create_server_image(server, "sdk-image", wait=True)
    assert demo.image.get_image(image.id).status == "active"
    assert "login" in compute.get_server_console_output(server)["output"]
    compute.delete_server(server)
    compute.wait_for_delete(server)
    assert compute.find_server("sdk", ignore_missing=True) is None


@pytest.mark.extended
def test_volumes_and_interfaces_are_attached_and_detached(demo: Any) -> None:
    compute = demo.compute
    server = compute.create_server(
        name="devices",
        image_id=demo.image.find_image("cirros").id,
        flavor_id="42",
        networks="none",
    )
    server = compute.wait_for_server(server)
    volume = demo.block_storage.create_volume(size=1)
    demo.block_storage.wait_for_status(volume)
    compute.create_volume_attachment(server, volume_id=volume.id)
    assert [each.volume_id for each in compute.volume_attachments(server)] == [volume.id]
    compute.delete_volume_attachment(server, volume)
    assert demo.block_storage.wait_for_status(volume, "available").status == "available"
    network = demo.network.find_network("test-net")
    interface = compute.create_server_interface(server, net_id=network.id)
    assert [each.port_id for each in compute.server_interfaces(server)] == [interface.port_id]
    compute.delete_server_interface(interface, server)
    assert list(compute.server_interfaces(server)) == []
    compute.delete_server(server)
    compute.wait_for_delete(server)


@pytest.mark.extended
def test_keys_groups_and_limits(demo: Any) -> None:
    compute = demo.compute
    assert compute.create_keypair(name="sdk").private_key
    assert {each.name for each in compute.keypairs()} == {"dxl-key", "sdk"}
    compute.delete_keypair("sdk")
    group = compute.create_server_group(name="sdk", policy="anti-affinity")
    assert compute.get_server_group(group.id).policy == "anti-affinity"
    compute.delete_server_group(group)
    assert compute.get_limits().absolute.instances == 1000
