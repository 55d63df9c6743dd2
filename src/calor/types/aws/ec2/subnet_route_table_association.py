from calor.language.constraints import custom
from calor.language.schema import Property, ResourceType


class SubnetRouteTableAssociation(ResourceType):
    type_name = "AWS::EC2::SubnetRouteTableAssociation"
    service = "neutron"
    properties = {
        "RouteTableId": Property(str, required=True),
        "SubnetId": Property(str, required=True, constraints=[custom("neutron.subnet")]),
    }
