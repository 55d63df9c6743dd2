"""Stacks as CloudFormation describes them, against the embedded cloud."""

from __future__ import annotations

from typing import Any

from tests.server.orchestrator import Orchestrator


def ref(name: str) -> dict[str, str]:
    return {"get_resource": name}


def network() -> dict[str, Any]:
    return {
        "vpc": {"type": "AWS::EC2::VPC", "properties": {"CidrBlock": "10.9.0.0/16"}},
        "subnet": {
            "type": "AWS::EC2::Subnet",
            "properties": {"VpcId": ref("vpc"), "CidrBlock": "10.9.1.0/24", "AvailabilityZone": "nova"},
        },
        "gateway": {"type": "AWS::EC2::InternetGateway"},
        "table": {"type": "AWS::EC2::RouteTable", "properties": {"VpcId": ref("vpc")}},
        "attachment": {
            "type": "AWS::EC2::VPCGatewayAttachment",
            "properties": {"VpcId": ref("vpc"), "InternetGatewayId": ref("gateway")},
        },
        "association": {
            "type": "AWS::EC2::SubnetRouteTableAssociation",
            "properties": {"RouteTableId": ref("table"), "SubnetId": ref("subnet")},
        },
        "group": {
            "type": "AWS::EC2::SecurityGroup",
            "properties": {
                "GroupDescription": "web",
                "SecurityGroupIngress": [
                    {"IpProtocol": "tcp", "FromPort": "80", "ToPort": "80", "CidrIp": "0.0.0.0/0"}
                ],
            },
        },
        "interface": {
            "type": "AWS::EC2::NetworkInterface",
            "properties": {
                "SubnetId": ref("subnet"),
                "PrivateIpAddress": "10.9.1.50",
                "GroupSet": [ref("group")],
            },
        },
    }


def instance(**properties: Any) -> dict[str, Any]:
    given = {"ImageId": "cirros", "InstanceType": "m1.tiny", **properties}
    return {"type": "AWS::EC2::Instance", "properties": given}


def left_over(demo: Orchestrator) -> dict[str, list[str]]:
    def names(service: str, path: str, key: str) -> list[str]:
        return [one.get("name") or one["id"] for one in demo.ask(service, "GET", path).json()[key]]

    found = {
        "servers": names("compute", "/servers", "servers"),
        "routers": names("network", "/v2.0/routers", "routers"),
        "networks": names("network", "/v2.0/networks", "networks"),
        "addresses": names("network", "/v2.0/floatingips", "floatingips"),
        "volumes": names("block-storage", "/volumes", "volumes"),
    }
    furnished = {"heat-router", "heat-net", "test-net", "public"}
    return {kind: [name for name in listed if name not in furnished] for kind, listed in found.items()}


NOTHING: dict[str, list[str]] = {"servers": [], "routers": [], "addresses": [], "networks": [], "volumes": []}


def test_an_instance_in_a_network_of_its_own(demo: Orchestrator) -> None:
    resources = {
        **network(),
        "instance": instance(
            NetworkInterfaces=[ref("interface")], Tags=[{"Key": "role", "Value": "web"}], UserData="#!/bin/sh"
        ),
        "address": {
            "type": "AWS::EC2::EIP",
            "properties": {"InstanceId": ref("instance")},
            "depends_on": ["attachment", "association"],
        },
        "volume": {"type": "AWS::EC2::Volume", "properties": {"Size": 1, "AvailabilityZone": "nova"}},
        "disk": {
            "type": "AWS::EC2::VolumeAttachment",
            "properties": {
                "InstanceId": ref("instance"),
                "VolumeId": ref("volume"),
                "Device": "/dev/vdc",
            },
        },
    }
    outputs = {
        "private": {"value": {"get_attr": ["instance", "PrivateIp"]}},
        "interface": {"value": {"get_attr": ["interface", "PrivateIpAddress"]}},
        "address": {"value": ref("address")},
        "allocation": {"value": {"get_attr": ["address", "AllocationId"]}},
    }
    path = demo.create("clouds", resources, outputs=outputs)

    reported = demo.outputs(path)
    assert reported["private"] == reported["interface"] == "10.9.1.50"
    floating = demo.shown("network", f"/v2.0/floatingips/{reported['allocation']}")
    assert floating is not None
    assert floating["floating_ip_address"] == reported["address"]
    assert floating["fixed_ip_address"] == "10.9.1.50"
    id = demo.id_of(path, "instance")
    server = demo.shown("compute", f"/servers/{id}")
    assert server is not None
    assert server["metadata"] == {"role": "web"}
    volume = demo.shown("block-storage", f"/volumes/{demo.id_of(path, 'volume')}")
    assert volume is not None
    assert [one["server_id"] for one in volume["attachments"]] == [id]
    table = demo.shown("network", f"/v2.0/routers/{demo.id_of(path, 'table')}")
    assert table is not None
    assert table["external_gateway_info"]["network_id"]

    resources["instance"]["properties"] |= {"InstanceType": "m1.small", "Tags": []}
    resources["group"]["properties"]["SecurityGroupIngress"] = []
    demo.update(path, resources, outputs=outputs)

    assert demo.id_of(path, "instance") == id
    changed = demo.shown("compute", f"/servers/{id}")
    assert changed is not None
    assert changed["flavor"]["id"] != server["flavor"]["id"]
    assert changed["metadata"] == {}
    group = demo.shown("network", f"/v2.0/security-groups/{demo.id_of(path, 'group')}")
    assert group is not None
    assert [rule["direction"] for rule in group["security_group_rules"]] == ["egress", "egress"]

    demo.delete(path)
    assert left_over(demo) == NOTHING


