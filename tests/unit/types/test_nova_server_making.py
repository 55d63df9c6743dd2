"""Servers of Nova: how they are made, looked at and deleted."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from email import message_from_string
from typing import Any

import pytest

from calor.clouds.errors import Conflict
from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeCloud, FakeContext, properties_of, run
from calor.types.nova.server.server import Server

FLAVOR = "0d6f4bbe-7d4c-4c3e-9c35-111111111111"
IMAGE = "0d6f4bbe-7d4c-4c3e-9c35-222222222222"
NETWORK = "0d6f4bbe-7d4c-4c3e-9c35-333333333333"
SUBNET = "0d6f4bbe-7d4c-4c3e-9c35-444444444444"
PORT = "0d6f4bbe-7d4c-4c3e-9c35-555555555555"


def a_cloud(**differing: Any) -> FakeCloud:
    made: dict[str, Any] = {"statuses": {"servers": "BUILD"}, "next_status": {"BUILD": "ACTIVE"}, **differing}
    cloud = FakeCloud(**made)

    def servers(request: Any) -> dict[str, Any]:
        """Nova takes names for regular expressions, and shows what it was asked for in other words."""
        found = [
            {"flavor": {"id": one.get("flavorRef")}, "image": {"id": one.get("imageRef")}, **one}
            for path, one in cloud.objects.items()
            if path.startswith("/servers/")
        ]
        return {"servers": [one for one in found if re.search(request.params["name"], one["name"])]}

    cloud.responses["GET /servers/detail"] = servers
    cloud.place(f"/networks/{NETWORK}", name="private")
    cloud.place(f"/subnets/{SUBNET}", name="private-subnet", network_id=NETWORK)
    return cloud


def properties(**given: Any) -> dict[str, Any]:
    return properties_of(Server, **{"flavor": FLAVOR, "image": IMAGE, "user_data_format": "RAW", **given})


def made(cloud: FakeCloud | None = None, **given: Any) -> FakeContext:
    props = properties(**given)
    context = FakeContext(Server, props, services=cloud or a_cloud())
    run(Server.create(context, props))
    return context


def request(context: FakeContext) -> dict[str, Any]:
    body: dict[str, Any] = context.services.body("POST /servers")
    return body


def requested(context: FakeContext) -> dict[str, Any]:
    body: dict[str, Any] = request(context)["server"]
    return body


def version(context: FakeContext) -> str | None:
    return next(one.version for one in context.services.requests if one.line == "POST /servers")


class TestTheRequest:
    def test_a_server_has_a_name_a_flavor_and_an_image(self) -> None:
        context = made()

        assert requested(context) == {
            "name": context.physical_name(),
            "flavorRef": FLAVOR,
            "imageRef": IMAGE,
        }
        assert context.physical_id == "servers-3"

    def test_names_become_ids(self) -> None:
        cloud = a_cloud(
            ids={
                ("nova.flavor", "m1.tiny"): FLAVOR,
                ("glance.image", "cirros"): IMAGE,
                ("neutron.network", "private"): NETWORK,
            }
        )

        context = made(cloud, flavor="m1.tiny", image="cirros", networks=[{"network": "private"}])

        assert requested(context)["flavorRef"] == FLAVOR
        assert requested(context)["imageRef"] == IMAGE
        assert requested(context)["networks"] == [{"uuid": NETWORK}]

    def test_what_else_can_be_said_of_it(self) -> None:
        context = made(
            name="web",
            key_name="key",
            availability_zone="nova:host-1",
            config_drive=True,
            diskConfig="MANUAL",
            admin_pass="secret",
            metadata={"plain": "text", "number": 3, "map": {"a": [1]}},
            security_groups=["one", "two"],
            personality={"/etc/motd": "hello"},
            user_data="#!/bin/sh\ndate",
        )

        server = requested(context)
        assert server["name"] == "web"
        assert server["key_name"] == "key"
        assert server["availability_zone"] == "nova:host-1"
        assert server["config_drive"] is True
        assert server["OS-DCF:diskConfig"] == "MANUAL"
        assert server["adminPass"] == "secret"
        assert server["metadata"] == {"plain": "text", "number": "3", "map": '{"a": [1]}'}
        assert server["security_groups"] == [{"name": "one"}, {"name": "two"}]
        assert server["personality"] == [{"path": "/etc/motd", "contents": "aGVsbG8="}]
        assert b64decode(server["user_data"]) == b"#!/bin/sh\ndate"

    def test_hints_go_beside_the_server(self) -> None:
        assert request(made(scheduler_hints={"group": "g"}))["os:scheduler_hints"] == {"group": "g"}

    def test_tags_follow_once_it_is_there(self) -> None:
        context = made(tags=["a", "b"])

        assert context.services.body("PUT /servers/servers-3/tags") == {"tags": ["a", "b"]}
        assert Server.attribute(context, "tags") == ["a", "b"]

    def test_no_newer_microversion_is_asked_for_than_is_needed(self) -> None:
        assert version(made(personality={"/a": "b"})) == "2.26"
        assert version(made(networks=[{"allocate_network": "auto"}])) == "2.37"
        assert version(made(networks=[{"network": NETWORK, "tag": "eth"}])) == "2.42"


class TestDisks:
    def test_a_volume_to_start_from(self) -> None:
        context = made(image=None, block_device_mapping_v2=[{"volume_id": "v1"}])

        assert "imageRef" not in requested(context)
        assert requested(context)["block_device_mapping_v2"] == [
            {
                "uuid": "v1",
                "source_type": "volume",
                "destination_type": "volume",
                "boot_index": 0,
                "delete_on_termination": False,
            }
        ]

    def test_a_volume_that_others_may_have_needs_a_newer_api(self) -> None:
        cloud = a_cloud()
        cloud.place("/volumes/v1", multiattach=True)
        disks = [{"volume_id": "v1"}]

        assert version(made(image=None, block_device_mapping_v2=disks)) == "2.26"
        context = made(cloud, image=None, block_device_mapping_v2=disks)
        assert version(context) == "2.60"
        assert requested(context)["networks"] == "auto"

    def test_an_image_is_a_disk_among_others(self) -> None:
        disks = [{"swap_size": 512}, {"ephemeral_size": 1, "ephemeral_format": "ext4"}]

        image, swap, empty = requested(made(block_device_mapping_v2=disks))["block_device_mapping_v2"]

        assert (image["source_type"], image["destination_type"], image["boot_index"]) == ("image", "local", 0)
        assert (swap["source_type"], swap["guest_format"], swap["volume_size"]) == ("blank", "swap", 512)
        assert (empty["guest_format"], empty["volume_size"], empty["boot_index"]) == ("ext4", 1, -1)

    def test_new_volumes_of_a_type_need_a_newer_api_which_requires_networks(self) -> None:
        context = made(
            image=None, block_device_mapping_v2=[{"image": IMAGE, "volume_size": 3, "volume_type": "fast"}]
        )

        [disk] = requested(context)["block_device_mapping_v2"]
        assert (disk["source_type"], disk["volume_size"], disk["volume_type"]) == ("image", 3, "fast")
        assert requested(context)["networks"] == "auto"
        assert version(context) == "2.67"

    def test_the_older_form_starts_from_vda(self) -> None:
        disks = [
            {"device_name": "vda", "volume_id": "v1", "delete_on_termination": True},
            {"device_name": "vdb", "snapshot_id": "s1", "volume_size": 2},
        ]

        first, second = requested(made(image=None, block_device_mapping=disks))["block_device_mapping_v2"]

        assert (first["uuid"], first["boot_index"], first["delete_on_termination"]) == ("v1", 0, True)
        assert (second["uuid"], second["source_type"], second["boot_index"]) == ("s1", "snapshot", -1)
        assert second["volume_size"] == 2


class TestNetworks:
    def test_nova_makes_simple_ports(self) -> None:
        context = made(
            networks=[{"network": NETWORK, "fixed_ip": "10.0.0.5"}, {"port": PORT}], security_groups=[]
        )

        assert requested(context)["networks"] == [{"uuid": NETWORK, "fixed_ip": "10.0.0.5"}, {"port": PORT}]
        assert "POST /ports" not in context.services.lines()

    def test_none_at_all(self) -> None:
        assert requested(made(networks=[{"allocate_network": "none"}]))["networks"] == "none"

    def test_a_subnet_needs_a_port_that_is_made_first(self) -> None:
        cloud = a_cloud(ids={("neutron.security_group", "web"): "g1"})

        context = made(cloud, networks=[{"subnet": SUBNET, "fixed_ip": "10.0.0.5"}], security_groups=["web"])

        assert cloud.body("POST /ports")["port"] == {
            "name": f"{context.physical_name()}-port-0",
            "network_id": NETWORK,
            "fixed_ips": [{"subnet_id": SUBNET, "ip_address": "10.0.0.5"}],
            "security_groups": ["g1"],
        }
        [network] = requested(context)["networks"]
        assert f"/ports/{network['port']}" in cloud.objects

    def test_so_do_further_properties_of_a_port(self) -> None:
        cloud = a_cloud(ids={("neutron.qos_policy", "slow"): "q1"})
        extras = {
            "qos_policy": "slow",
            "port_security_enabled": False,
            "allowed_address_pairs": [{"ip_address": "10.0.0.9"}],
            "value_specs": {"x": "y"},
            "no_fixed_ips": True,
        }

        made(cloud, networks=[{"network": NETWORK, "port_extra_properties": extras}])

        port = cloud.body("POST /ports")["port"]
        assert port["qos_policy_id"] == "q1"
        assert port["port_security_enabled"] is False
        assert port["allowed_address_pairs"] == [{"ip_address": "10.0.0.9"}]
        assert port["x"] == "y"
        assert port["fixed_ips"] == []

    def test_a_floating_address_goes_to_the_port(self) -> None:
        cloud = a_cloud()
        cloud.place("/floatingips/f1")

        context = made(cloud, networks=[{"port": PORT, "floating_ip": "f1"}])

        assert cloud.objects["/floatingips/f1"]["port_id"] == PORT
        run(Server.delete(context))
        assert cloud.objects["/floatingips/f1"]["port_id"] is None


class TestUserData:
    def parts(self, context: FakeContext) -> dict[str, Any]:
        text = b64decode(requested(context)["user_data"]).decode()
        message = message_from_string(text)
        return {
            part.get_filename() or part.get_content_type(): part
            for part in message.walk()
            if not part.is_multipart()
        }

    def test_raw_data_is_left_alone_unless_it_is_the_id_of_a_configuration(self) -> None:
        id = "0d6f4bbe-7d4c-4c3e-9c35-999999999999"
        props = properties(user_data=id)
        context = FakeContext(Server, props, services=a_cloud(), configs={id: {"config": "#!/bin/sh"}})

        run(Server.create(context, props))

        assert b64decode(requested(context)["user_data"]) == b"#!/bin/sh"

    def test_cfn_tools_find_their_files(self) -> None:
        props = properties(user_data_format="HEAT_CFNTOOLS", user_data="#!/bin/sh\necho grüß")
        metadata = {"AWS::CloudFormation::Init": {"config": {}}}
        context = FakeContext(Server, props, services=a_cloud(), metadata=metadata)

        run(Server.create(context, props))

        parts = self.parts(context)
        assert list(parts) == [
            "text/cloud-config",
            "boothook.sh",
            "part-handler.py",
            "cfn-userdata",
            "loguserdata.py",
            "cfn-init-data",
            "cfn-metadata-server",
            "cfn-boto-cfg",
        ]
        assert parts["boothook.sh"].get_content_type() == "text/cloud-boothook"
        assert parts["part-handler.py"].get_content_type() == "text/part-handler"
        assert parts["part-handler.py"].get_payload().startswith("#part-handler\n")
        assert parts["loguserdata.py"].get_payload().startswith("#!/usr/bin/env python3\n")
        assert parts["cfn-userdata"].get_content_type() == "text/x-cfninitdata"
        assert parts["loguserdata.py"].get_content_type() == "text/x-shellscript"
        assert parts["cfn-userdata"].get_payload(decode=True).decode() == "#!/bin/sh\necho grüß"
        assert json.loads(parts["cfn-init-data"].get_payload()) == metadata
        assert parts["cfn-metadata-server"].get_payload() == "http://cfn:8000/v1/"
        assert "cfn_region_endpoint = cfn" in parts["cfn-boto-cfg"].get_payload()

    def test_a_template_can_have_settings_for_the_agent(self) -> None:
        metadata = {"os-collect-config": {"polling_interval": 60}}
        props = properties(user_data_format="SOFTWARE_CONFIG")
        context = FakeContext(Server, props, services=a_cloud(), metadata=metadata, polling_interval=3)
        run(Server.create(context, props))

        settings = json.loads(self.parts(context)["cfn-init-data"].get_payload())["os-collect-config"]
        assert settings["polling_interval"] == 60
        assert settings["cfn"]["access_key_id"] == "access-of-thing"

    def test_agents_find_where_to_ask(self) -> None:
        context = made(user_data_format="SOFTWARE_CONFIG", user_data="#!/bin/sh\ndate")

        parts = self.parts(context)
        assert parts["text/plain"].get_payload() == "#!/bin/sh\ndate"
        settings = json.loads(parts["cfn-init-data"].get_payload())["os-collect-config"]
        assert settings == {
            "collectors": ["ec2", "cfn", "local"],
            "cfn": {
                "metadata_url": "http://cfn:8000/v1/",
                "access_key_id": "access-of-thing",
                "secret_access_key": "secret-of-thing",
                "stack_name": "web",
                "path": "thing.Metadata",
            },
        }
        assert Server.attribute(context, "os_collect_config") == settings
        assert context.metadata["deployments"] == []

    def test_they_may_ask_the_orchestration_api(self) -> None:
        context = made(user_data_format="SOFTWARE_CONFIG", software_config_transport="POLL_SERVER_HEAT")

        settings = Server.attribute(context, "os_collect_config")
        assert settings["collectors"] == ["ec2", "heat", "local"]
        assert settings["heat"]["stack_id"] == f"web/{context.stack_id}"
        assert settings["heat"]["resource_name"] == "thing"
        assert settings["heat"]["password"] == "secret"

    def test_each_part_of_a_message_stays_one(self) -> None:
        message = (
            'Content-Type: multipart/mixed; boundary="x"\n\n'
            "--x\nContent-Type: text/cloud-config\n\n{}\n--x\nContent-Type: text/x-shellscript\n"
            'Content-Disposition: attachment; filename="go.sh"\n\n#!/bin/sh\n--x--\n'
        )

        parts = self.parts(made(user_data_format="SOFTWARE_CONFIG", user_data=message))

        assert parts["go.sh"].get_content_type() == "text/x-shellscript"
        assert "cfn-init-data" in parts

    def test_ignition_gets_files_instead(self) -> None:
        ignition = {"ignition": {"version": "3.4.0"}, "storage": {"files": [{"path": "/a"}]}}

        context = made(user_data_format="SOFTWARE_CONFIG", user_data=json.dumps(ignition))

        reported = json.loads(b64decode(requested(context)["user_data"]))
        assert [one["path"] for one in reported["storage"]["files"]] == [
            "/a",
            "/var/lib/heat-cfntools/cfn-init-data",
            "/var/lib/cloud/data/cfn-init-data",
        ]


class TestFailing:
    def test_the_message_of_nova_is_reported(self) -> None:
        cloud = a_cloud(next_status={"BUILD": "ERROR"})
        fault = {"message": "No valid host was found.", "code": 500}
        cloud.responses["GET /servers/servers-3"] = {"server": {"status": "ERROR", "fault": fault}}

        with pytest.raises(ResourceFailed) as failure:
            made(cloud)

        assert failure.value.kind == "ResourceInError"
        assert (
            failure.value.message
            == 'Went to status ERROR due to "Message: No valid host was found., Code: 500"'
        )

    def test_a_status_that_nobody_knows(self) -> None:
        with pytest.raises(ResourceFailed) as failure:
            made(a_cloud(next_status={"BUILD": "ODD"}))

        assert failure.value.kind == "ResourceUnknownStatus"


def _place(cloud: FakeCloud, id: str, **members: Any) -> None:
    """A server as Nova shows it."""
    shown = {"flavor": {"id": FLAVOR}, "image": {"id": IMAGE}, "status": "ACTIVE", **members}
    cloud.place(f"/servers/{id}", **shown)


def place_port(cloud: FakeCloud, context: FakeContext, subnet: str) -> None:
    """A port for the server's first interface that an earlier attempt left behind."""
    cloud.place(
        "/ports/p1",
        name=f"{context.physical_name()}-port-0",
        device_id="",
        network_id="n1",
        fixed_ips=[{"subnet_id": subnet, "ip_address": "10.0.0.5"}],
    )


