from calor.language.schema import Property, ResourceType

RULE = Property(
    dict,
    fields={
        "CidrIp": Property(
            str,
            "The addresses on the other side, such as `10.0.0.0/8`. Only used together with a port; left "
            "out, all are meant.",
        ),
        "FromPort": Property(
            str, "The first port of the range; for ICMP the type. Left out or negative, any port is meant."
        ),
        "ToPort": Property(
            str, "The last port of the range; for ICMP the code. Left out or negative, any port is meant."
        ),
        "IpProtocol": Property(str, "The protocol: `tcp`, `udp`, `icmp` or a number. `-1` means any."),
        "SourceSecurityGroupId": Property(
            str, "A security group whose members are the other side, instead of CidrIp."
        ),
        "SourceSecurityGroupName": Property(
            str, "The same by name. Only looked at when SourceSecurityGroupId is left out."
        ),
        "SourceSecurityGroupOwnerId": Property(str, implemented=False),
    },
)


class SecurityGroup(ResourceType):
    """A set of rules about which traffic may reach or leave the servers in it.

    What no rule allows is dropped. OS::Neutron::SecurityGroup knows more kinds of rules.
    """

    type_name = "AWS::EC2::SecurityGroup"
    properties = {
        "GroupDescription": Property(str, "A note for people; has no effect.", required=True),
        "VpcId": Property(str, "Has no effect: a group is valid in all networks of the project."),
        "SecurityGroupIngress": Property(
            list,
            "The traffic that is let in. Left out, nothing is.",
            update_allowed=True,
            items=RULE,
        ),
        "SecurityGroupEgress": Property(
            list,
            "The traffic that is let out. Left out, everything is.",
            update_allowed=True,
            items=RULE,
        ),
    }
