from calor.language.schema import Property, ResourceType


class VPCGatewayAttachment(ResourceType):
    type_name = "AWS::EC2::VPCGatewayAttachment"
    service = "neutron"
    properties = {
        "VpcId": Property(str, required=True),
        "InternetGatewayId": Property(str),
        "VpnGatewayId": Property(str, implemented=False),
    }
