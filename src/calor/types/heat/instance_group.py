from calor.language.schema import SHOW, Attribute, Property
from calor.types.aws.common import KEY_VALUE, ROLLING_UPDATE
from calor.types.base import NestedStackType


class InstanceGroup(NestedStackType):
    type_name = "OS::Heat::InstanceGroup"
    properties = {
        "AvailabilityZones": Property(list, required=True),
        "LaunchConfigurationName": Property(str, required=True, update_allowed=True),
        "Size": Property(int, required=True, update_allowed=True),
        "LoadBalancerNames": Property(list),
        "Tags": Property(list, items=Property(dict, fields=KEY_VALUE)),
    }
    attributes = {
        "InstanceList": Attribute(str),
        "show": SHOW,
    }
    update_policy = {
        "RollingUpdate": ROLLING_UPDATE,
    }