class TestInterruptions:
    def test_a_server_whose_answer_was_lost_is_found_by_its_name(self) -> None:
        cloud = a_cloud(loses_responses=True)

        context = made(cloud)

        assert context.physical_id == "servers-3"
        assert cloud.lines().count("POST /servers") == 1

    def test_a_port_that_was_made_before_is_used(self) -> None:
        cloud = a_cloud()
        props = properties(networks=[{"subnet": SUBNET}])
        context = FakeContext(Server, props, services=cloud)
        place_port(cloud, context, subnet=SUBNET)

        run(Server.create(context, props))

        assert requested(context)["networks"] == [{"port": "p1"}]
        assert "POST /ports" not in cloud.lines()

    def test_a_port_that_was_made_before_for_another_subnet_goes(self) -> None:
        cloud = a_cloud()
        props = properties(networks=[{"subnet": SUBNET}])
        context = FakeContext(Server, props, services=cloud)
        place_port(cloud, context, subnet="earlier")

        run(Server.create(context, props))

        lines = cloud.lines(without="GET")
        assert lines.index("DELETE /ports/p1") < lines.index("POST /ports")
        assert requested(context)["networks"] != [{"port": "p1"}]

    def test_a_port_without_a_record_is_deleted_although_there_is_no_server(self) -> None:
        cloud = a_cloud()
        context = FakeContext(Server, properties(networks=[{"subnet": SUBNET}]), services=cloud)
        context.action = "DELETE"
        place_port(cloud, context, subnet=SUBNET)

        assert run(Server.find(context))
        run(Server.delete(context))

        assert "/ports/p1" not in cloud.objects

    def test_it_is_found_and_waited_for(self) -> None:
        cloud = a_cloud()
        props = properties()
        context = FakeContext(Server, props, services=cloud)
        _place(cloud, "s1", name=context.physical_name(), status="BUILD")

        assert run(Server.find(context))

        assert context.physical_id == "s1"
        assert cloud.objects["/servers/s1"]["status"] == "ACTIVE"

    def test_a_server_of_the_same_name_that_was_asked_for_otherwise_is_not_taken_for_it(self) -> None:
        cloud = a_cloud()
        props = properties(name="web", metadata={"a": "1"}, key_name="k")
        context = FakeContext(Server, props, services=cloud)
        like: dict[str, Any] = {"name": "web", "metadata": {"a": "1"}, "key_name": "k"}
        other = "0d6f4bbe-7d4c-4c3e-9c35-666666666666"
        _place(cloud, "s1", **{**like, "metadata": {"a": "2"}})
        _place(cloud, "s2", **{**like, "key_name": None})
        _place(cloud, "s3", **like, flavor={"id": other})
        _place(cloud, "s4", **like, image={"id": other})

        assert not run(Server.find(context))

        _place(cloud, "s5", **like)
        assert run(Server.find(context))
        assert context.physical_id == "s5"

    def test_ports_without_a_server_go_as_well(self) -> None:
        cloud = a_cloud()
        cloud.place("/ports/p1")
        data = {"internal_ports": '[{"id": "p1"}]'}
        context = FakeContext(Server, properties(), action="DELETE", services=cloud, data=data)

        assert run(Server.find(context))
        run(Server.delete(context))

        assert "/ports/p1" not in cloud.objects


