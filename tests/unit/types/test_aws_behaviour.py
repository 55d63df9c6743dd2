"""CloudFormation's types at work, where the embedded cloud shows too little of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from calor.clouds.errors import Conflict
from calor.resources.contract import contract_of
from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeCloud, FakeContext, Request, properties_of, run
from calor.types import catalogue
from calor.types.aws.ec2.eip import EIP
from calor.types.aws.ec2.security_group import SecurityGroup
from calor.types.aws.ec2.server_properties import server_properties
from calor.types.aws.ec2.virtual_networks import routers_at
from calor.types.aws.ec2.volume import Volume
from calor.types.aws.ec2.volume_attachment import VolumeAttachment
from calor.types.aws.s3.bucket import Bucket

OTHER = "0d6f4bbe-7d4c-4c3e-9c35-111111111111"


def made(kind: Any, cloud: FakeCloud, **given: Any) -> FakeContext:
    props = properties_of(kind, **given)
    context = FakeContext(kind, props, services=cloud)
    run(kind.create(context, props))
    return context


class TestBuckets:
    def a_cloud(self) -> FakeCloud:
        name = "web-thing-000000000000"
        answer = SimpleNamespace(
            url=f"https://swift:8080/v1/AUTH_p1/{name}", headers={"X-Container-Object-Count": "0"}
        )
        return FakeCloud(responses={f"HEAD /{name}": answer, f"PUT /{name}": {}})

    def headers(self, **given: Any) -> Any:
        cloud = self.a_cloud()
        made(Bucket, cloud, **given)
        return next(one.headers for one in cloud.requests if one.method == "PUT")

    def test_a_bucket_is_a_container_that_has_an_address(self) -> None:
        context = made(Bucket, self.a_cloud())

        assert context.physical_id == "web-thing-000000000000"
        assert Bucket.attribute(context, "DomainName") == "swift"
        assert (
            Bucket.attribute(context, "WebsiteURL") == "https://swift:8080/v1/AUTH_p1/web-thing-000000000000"
        )

    def test_who_may_use_it(self) -> None:
        everyone = ".r:*"
        assert self.headers() == {}
        assert self.headers(AccessControl="PublicRead") == {"X-Container-Read": everyone}
        assert self.headers(AccessControl="PublicReadWrite")["X-Container-Write"] == everyone
        assert self.headers(AccessControl="AuthenticatedRead") == {"X-Container-Read": "p1:*"}

    def test_web_sites_and_tags_are_metadata(self) -> None:
        site = {"IndexDocument": "index.html", "ErrorDocument": "error.html"}

        assert self.headers(WebsiteConfiguration=site, Tags=[{"Key": "a", "Value": "b"}]) == {
            "X-Container-Meta-Web-Index": "index.html",
            "X-Container-Meta-Web-Error": "error.html",
            "X-Container-Meta-S3-Tag-a": "b",
        }

    def test_one_with_something_in_it_stays(self) -> None:
        cloud = self.a_cloud()
        context = made(Bucket, cloud)
        cloud.responses[f"DELETE /{context.physical_id}"] = Conflict("not empty", status=409)

        with pytest.raises(ResourceFailed, match="not empty"):
            run(Bucket.delete(context))


def test_a_volume_may_come_from_a_backup() -> None:
    cloud = FakeCloud(ids={("cinder.backup", "old"): "b1"}, next_status={"restoring-backup": "available"})

    def restore(request: Request) -> dict[str, Any]:
        cloud.place("/volumes/v1", status="restoring-backup")
        return {"restore": {"volume_id": "v1"}}

    cloud.responses["POST /backups/b1/restore"] = restore
    cloud.responses["PUT /volumes/v1/metadata"] = {}
    tags = [{"Key": "a", "Value": "b"}]

    context = made(Volume, cloud, AvailabilityZone="nova", SnapshotId="old", Tags=tags)

    assert context.physical_id == "v1"
    assert cloud.body("PUT /volumes/v1/metadata") == {"metadata": {"a": "b"}}


def test_a_volume_that_is_gone_need_not_be_detached() -> None:
    props = properties_of(VolumeAttachment, InstanceId=OTHER, VolumeId="data", Device="/dev/vdb")
    context = FakeContext(VolumeAttachment, props, physical_id="data", services=FakeCloud())

    run(VolumeAttachment.delete(context))

    assert context.services.lines() == []


def test_rules_of_groups_in_neutrons_words() -> None:
    cloud = FakeCloud()
    ingress = [
        {"IpProtocol": "tcp", "FromPort": "22", "ToPort": "22", "CidrIp": "10.0.0.0/8"},
        {"IpProtocol": "icmp", "FromPort": "-1", "ToPort": "-1", "CidrIp": "0.0.0.0/0"},
        {"IpProtocol": "-1", "SourceSecurityGroupId": OTHER},
    ]

    made(SecurityGroup, cloud, GroupDescription="web", SecurityGroupIngress=ingress)

    reported = [
        one.body["security_group_rule"] for one in cloud.requests if one.line.endswith("-rules") and one.body
    ]
    ours = [rule for rule in reported if rule["direction"] == "ingress"]
    assert [(rule.get("protocol"), rule.get("port_range_min")) for rule in ours] == [
        ("tcp", 22),
        ("icmp", None),
        (None, None),
    ]
    assert ours[0]["remote_ip_prefix"] == "10.0.0.0/8"
    assert ours[2]["remote_group_id"] == OTHER


class TestInstances:
    def server(self, **given: Any) -> dict[str, Any]:
        return server_properties({"ImageId": "i", "InstanceType": "t", **given})

    def test_interfaces_are_in_the_order_of_their_indices(self) -> None:
        interfaces = [
            {"NetworkInterfaceId": "b", "DeviceIndex": "1"},
            {"NetworkInterfaceId": "a", "DeviceIndex": "0"},
        ]

        given = self.server(NetworkInterfaces=interfaces, SubnetId="ignored", SecurityGroups=["g"])

        assert given["networks"] == [{"port": "a"}, {"port": "b"}]
        assert given["security_groups"] == []

    def test_a_subnet_and_groups(self) -> None:
        given = self.server(SubnetId="s", SecurityGroups=["g"], SecurityGroupIds=["h"])

        assert given["networks"] == [{"subnet": "s"}]
        assert given["security_groups"] == ["g", "h"]

    def test_hints_that_occur_twice_are_a_list(self) -> None:
        hints = [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}, {"Key": "a", "Value": "3"}]

        assert self.server(NovaSchedulerHints=hints)["scheduler_hints"] == {"a": ["1", "3"], "b": "2"}

    def test_disks_come_from_snapshots(self) -> None:
        ebs = {"SnapshotId": "s1", "VolumeSize": "3", "DeleteOnTermination": True}

        given = self.server(BlockDeviceMappings=[{"DeviceName": "vdb", "Ebs": ebs}])

        assert given["block_device_mapping"] == [
            {"device_name": "vdb", "snapshot_id": "s1", "volume_size": 3, "delete_on_termination": True}
        ]


def test_an_address_is_looked_at_by_its_id() -> None:
    cloud = FakeCloud()
    cloud.place("/networks/public", **{"router:external": True})
    floating = {"floating_ip_address": "203.0.113.5", "floating_network_id": "public"}
    cloud.responses["POST /floatingips"] = lambda request: {
        "floatingip": cloud.place("/floatingips/f", **floating)
    }
    context = made(EIP, cloud)

    assert (context.physical_id, EIP.attribute(context, "AllocationId")) == ("203.0.113.5", "f")
    assert run(EIP.live_state(context)) == {}
    cloud.objects["/floatingips/f"]["port_id"] = "p"
    run(EIP.refresh(context))
    assert EIP.attribute(context, "show")["port_id"] == "p"


@pytest.mark.parametrize(
    "owner",
    [
        "network:router_interface",
        "network:router_interface_distributed",
        "network:ha_router_replicated_interface",
    ],
)
def test_routers_of_every_kind_are_found_at_a_subnet(owner: str) -> None:
    cloud = FakeCloud()
    at = [{"subnet_id": "s", "ip_address": "10.0.0.1"}]
    cloud.responses["GET /ports"] = {
        "ports": [
            {"id": "a", "device_id": "r", "device_owner": owner, "fixed_ips": at},
            {"id": "b", "device_id": "dhcp", "device_owner": "network:dhcp", "fixed_ips": at},
        ]
    }

    assert run(routers_at(cloud, "s")) == ["r"]


def test_every_type_of_ec2_s3_and_iam_can_be_made() -> None:
    kinds = [name for name in catalogue.names() if name.startswith(("AWS::EC2", "AWS::S3", "AWS::IAM"))]
    assert len(kinds) == 16
    for name in kinds:
        assert contract_of(catalogue.declaration(name)).create is not None, name
