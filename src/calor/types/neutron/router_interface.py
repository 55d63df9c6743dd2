from calor.language.constraints import custom
from calor.language.schema import Property, Replace, Resolve, deprecated, exactly_one, hidden, supported
from calor.types.neutron.base import NeutronType


class RouterInterface(NeutronType):
    """Joins a subnet to a router.

    Give the subnet, and the router takes its gateway address; give a port instead to have another address.
    """

    type_name = "OS::Neutron::RouterInterface"
    extension = "router"
    properties = {
        "router": Property(
            str,
            "The router, by name or id, to be joined to.",
            required=True,
            constraints=[custom("neutron.router")],
        ),
        "router_id": Property(
            str,
            "Use router.",
            constraints=[custom("neutron.router")],
            support=hidden("6.0.0", deprecated("2015.1", supported("2013.1"))),
        ),
        "subnet_id": Property(
            str,
            "Use subnet.",
            constraints=[custom("neutron.subnet")],
            support=hidden("5.0.0", deprecated("2014.2")),
        ),
        "subnet": Property(
            str,
            "The subnet, by name or id, whose gateway the router becomes. Excludes port.",
            constraints=[custom("neutron.subnet")],
        ),
        "port_id": Property(
            str,
            "Use port.",
            constraints=[custom("neutron.port")],
            support=hidden("6.0.0", deprecated("2015.1", supported("2014.1"))),
        ),
        "port": Property(
            str,
            "An unused port, by name or id, whose address the router takes over. Excludes subnet.",
            constraints=[custom("neutron.port")],
            support=supported("2015.1"),
        ),
    }
    translations = [
        Replace(("port",), source=("port_id",)),
        Replace(("router",), source=("router_id",)),
        Replace(("subnet",), source=("subnet_id",)),
        Resolve(("port",), "find_resourceid_by_name_or_id", "port"),
        Resolve(("router",), "find_resourceid_by_name_or_id", "router"),
        Resolve(("subnet",), "find_resourceid_by_name_or_id", "subnet"),
    ]
    rules = exactly_one("subnet", "port")
