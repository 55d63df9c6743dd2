from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Problem, Property, supported
from calor.language.values import bare
from calor.resources.context import Context, GroupContext
from calor.resources.values import JsonObject, Properties
from calor.types.aws.autoscaling.instance_group_base import MEMBER_TYPE, InstancesGroup, properties_of_server
from calor.types.aws.common import KEY_VALUE, ROLLING_UPDATE, EitherOr
from calor.types.heat.groups.scaled_group import AdjustableGroup
from calor.types.heat.groups.scaling_rules import SizesInOrder
from calor.types.heat.groups.sizes import Sizes


@dataclass(frozen=True, slots=True)
class NotNegative:
    name: str

    def problems(self, given: Properties) -> Iterator[Problem]:
        size = given.get(self.name)
        if isinstance(size, int) and size < 0:
            yield Problem("StackValidationFailed", f"{self.name} is less than zero", (self.name,))


@dataclass(frozen=True, slots=True)
class NoTwoSubnets:
    """Subnets have no availability zones, so several cannot be distinguished."""

    name: str

    def problems(self, given: Properties) -> Iterator[Problem]:
        subnets = given.get(self.name)
        if isinstance(subnets, list) and len(subnets) > 1:
            yield Problem("NotSupported", f"{self.name} can have one subnet only", (self.name,))


class AutoScalingGroup(InstancesGroup, AdjustableGroup):
    """Equal instances, their number controlled by scaling policies.

    Instances are defined by a launch configuration or is copied from an existing server. When the
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
            "A reference to the AWS::AutoScaling::LaunchConfiguration that defines the instances. "
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
            "cooldown takes precedence.",
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
            "Names of AWS::ElasticLoadBalancing::LoadBalancer resources of the same template, whose "
            "members are updated when the instances change.",
        ),
        "VPCZoneIdentifier": Property(
            list,
            "The subnet for the instances, as a list of exactly one. Needed where there are several.",
            items=Property(str),
        ),
        "Tags": Property(
            list,
            "Metadata for every instance. Tags with the group's name are added, so that metrics can be "
            "distinguished by group.",
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
    def sizes(cls, values: Properties) -> Sizes:
        return Sizes(values["MinSize"], values["MaxSize"], values["DesiredCapacity"])

    @classmethod
    def cooldown(cls, values: Properties) -> float:
        return values["Cooldown"] or 0

    @classmethod
    async def before_nested_stack(cls, ctx: Context, values: Properties) -> None:
        super().before_nested_stack(ctx, values)
        if values["InstanceId"]:
            ctx.set_data(instance=await properties_of_server(ctx, bare(values["InstanceId"])))

    @classmethod
    def definition(cls, ctx: GroupContext, values: Properties) -> JsonObject:
        if values["InstanceId"]:
            own = {**ctx.data["instance"], "Tags": cls.tags(ctx, values)}
            member: JsonObject = {"type": MEMBER_TYPE, "properties": own}
        else:
            member = super().definition(ctx, values)
        subnets = bare(values["VPCZoneIdentifier"])
        if subnets:
            member["properties"]["SubnetId"] = subnets[0]
        return member

    @classmethod
    def tags(cls, ctx: GroupContext, values: Properties) -> list[JsonObject]:
        tags = super().tags(ctx, values)
        return [*tags, {"Key": "metering.AutoScalingGroupName", "Value": ctx.physical_name()}]