class TestDeleting:
    def test_it_is_gone_with_its_ports_and_its_user(self) -> None:
        cloud = a_cloud(
            deleting_status={"servers": "DELETING"}, next_status={"BUILD": "ACTIVE", "DELETING": "gone"}
        )
        context = made(cloud, networks=[{"subnet": SUBNET}])

        run(Server.delete(context))

        left = [path for path in cloud.objects if path.startswith(("/servers", "/ports"))]
        assert left == []
        assert "remove_signalling" in context.calls

    def test_one_that_is_gone_already_is_fine(self) -> None:
        context = FakeContext(Server, properties(), services=a_cloud(), physical_id="s1")

        run(Server.delete(context))

        assert "remove_signalling" in context.calls

    def test_a_port_that_is_still_in_use_is_deleted_later(self) -> None:
        cloud = a_cloud()
        context = made(cloud, networks=[{"subnet": SUBNET}])
        [port] = [path for path in cloud.objects if path.startswith("/ports/")]
        cloud.responses[f"DELETE {port}"] = [Conflict("in use", status=409)]

        run(Server.delete(context))

        assert port not in cloud.objects
        assert context.slept

    def test_one_that_the_cloud_keeps_for_a_while_is_deleted_for_good(self) -> None:
        cloud = a_cloud(deleting_status={"servers": "SOFT_DELETED"})
        context = made(cloud)

        def force(request: Any) -> dict[str, Any]:
            del cloud.objects["/servers/servers-3"]
            return {}

        cloud.responses["POST /servers/servers-3/action"] = force
        run(Server.delete(context))

        assert cloud.body("POST /servers/servers-3/action") == {"forceDelete": None}


