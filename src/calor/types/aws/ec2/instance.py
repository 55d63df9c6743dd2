from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Property, ResourceType
from calor.types.aws.common import BLOCK_DEVICE, KEY_VALUE


class Instance(ResourceType):
    type_name = "AWS::EC2::Instance"
    service = "nova"
    name_limit = 53
    properties = {
        "ImageId": Property(str, required=True, constraints=[custom("glance.image")]),
        "InstanceType": Property(
            str, required=True, update_allowed=True, constraints=[custom("nova.flavor")]
        ),
        "KeyName": Property(str, constraints=[custom("nova.keypair")]),
        "AvailabilityZone": Property(str),
        "DisableApiTermination": Property(str, implemented=False),
        "KernelId": Property(str, implemented=False),
        "Monitoring": Property(bool, implemented=False),
        "PlacementGroupName": Property(str, implemented=False),
        "PrivateIpAddress": Property(str, implemented=False),
        "RamDiskId": Property(str, implemented=False),
        "SecurityGroups": Property(list),
        "SecurityGroupIds": Property(list),
        "NetworkInterfaces": Property(list, update_allowed=True),
        "SourceDestCheck": Property(bool, implemented=False),
        "SubnetId": Property(str, update_allowed=True),
        "Tags": Property(list, update_allowed=True, items=Property(dict, fields=KEY_VALUE)),
        "NovaSchedulerHints": Property(list, items=Property(dict, fields=KEY_VALUE)),
        "Tenancy": Property(str, constraints=[one_of("dedicated", "default")], implemented=False),
        "UserData": Property(str),
        "Volumes": Property(
            list,
            default=[],
            items=Property(
                dict,
                fields={
                    "Device": Property(str, required=True),
                    "VolumeId": Property(str, required=True, constraints=[custom("cinder.volume")]),
                },
            ),
        ),
        "BlockDeviceMappings": Property(list, items=BLOCK_DEVICE),
    }
    attributes = {
        "AvailabilityZone": Attribute(str),
        "PrivateDnsName": Attribute(str),
        "PublicDnsName": Attribute(str),
        "PrivateIp": Attribute(str),
        "PublicIp": Attribute(str),
        "show": SHOW,
    }
