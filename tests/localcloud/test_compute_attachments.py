"""Ports and volumes of servers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cloud import Cloud
from tests.support.compute import BAD, CONFLICT, FORBIDDEN, MISSING, Computing, fault_of, until


@pytest.fixture
def compute(cloud: Cloud) -> Computing:
    return Computing(cloud)


def ports_of(compute: Computing, server: dict[str, Any]) -> Any:
    return compute.get("/ports", service="network/v2.0", params={"device_id": server["id"]})["ports"]


class TestNetworks:
    def test_a_server_gets_an_address_in_each_network(self, compute: Computing) -> None:
        one, two = compute.network("one", "10.9.1.0/24"), compute.network("two", "10.9.2.0/24")
        nics = [{"uuid": one["id"], "fixed_ip": "10.9.1.50"}, {"uuid": two["id"], "tag": "outer"}]
        server = compute.server(networks=nics)
        [first], [second] = server["addresses"]["one"], server["addresses"]["two"]
        assert (first["addr"], first["version"], first["OS-EXT-IPS:type"]) == ("10.9.1.50", 4, "fixed")
        assert first["OS-EXT-IPS-MAC:mac_addr"] != second["OS-EXT-IPS-MAC:mac_addr"]
        assert server["security_groups"] == [{"name": "default"}]
        addresses = compute.get(f"/servers/{server['id']}/ips")["addresses"]
        assert addresses["one"] == [{"addr": "10.9.1.50", "version": 4}]
        assert list(compute.get(f"/servers/{server['id']}/ips/two")) == ["two"]

    def test_an_existing_port_is_released_on_deletion(self, compute: Computing) -> None:
        network = compute.network()
        port = compute.port(network["id"])
        server = compute.server(networks=[{"port": port["id"]}])
        [used] = ports_of(compute, server)
        assert (used["id"], used["device_owner"]) == (port["id"], "compute:nova")
        assert fault_of(compute.create(networks=[{"port": port["id"]}])) == CONFLICT
        compute.call("DELETE", f"/servers/{server['id']}")
        compute.wait_until_gone(server["id"])
        kept = compute.get(f"/ports/{port['id']}", service="network/v2.0")["port"]
        assert kept["device_id"] == ""

    def test_ports_created_for_a_server_are_deleted_with_it(self, compute: Computing) -> None:
        server = compute.server(networks=[{"uuid": compute.network()["id"]}])
        assert len(ports_of(compute, server)) == 1
        compute.call("DELETE", f"/servers/{server['id']}")
        compute.wait_until_gone(server["id"])
        assert ports_of(compute, server) == []

    def test_ports_are_released_if_another_port_is_not_available(self, compute: Computing) -> None:
        network = compute.network()
        port = compute.port(network["id"])
        taken = compute.port(network["id"], fixed_ips=[{"ip_address": "10.9.0.50"}])
        nics = [
            {"port": port["id"]},
            {"uuid": network["id"]},
            {"uuid": network["id"], "fixed_ip": "10.9.0.50"},
        ]
        assert fault_of(compute.create(networks=nics)) == BAD
        left = compute.get("/ports", service="network/v2.0", params={"network_id": network["id"]})["ports"]
        assert {each["id"]: each["device_id"] for each in left} == {port["id"]: "", taken["id"]: ""}

    def test_the_network_is_required_if_there_are_several(self, compute: Computing) -> None:
        compute.network("one", "10.9.1.0/24")
        compute.network("two", "10.9.2.0/24")
        assert fault_of(compute.create(networks="auto")) == CONFLICT

    def test_a_network_without_a_subnet_is_rejected(self, compute: Computing) -> None:
        body = {"network": {"name": "empty"}}
        network = compute.post("/networks", body, service="network/v2.0").json()["network"]
        assert fault_of(compute.create(networks=[{"uuid": network["id"]}])) == BAD

    def test_interfaces_are_attached_and_detached(self, compute: Computing) -> None:
        network = compute.network()
        server = compute.server()
        path = f"/servers/{server['id']}/os-interface"
        wanted = {"net_id": network["id"], "fixed_ips": [{"ip_address": "10.9.0.9"}]}
        made = compute.post(path, {"interfaceAttachment": wanted}).json()["interfaceAttachment"]
        assert made["fixed_ips"][0]["ip_address"] == "10.9.0.9"
        assert [each["port_id"] for each in compute.get(path)["interfaceAttachments"]] == [made["port_id"]]
        one = compute.get(f"{path}/{made['port_id']}")["interfaceAttachment"]
        assert one["mac_addr"] == made["mac_addr"]
        assert compute.call("DELETE", f"{path}/{made['port_id']}").status_code == 202
        until(lambda: compute.get(path)["interfaceAttachments"], lambda found: found == [])
        assert fault_of(compute.call("GET", f"{path}/{made['port_id']}")) == MISSING

    def test_security_groups_are_added_and_removed(self, compute: Computing) -> None:
        group = {"security_group": {"name": "web"}}
        compute.post("/security-groups", group, service="network/v2.0")
        server = compute.server(networks=[{"uuid": compute.network()["id"]}])
        assert compute.act(server, "addSecurityGroup", {"name": "web"}).status_code == 202
        groups = compute.show(server["id"])["security_groups"]
        assert groups == [{"name": "default"}, {"name": "web"}]
        assert compute.act(server, "removeSecurityGroup", {"name": "default"}).status_code == 202
        assert compute.show(server["id"])["security_groups"] == [{"name": "web"}]
        assert fault_of(compute.act(server, "removeSecurityGroup", {"name": "default"})) == MISSING
        assert fault_of(compute.act(server, "addSecurityGroup", {"name": "nonsense"})) == MISSING


class TestVolumes:
    def test_a_volume_is_attached_and_detached(self, compute: Computing) -> None:
        server, volume = compute.server(), compute.volume()
        path = f"/servers/{server['id']}/os-volume_attachments"
        answer = compute.post(path, {"volumeAttachment": {"volumeId": volume["id"]}})
        assert answer.status_code == 200
        assert answer.json()["volumeAttachment"]["device"] == "/dev/vdb"
        used = compute.wait_for_volume(volume["id"], "in-use")
        assert used["attachments"][0]["server_id"] == server["id"]
        shown = compute.show(server["id"])["os-extended-volumes:volumes_attached"]
        assert shown == [{"id": volume["id"]}]
        assert [each["volumeId"] for each in compute.get(path)["volumeAttachments"]] == [volume["id"]]
        again = compute.post(path, {"volumeAttachment": {"volumeId": volume["id"]}})
        assert fault_of(again) == BAD
        assert compute.call("DELETE", f"{path}/{volume['id']}").status_code == 202
        compute.wait_for_volume(volume["id"], "available")
        assert fault_of(compute.call("GET", f"{path}/{volume['id']}")) == MISSING

    def test_a_rescued_server_keeps_its_volumes(self, compute: Computing) -> None:
        server, volume = compute.server(), compute.volume()
        compute.done(server, "rescue", None, "RESCUE")
        wanted = {"volumeAttachment": {"volumeId": volume["id"]}}
        answer = compute.post(f"/servers/{server['id']}/os-volume_attachments", wanted)
        assert fault_of(answer) == CONFLICT

    def test_a_volume_of_another_server_is_rejected(self, compute: Computing) -> None:
        volume = compute.volume()
        wanted = {"volumeAttachment": {"volumeId": volume["id"]}}
        compute.post(f"/servers/{compute.server('one')['id']}/os-volume_attachments", wanted)
        path = f"/servers/{compute.server('two')['id']}/os-volume_attachments"
        assert fault_of(compute.post(path, wanted)) == BAD
        nowhere = {"volumeAttachment": {"volumeId": "70a599e0-31e7-49b7-b260-868f441e862b"}}
        assert fault_of(compute.post(path, nowhere)) == MISSING

    def test_a_multiattach_volume_needs_a_newer_microversion(self, compute: Computing) -> None:
        volume = compute.volume(multiattach=True, imageRef=compute.image_id())
        wanted = {"volumeAttachment": {"volumeId": volume["id"]}}
        path = f"/servers/{compute.server('one')['id']}/os-volume_attachments"
        assert fault_of(compute.post(path, wanted, version="2.59")) == BAD
        assert compute.post(path, wanted, version="2.60").status_code == 200
        disk = {"source_type": "volume", "destination_type": "volume", "uuid": volume["id"], "boot_index": 0}
        asked = {"imageRef": "", "block_device_mapping_v2": [disk]}
        assert fault_of(compute.create(**asked, version="2.59")) == BAD
        assert compute.create(**asked, version="2.60").status_code == 202

    def test_attachment_members_by_microversion(self, compute: Computing) -> None:
        server, volume = compute.server(), compute.volume()
        path = f"/servers/{server['id']}/os-volume_attachments"
        wanted = {"volumeId": volume["id"], "tag": "data", "delete_on_termination": True}
        compute.post(path, {"volumeAttachment": wanted}, version="2.79")
        [old] = compute.get(path, version="2.1")["volumeAttachments"]
        [new] = compute.get(path, version="2.89")["volumeAttachments"]
        assert set(old) == {"id", "volumeId", "serverId", "device"}
        assert (new["tag"], new["delete_on_termination"]) == ("data", True)
        assert "id" not in new
        assert "attachment_id" in new

    def test_a_server_boots_from_a_volume_created_from_an_image(self, compute: Computing) -> None:
        root = {
            "boot_index": 0,
            "source_type": "image",
            "destination_type": "volume",
            "uuid": compute.image_id(),
            "volume_size": 1,
            "delete_on_termination": True,
        }
        blank = {"source_type": "blank", "destination_type": "volume", "volume_size": 2}
        server = compute.server(imageRef="", block_device_mapping_v2=[root, blank])
        assert server["image"] == ""
        attached = server["os-extended-volumes:volumes_attached"]
        assert [each["delete_on_termination"] for each in attached] == [True, False]
        first, second = (compute.wait_for_volume(each["id"], "in-use") for each in attached)
        assert (first["bootable"], second["size"]) == ("true", 2)
        path = f"/servers/{server['id']}/os-volume_attachments/{first['id']}"
        assert fault_of(compute.call("DELETE", path)) == FORBIDDEN
        compute.call("DELETE", f"/servers/{server['id']}")
        compute.wait_until_gone(server["id"])
        compute.wait_for_volume(first["id"], "gone")
        compute.wait_for_volume(second["id"], "available")

    def test_a_server_boots_from_an_existing_volume(self, compute: Computing) -> None:
        volume = compute.volume(imageRef=compute.image_id())
        root = {
            "boot_index": 0,
            "source_type": "volume",
            "destination_type": "volume",
            "uuid": volume["id"],
        }
        server = compute.server(imageRef="", block_device_mapping_v2=[root])
        assert server["os-extended-volumes:volumes_attached"][0]["id"] == volume["id"]
        empty = compute.volume()
        answer = compute.create(imageRef="", block_device_mapping_v2=[{**root, "uuid": empty["id"]}])
        assert fault_of(answer) == BAD
        assert compute.wait_for_volume(empty["id"], "available")

    def test_block_device_mapping_v1(self, compute: Computing) -> None:
        volume = compute.volume(imageRef=compute.image_id())
        old = {"device_name": "vda", "volume_id": volume["id"], "delete_on_termination": True}
        server = compute.server(imageRef="", block_device_mapping=[old])
        [attached] = server["os-extended-volumes:volumes_attached"]
        assert attached == {"id": volume["id"], "delete_on_termination": True}

    @pytest.mark.parametrize(
        "disk",
        [
            {"source_type": "blank", "destination_type": "volume", "boot_index": 0},
            {"source_type": "image", "destination_type": "volume", "boot_index": 0, "volume_size": 1},
            {"source_type": "blank", "destination_type": "volume", "boot_index": 1, "volume_size": 1},
            {"source_type": "blank", "destination_type": "volume", "volume_size": 1},
            {"source_type": "volume", "destination_type": "local", "boot_index": 0, "uuid": "x"},
        ],
    )
    def test_invalid_requests_are_rejected(self, compute: Computing, disk: dict[str, Any]) -> None:
        assert fault_of(compute.create(imageRef="", block_device_mapping_v2=[disk])) == BAD