class TestAttributes:
    def looked_at(self, **more: Any) -> FakeContext:
        cloud = a_cloud()
        address = {"addr": "10.0.0.5", "version": 4, "OS-EXT-IPS-MAC:mac_addr": "fa:16"}
        floating = {**address, "addr": "203.0.113.5", "OS-EXT-IPS:type": "floating"}
        cloud.place(
            "/servers/s1",
            name="web",
            status="ACTIVE",
            addresses={"private": [address, floating]},
            accessIPv4="1.2.3.4",
            tags=["a"],
            **{"OS-EXT-SRV-ATTR:instance_name": "instance-1"},
        )
        cloud.responses["GET /servers/s1/os-interface"] = {
            "interfaceAttachments": [
                {
                    "port_id": "p1",
                    "net_id": NETWORK,
                    "mac_addr": "fa:16",
                    "fixed_ips": [{"subnet_id": SUBNET, "ip_address": "10.0.0.5"}],
                }
            ]
        }
        cloud.responses["POST /servers/s1/remote-consoles"] = {"remote_console": {"url": "https://console"}}
        context = FakeContext(Server, properties(), services=cloud, physical_id="s1", **more)
        run(Server.refresh(context))
        return context

    def test_addresses_are_known_by_the_names_and_the_ids_of_networks(self) -> None:
        context = self.looked_at(attributes_read=frozenset({"addresses"}))

        addresses = ["10.0.0.5", "203.0.113.5"]
        assert Server.attribute(context, "networks") == {"private": addresses, NETWORK: addresses}
        assert Server.attribute(context, "first_address") == "10.0.0.5"
        whole = Server.attribute(context, "addresses")
        assert whole["private"] == whole[NETWORK]
        assert whole["private"][0]["port"] == "p1"
        assert whole["private"][0]["network"]["name"] == "private"
        assert [subnet["name"] for subnet in whole["private"][0]["subnets"]] == ["private-subnet"]

    def test_others_are_as_nova_shows_them(self) -> None:
        context = self.looked_at()

        assert Server.attribute(context, "name") == "web"
        assert Server.attribute(context, "accessIPv4") == "1.2.3.4"
        assert Server.attribute(context, "instance_name") == "instance-1"
        assert Server.attribute(context, "tags") == ["a"]
        assert Server.attribute(context, "show")["status"] == "ACTIVE"

    @pytest.mark.parametrize(("newest", "asked"), [("2.104", "2.96"), ("2.79", "2.79"), (None, "2.1")])
    def test_everything_is_requested_from_nova_only_if_the_template_reads_it(
        self, newest: str | None, asked: str
    ) -> None:
        context = self.looked_at()
        assert "GET /" not in context.services.lines()

        context.attributes_read = frozenset({"show"})
        if newest is not None:
            context.services.responses["GET /"] = {"version": {"version": newest, "id": "v2.1"}}
        context.services.responses["GET /servers/s1"] = lambda request: {
            "server": {"id": "s1", "name": "web", "status": "ACTIVE", "server_groups": [request.version]}
        }
        run(Server.refresh(context))

        assert Server.attribute(context, "show")["server_groups"] == [asked]

    def test_settings_of_agents_are_part_of_all(self) -> None:
        context = self.looked_at()
        assert Server.attribute(context, "os_collect_config") == {}
        assert Server.attribute(context, "show")["os_collect_config"] == {}

        context.set_metadata({"os-collect-config": {"collectors": ["ec2", "heat", "local"]}})
        assert Server.attribute(context, "show")["os_collect_config"]["collectors"] == [
            "ec2",
            "heat",
            "local",
        ]

    def test_interfaces_are_asked_for_only_if_the_template_reads_them(self) -> None:
        assert "GET /servers/s1/os-interface" not in self.looked_at().services.lines()

    def test_interfaces_are_not_asked_for_again_while_they_stay_the_same(self) -> None:
        context = self.looked_at(attributes_read=frozenset({"networks"}))
        before = context.services.lines().count("GET /servers/s1/os-interface")
        assert before == 1

        run(Server.refresh(context))

        assert context.services.lines().count("GET /servers/s1/os-interface") == before

    def test_consoles_are_asked_for_only_if_somebody_reads_them(self) -> None:
        assert Server.attribute(self.looked_at(), "console_urls") is None

        context = self.looked_at(attributes_read=frozenset({"console_urls"}))

        assert Server.attribute(context, "console_urls")["novnc"] == "https://console"
        asked = [one for one in context.services.requests if one.path.endswith("/remote-consoles")]
        assert {one.body["remote_console"]["type"] for one in asked} >= {"novnc", "serial"}
