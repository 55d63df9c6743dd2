from calor.language.constraints import custom
from calor.language.schema import Property, deprecated, hidden, supported
from calor.types.nova.base import NovaType


class FloatingIPAssociation(NovaType):
    """Gives a floating address to a server.

    It dates from the time when the compute service had networks of its own. Use
    OS::Neutron::FloatingIPAssociation, or floating_ip in the server's networks.
    """

    type_name = "OS::Nova::FloatingIPAssociation"
    support = hidden("11.0.0", deprecated("9.0.0", supported("2014.1")))
    properties = {
        "server_id": Property(
            str,
            "The server that gets the address. It must have a port on a network that a router links to the "
            "address's network.",
            required=True,
            update_allowed=True,
            constraints=[custom("nova.server")],
        ),
        "floating_ip": Property(
            str, "The id of the floating address, not the address itself.", required=True, update_allowed=True
        ),
    }
