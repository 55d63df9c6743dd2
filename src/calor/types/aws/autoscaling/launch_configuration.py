from calor.language.constraints import custom
from calor.language.schema import Property, ResourceType
from calor.types.aws.common import BLOCK_DEVICE, KEY_VALUE


class LaunchConfiguration(ResourceType):
    type_name = "AWS::AutoScaling::LaunchConfiguration"
    properties = {
        "ImageId": Property(str, constraints=[custom("glance.image")]),
        "InstanceType": Property(str, constraints=[custom("nova.flavor")]),
        "InstanceId": Property(str, constraints=[custom("nova.server")]),
        "KeyName": Property(str, constraints=[custom("nova.keypair")]),
        "UserData": Property(str),
        "SecurityGroups": Property(list),
        "KernelId": Property(str, implemented=False),
        "RamDiskId": Property(str, implemented=False),
        "BlockDeviceMappings": Property(list, items=BLOCK_DEVICE),
        "NovaSchedulerHints": Property(list, items=Property(dict, fields=KEY_VALUE)),
    }