def test_an_address_moves_between_instances(demo: Orchestrator) -> None:
    def resources(target: str) -> dict[str, Any]:
        return {
            **network(),
            "one": instance(SubnetId=ref("subnet")),
            "two": instance(SubnetId=ref("subnet")),
            "address": {"type": "AWS::EC2::EIP"},
            "link": {
                "type": "AWS::EC2::EIPAssociation",
                "properties": {"EIP": ref("address"), "InstanceId": ref(target)},
                "depends_on": ["attachment", "association"],
            },
        }

    def holder() -> str:
        [floating] = demo.ask("network", "GET", "/v2.0/floatingips").json()["floatingips"]
        port = demo.shown("network", f"/v2.0/ports/{floating['port_id']}")
        assert port is not None
        return str(port["device_id"])

    path = demo.create("clouds2", resources("one"))
    assert holder() == demo.id_of(path, "one")

    demo.update(path, resources("two"))
    assert holder() == demo.id_of(path, "two")

    demo.delete(path)
    assert left_over(demo) == NOTHING


def test_a_scaling_group_deletes_the_instances_it_gives_up(demo: Orchestrator) -> None:
    def resources(size: int) -> dict[str, Any]:
        return {
            **network(),
            "launch": {
                "type": "AWS::AutoScaling::LaunchConfiguration",
                "properties": {"ImageId": "cirros", "InstanceType": "m1.tiny"},
            },
            "instances": {
                "type": "AWS::AutoScaling::AutoScalingGroup",
                "properties": {
                    "AvailabilityZones": ["nova"],
                    "LaunchConfigurationName": ref("launch"),
                    "MinSize": 1,
                    "MaxSize": 3,
                    "DesiredCapacity": size,
                    "VPCZoneIdentifier": [ref("subnet")],
                },
            },
        }

    path = demo.create("clouds3", resources(2))
    assert len(left_over(demo)["servers"]) == 2

    demo.update(path, resources(1))
    assert len(left_over(demo)["servers"]) == 1

    demo.delete(path)
    assert left_over(demo) == NOTHING


def test_the_zones_are_those_of_the_cloud(demo: Orchestrator) -> None:
    zones = {"Fn::GetAZs": ""}
    body = {
        "stack_name": "zones",
        "template": {
            "HeatTemplateFormatVersion": "2012-12-12",
            "Resources": {"r": {"Type": "OS::Heat::Value", "Properties": {"value": zones}}},
            "Outputs": {"zones": {"Value": zones}, "first": {"Value": {"Fn::Select": ["0", zones]}}},
        },
    }
    answer = demo.ask("orchestration", "POST", "/stacks", json=body)
    assert answer.status_code == 201, answer.text
    path = f"/stacks/zones/{answer.json()['stack']['id']}"
    demo.wait(path, "CREATE_COMPLETE")

    assert demo.outputs(path) == {"zones": ["nova"], "first": "nova"}
    demo.delete(path)


def test_an_unknown_flavor_in_a_group_is_refused_before_anything_is_made(demo: Orchestrator) -> None:
    server = {"type": "OS::Nova::Server", "properties": {"image": "cirros", "flavor": "nope"}}
    group = {"type": "OS::Heat::ResourceGroup", "properties": {"count": 2, "resource_def": server}}
    resources = {"net": {"type": "OS::Neutron::Net"}, "group": group}
    body = {
        "stack_name": "nope",
        "template": {"heat_template_version": "2021-04-16", "resources": resources},
    }
    answer = demo.ask("orchestration", "POST", "/stacks", json=body)

    assert answer.status_code == 400
    message = answer.json()["error"]["message"]
    assert "resources.group<nested_stack>.resources[0].properties.flavor" in message
    assert "The flavor (nope) could not be found." in message
    assert left_over(demo)["networks"] == []
