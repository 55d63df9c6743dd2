"""What must hold between the properties of the AWS types, and what they wait for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from calor.language.schema import Peer, Problem
from calor.language.values import Secret, Unknown
from calor.types import catalogue
from calor.types.aws.ec2.vpc_gateway_attachment import VPCGatewayAttachment


def problems(type_name: str, **values: Any) -> list[Problem]:
    declared = catalogue.declaration(type_name)
    assert declared is not None
    given = {name: prop.default for name, prop in declared.properties.items()} | values
    return [problem for rule in declared.rules for problem in rule.problems(given)]


def kinds(type_name: str, **values: Any) -> list[str]:
    return [problem.kind for problem in problems(type_name, **values)]


REFERENCE = Unknown("name")
ATTRIBUTE = Unknown("")


class TestAutoScalingGroup:
    TYPE = "AWS::AutoScaling::AutoScalingGroup"
    SIZES = {"MinSize": 1, "MaxSize": 3}

    @pytest.mark.parametrize("sizes", [(2, 1, None), (1, 3, 4), (-1, 3, None)])
    def test_sizes_out_of_order(self, sizes: tuple[int, int, int | None]) -> None:
        values = dict(zip(("MinSize", "MaxSize", "DesiredCapacity"), sizes, strict=True))

        assert kinds(self.TYPE, LaunchConfigurationName="lc", **values) == ["StackValidationFailed"]

    @pytest.mark.parametrize(
        "source",
        [
            {"InstanceId": "i"},
            {"LaunchConfigurationName": REFERENCE},
            {"LaunchConfigurationName": "lc", "InstanceId": ""},
            {"LaunchConfigurationName": "lc", "InstanceId": ATTRIBUTE},
            {"InstanceId": ATTRIBUTE},
        ],
    )
    def test_one_source_of_instances(self, source: dict[str, Any]) -> None:
        assert not problems(self.TYPE, **self.SIZES, **source)

    @pytest.mark.parametrize(
        "source",
        [
            {},
            {"InstanceId": ""},
            {"LaunchConfigurationName": REFERENCE, "InstanceId": "i"},
            {"LaunchConfigurationName": "lc", "InstanceId": Secret("i")},
        ],
    )
    def test_no_or_two_sources_of_instances(self, source: dict[str, Any]) -> None:
        assert kinds(self.TYPE, **self.SIZES, **source) == ["StackValidationFailed"]

    @pytest.mark.parametrize("subnets", [[], ["a"], [REFERENCE], Unknown([])])
    def test_no_subnet_or_one(self, subnets: Any) -> None:
        assert not problems(self.TYPE, InstanceId="i", VPCZoneIdentifier=subnets, **self.SIZES)

    def test_two_subnets(self) -> None:
        assert kinds(self.TYPE, InstanceId="i", VPCZoneIdentifier=["a", "b"], **self.SIZES) == [
            "NotSupported"
        ]


class TestScalingPolicy:
    def test_step_without_percentage(self) -> None:
        assert kinds(
            "AWS::AutoScaling::ScalingPolicy", AdjustmentType="ExactCapacity", MinAdjustmentStep=0
        ) == ["ResourcePropertyValueDependency"]

    def test_step_with_percentage(self) -> None:
        assert not problems(
            "AWS::AutoScaling::ScalingPolicy", AdjustmentType="PercentChangeInCapacity", MinAdjustmentStep=1
        )


class TestLaunchConfiguration:
    TYPE = "AWS::AutoScaling::LaunchConfiguration"

    @pytest.mark.parametrize(
        "values",
        [
            {"InstanceId": "i"},
            {"InstanceId": ATTRIBUTE},
            {"ImageId": "i", "InstanceType": "f"},
            {"ImageId": ATTRIBUTE, "InstanceType": Secret("f")},
        ],
    )
    def test_image_and_flavor_known(self, values: dict[str, Any]) -> None:
        assert not problems(self.TYPE, **values)

    @pytest.mark.parametrize("values", [{}, {"ImageId": "i"}, {"InstanceType": "f"}, {"InstanceId": ""}])
    def test_image_or_flavor_missing(self, values: dict[str, Any]) -> None:
        assert kinds(self.TYPE, **values) == ["StackValidationFailed"]


@pytest.mark.parametrize(
    ("type_name", "values"),
    [
        ("AWS::AutoScaling::LaunchConfiguration", {"InstanceId": "i"}),
        ("AWS::EC2::Instance", {}),
    ],
)
class TestBlockDevices:
    @pytest.mark.parametrize(
        "ebs", [{"SnapshotId": "s"}, {"SnapshotId": REFERENCE}, {"SnapshotId": ATTRIBUTE}, Unknown({})]
    )
    def test_with_snapshot(self, type_name: str, values: dict[str, Any], ebs: Any) -> None:
        devices = [{"DeviceName": "vdb", "Ebs": ebs}]

        assert not problems(type_name, BlockDeviceMappings=devices, **values)

    @pytest.mark.parametrize("ebs", [None, {}, {"VolumeSize": "1"}, {"SnapshotId": ""}])
    def test_without_snapshot(self, type_name: str, values: dict[str, Any], ebs: Any) -> None:
        devices = [{"DeviceName": "vdb", "Ebs": ebs}]

        [problem] = problems(type_name, BlockDeviceMappings=devices, **values)

        assert problem.kind == "StackValidationFailed"
        assert problem.path[:2] == ("BlockDeviceMappings", 0)

    @pytest.mark.parametrize("devices", [None, [], Unknown([]), [Unknown({})]])
    def test_no_devices_to_see(self, type_name: str, values: dict[str, Any], devices: Any) -> None:
        assert not problems(type_name, BlockDeviceMappings=devices, **values)


class TestInstance:
    TYPE = "AWS::EC2::Instance"

    @pytest.mark.parametrize("name", ["SecurityGroups", "SecurityGroupIds"])
    def test_groups_and_interfaces(self, name: str) -> None:
        assert kinds(self.TYPE, NetworkInterfaces=["p"], **{name: ["g"]}) == ["ResourcePropertyConflict"]

    @pytest.mark.parametrize(
        "values",
        [
            {"SecurityGroups": [], "NetworkInterfaces": ["p"]},
            {"SecurityGroups": ["g"], "NetworkInterfaces": []},
            {"SecurityGroups": Unknown([]), "NetworkInterfaces": ["p"]},
            {"SubnetId": "s", "NetworkInterfaces": ["p"]},
        ],
    )
    def test_no_conflict(self, values: dict[str, Any]) -> None:
        assert not problems(self.TYPE, **values)


class TestEIPAssociation:
    TYPE = "AWS::EC2::EIPAssociation"

    @pytest.mark.parametrize(
        "values",
        [
            {"EIP": "10.0.0.1", "InstanceId": "i"},
            {"EIP": REFERENCE, "InstanceId": ATTRIBUTE},
            {"EIP": REFERENCE, "AllocationId": ATTRIBUTE, "InstanceId": "i"},
            {"AllocationId": "a", "InstanceId": "i"},
            {"AllocationId": "a", "NetworkInterfaceId": "p"},
            {"AllocationId": ATTRIBUTE, "NetworkInterfaceId": REFERENCE},
        ],
    )
    def test_complete(self, values: dict[str, Any]) -> None:
        assert not problems(self.TYPE, **values)

    @pytest.mark.parametrize("values", [{}, {"EIP": "10.0.0.1", "AllocationId": "a"}])
    def test_no_or_two_addresses(self, values: dict[str, Any]) -> None:
        assert kinds(self.TYPE, InstanceId="i", **values) == ["StackValidationFailed"]

    @pytest.mark.parametrize("values", [{}, {"NetworkInterfaceId": "p"}])
    def test_address_without_instance(self, values: dict[str, Any]) -> None:
        assert kinds(self.TYPE, EIP="10.0.0.1", **values) == ["StackValidationFailed"]

    def test_allocation_without_anything_to_connect(self) -> None:
        assert kinds(self.TYPE, AllocationId="a") == ["PropertyUnspecifiedError"]


class TestLoadBalancer:
    TYPE = "AWS::ElasticLoadBalancing::LoadBalancer"

    @pytest.mark.parametrize(("interval", "timeout"), [(5, 5), (6, 5), (Unknown(0), 5), (5, Unknown(0))])
    def test_check_ends_in_time(self, interval: Any, timeout: Any) -> None:
        assert not problems(self.TYPE, HealthCheck={"Interval": interval, "Timeout": timeout})

    def test_check_takes_longer_than_the_interval(self) -> None:
        assert kinds(self.TYPE, HealthCheck={"Interval": 4, "Timeout": 5}) == ["StackValidationFailed"]

    @pytest.mark.parametrize("check", [None, Unknown({})])
    def test_no_check_to_see(self, check: Any) -> None:
        assert not problems(self.TYPE, HealthCheck=check)


@dataclass
class Resource:
    name: str
    type_name: str
    values: dict[str, Any] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        return self.values.get(name)


@dataclass
class Resources:
    all: list[Resource]

    def of_type(self, type_name: str) -> Sequence[Peer]:
        return [peer for peer in self.all if peer.type_name == type_name]

    def having(self, type_name: str, name: str, value: Any) -> Sequence[Peer]:
        return [peer for peer in self.of_type(type_name) if peer.value(name) == value]

    def named(self, name: Any) -> Peer | None:
        return next((peer for peer in self.all if peer.name == name), None)


def test_gateway_waits_for_the_route_tables_of_its_network() -> None:
    attachment = Resource("gateway", "AWS::EC2::VPCGatewayAttachment", {"VpcId": "net"})
    own = Resource("own", "AWS::EC2::RouteTable", {"VpcId": "net"})
    foreign = Resource("foreign", "AWS::EC2::RouteTable", {"VpcId": "elsewhere"})

    assert list(VPCGatewayAttachment.waits_for(attachment, Resources([attachment, own, foreign]))) == ["own"]
