from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property
from calor.types.base import NestedStackType


class LoadBalancer(NestedStackType):
    type_name = "AWS::ElasticLoadBalancing::LoadBalancer"
    properties = {
        "AvailabilityZones": Property(list, required=True),
        "HealthCheck": Property(
            dict,
            fields={
                "HealthyThreshold": Property(int, required=True),
                "Interval": Property(int, required=True),
                "Target": Property(str, required=True),
                "Timeout": Property(int, required=True),
                "UnhealthyThreshold": Property(int, required=True),
            },
        ),
        "Instances": Property(list, update_allowed=True),
        "Listeners": Property(
            list,
            required=True,
            items=Property(
                dict,
                fields={
                    "InstancePort": Property(int, required=True),
                    "LoadBalancerPort": Property(int, required=True),
                    "Protocol": Property(str, required=True, constraints=[one_of("TCP", "HTTP")]),
                    "SSLCertificateId": Property(str, implemented=False),
                    "PolicyNames": Property(list, implemented=False),
                },
            ),
        ),
        "AppCookieStickinessPolicy": Property(str, implemented=False),
        "LBCookieStickinessPolicy": Property(str, implemented=False),
        "SecurityGroups": Property(list, update_allowed=True),
        "Subnets": Property(list, implemented=False),
    }
    attributes = {
        "CanonicalHostedZoneName": Attribute(str),
        "CanonicalHostedZoneNameID": Attribute(str),
        "DNSName": Attribute(str),
        "SourceSecurityGroup.GroupName": Attribute(str),
        "SourceSecurityGroup.OwnerAlias": Attribute(str),
        "show": SHOW,
    }
