from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Property, ResourceType, deprecated


class EIP(ResourceType):
    """A floating IP address from the external network.

    A reference to it gives the address itself. With several external networks, use OS::Neutron::FloatingIP,
    which can choose.
    """

    type_name = "AWS::EC2::EIP"
    service = "nova"
    properties = {
        "Domain": Property(
            str,
            "Has no effect: every address is one of a virtual network.",
            constraints=[one_of("vpc")],
            support=deprecated("9.0.0"),
        ),
        "InstanceId": Property(
            str,
            "The server that gets the address. Left out, the address is only reserved, for an "
            "AWS::EC2::EIPAssociation.",
            update_allowed=True,
            constraints=[custom("nova.server")],
        ),
    }
    attributes = {
        "AllocationId": Attribute(
            str, "The id of the floating IP, which AWS::EC2::EIPAssociation takes as its AllocationId."
        ),
        "show": SHOW,
    }
