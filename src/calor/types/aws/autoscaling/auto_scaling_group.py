from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.aws.common import KEY_VALUE, ROLLING_UPDATE
from calor.types.base import NestedStackType


class AutoScalingGroup(NestedStackType):
    type_name = "AWS::AutoScaling::AutoScalingGroup"
    support = supported("2014.1")
    properties = {
        "AvailabilityZones": Property(list, required=True),
        "LaunchConfigurationName": Property(str, update_allowed=True),
        "InstanceId": Property(str, constraints=[custom("nova.server")]),
        "MaxSize": Property(int, required=True, update_allowed=True),
        "MinSize": Property(int, required=True, update_allowed=True),
        "Cooldown": Property(int, update_allowed=True),
        "DesiredCapacity": Property(int, update_allowed=True),
        "HealthCheckGracePeriod": Property(int, implemented=False),
        "HealthCheckType": Property(str, constraints=[one_of("EC2", "ELB")], implemented=False),
        "LoadBalancerNames": Property(list),
        "VPCZoneIdentifier": Property(list, items=Property(str)),
        "Tags": Property(list, items=Property(dict, fields=KEY_VALUE)),
    }
    attributes = {
        "InstanceList": Attribute(str),
        "show": SHOW,
    }
    update_policy = {
        "AutoScalingRollingUpdate": ROLLING_UPDATE,
    }
