from calor.language.schema import Property, ResourceType

RULE = Property(
    dict,
    fields={
        "CidrIp": Property(str),
        "FromPort": Property(str),
        "ToPort": Property(str),
        "IpProtocol": Property(str),
        "SourceSecurityGroupId": Property(str),
        "SourceSecurityGroupName": Property(str),
        "SourceSecurityGroupOwnerId": Property(str, implemented=False),
    },
)


class SecurityGroup(ResourceType):
    type_name = "AWS::EC2::SecurityGroup"
    properties = {
        "GroupDescription": Property(str, required=True),
        "VpcId": Property(str),
        "SecurityGroupIngress": Property(list, update_allowed=True, items=RULE),
        "SecurityGroupEgress": Property(list, update_allowed=True, items=RULE),
    }
