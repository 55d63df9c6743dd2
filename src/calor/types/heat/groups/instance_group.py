from __future__ import annotations

from calor.language.schema import SHOW, Attribute, Property
from calor.resources.values import Properties
from calor.types.aws.autoscaling.instance_group_base import InstancesGroup
from calor.types.aws.common import KEY_VALUE, ROLLING_UPDATE
from calor.types.heat.groups.sizes import Sizes


class InstanceGroup(InstancesGroup):
    """A fixed number of equal instances made from a launch configuration.

    Its size is only changed by the template; AWS::AutoScaling::AutoScalingGroup adds scaling. For members of
    other types than instances use OS::Heat::ResourceGroup.
    """

    type_name = "OS::Heat::InstanceGroup"
    properties = {
        "AvailabilityZones": Property(
            list, "Must be given, as in CloudFormation, but has no effect.", required=True
        ),
        "LaunchConfigurationName": Property(
            str,
            "A reference to the AWS::AutoScaling::LaunchConfiguration that defines the instances. Its "
            "bare name is not enough. A change replaces the instances according to the update policy.",
            required=True,
            update_allowed=True,
        ),
        "Size": Property(int, "How many instances there are.", required=True, update_allowed=True),
        "LoadBalancerNames": Property(
            list,
            "Names of AWS::ElasticLoadBalancing::LoadBalancer resources of the same template, whose "
            "members are updated when the instances change.",
        ),
        "Tags": Property(
            list,
            "Metadata for every instance. Unless one of the keys starts with `metering.`, a tag "
            "`metering.groupname` is added.",
            items=Property(dict, fields=KEY_VALUE),
        ),
    }
    attributes = {
        "InstanceList": Attribute(str, "The addresses of the instances, separated by commas."),
        "show": SHOW,
    }
    update_policy = {
        "RollingUpdate": ROLLING_UPDATE,
    }
    update_policy_name = "RollingUpdate"

    @classmethod
    def sizes(cls, values: Properties) -> Sizes:
        return Sizes(values["Size"], values["Size"], values["Size"])
