from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Problem, Property, supported
from calor.language.values import bare
from calor.types.aws.autoscaling.instances import MEMBER_TYPE, InstancesGroup, like_server
from calor.types.aws.common import KEY_VALUE, ROLLING_UPDATE, EitherOr
from calor.types.behaviour import Context
from calor.types.heat.scaled import AdjustableGroup
from calor.types.heat.scaling import SizesInOrder
from calor.types.heat.sizing import Sizes


@dataclass(frozen=True, slots=True)
class NotNegative:
    name: str

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        size = given.get(self.name)
        if isinstance(size, int) and size < 0:
            yield Problem("StackValidationFailed", f"{self.name} is less than zero", (self.name,))


@dataclass(frozen=True, slots=True)
class NoTwoSubnets:
    """Subnets know nothing of availability zones, so there is no way to choose among several."""

    name: str

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        subnets = given.get(self.name)
        if isinstance(subnets, list) and len(subnets) > 1:
            yield Problem("NotSupported", f"{self.name} can have one subnet only", (self.name,))


class AutoScalingGroup(InstancesGroup, AdjustableGroup):
    """Equal instances, as many as scaling policies ask for.

    What an instance is like comes from a launch configuration or is copied from an existing server. When the
    group shrinks, failed instances go first, then the oldest. OS::Heat::AutoScalingGroup scales resources of
    any type.
    """

    type_name = "AWS::AutoScaling::AutoScalingGroup"
    support = supported("2014.1")
    adopted_data = ("instance",)
    properties = {
        "AvailabilityZones": Property(
            list, "Must be given, as in CloudFormation, but has no effect.", required=True
        ),
        "LaunchConfigurationName": Property(
            str,
            "A reference to the AWS::AutoScaling::LaunchConfiguration that says what an instance is like. "
            "Its bare name is not enough. Give either this or InstanceId.",
            update_allowed=True,
        ),
        "InstanceId": Property(
            str,
            "An existing server whose image, flavor, key pair and security groups the instances take over.",
            constraints=[custom("nova.server")],
        ),
        "MaxSize": Property(
            int,
            "The group never grows past this number of instances, whatever a policy demands.",
            required=True,
            update_allowed=True,
        ),
        "MinSize": Property(
            int,
            "The group never shrinks below this number of instances.",
            required=True,
            update_allowed=True,
        ),
        "Cooldown": Property(
            int,
            "Seconds after a change of size during which further scaling is ignored. A policy's own "
            "cooldown goes first.",
            update_allowed=True,
        ),
        "DesiredCapacity": Property(
            int,
            "The number of instances at the start; MinSize when left out. When given, every update of the "
            "stack sets the group back to it.",
            update_allowed=True,
        ),
        "HealthCheckGracePeriod": Property(int, implemented=False),
        "HealthCheckType": Property(str, constraints=[one_of("EC2", "ELB")], implemented=False),
        "LoadBalancerNames": Property(
            list,
            "Names of AWS::ElasticLoadBalancing::LoadBalancer resources of the same template, which are "
            "told about the instances whenever these change.",
        ),
        "VPCZoneIdentifier": Property(
            list,
            "The subnet for the instances, as a list of exactly one. Needed where there are several.",
            items=Property(str),
        ),
        "Tags": Property(
            list,
            "Metadata for every instance. Tags with the group's name are added, so that metrics can be told "
            "apart by group.",
            items=Property(dict, fields=KEY_VALUE),
        ),
    }
    attributes = {
        "InstanceList": Attribute(str, "The addresses of the instances, separated by commas."),
        "show": SHOW,
    }
    update_policy = {
        "AutoScalingRollingUpdate": ROLLING_UPDATE,
    }
    rules = [
        SizesInOrder("MinSize", "MaxSize", "DesiredCapacity"),
        NotNegative("MinSize"),
        NoTwoSubnets("VPCZoneIdentifier"),
        EitherOr("InstanceId", "LaunchConfigurationName"),
    ]
    update_policy_name = "AutoScalingRollingUpdate"

    @classmethod
    def sizes(cls, values: Mapping[str, Any]) -> Sizes:
        return Sizes(values["MinSize"], values["MaxSize"], values["DesiredCapacity"])

    @classmethod
    def cooldown(cls, values: Mapping[str, Any]) -> float:
        return values["Cooldown"] or 0

    @classmethod
    async def prepare(cls, ctx: Context, values: Mapping[str, Any]) -> None:
        super().prepare(ctx, values)
        if values["InstanceId"]:
            ctx.note(instance=await like_server(ctx, bare(values["InstanceId"])))

    @classmethod
    def definition(cls, ctx: Context, values: Mapping[str, Any]) -> dict[str, Any]:
        if values["InstanceId"]:
            own = {**ctx.data["instance"], "Tags": cls.tags(ctx, values)}
            member: dict[str, Any] = {"type": MEMBER_TYPE, "properties": own}
        else:
            member = super().definition(ctx, values)
        subnets = bare(values["VPCZoneIdentifier"])
        if subnets:
            member["properties"]["SubnetId"] = subnets[0]
        return member

    @classmethod
    def tags(cls, ctx: Context, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        tags = super().tags(ctx, values)
        return [*tags, {"Key": "metering.AutoScalingGroupName", "Value": ctx.physical_name()}]
