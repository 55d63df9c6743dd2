from calor.language.constraints import custom
from calor.language.schema import Property, Replace, Resolve, deprecated, hidden, supported
from calor.types.neutron.base import NeutronType


class RouterInterface(NeutronType):
    type_name = "OS::Neutron::RouterInterface"
    extension = "router"
    properties = {
        "router": Property(str, required=True, constraints=[custom("neutron.router")]),
        "router_id": Property(
            str,
            constraints=[custom("neutron.router")],
            support=hidden("6.0.0", deprecated("2015.1", supported("2013.1"))),
        ),
        "subnet_id": Property(
            str, constraints=[custom("neutron.subnet")], support=hidden("5.0.0", deprecated("2014.2"))
        ),
        "subnet": Property(str, constraints=[custom("neutron.subnet")]),
        "port_id": Property(
            str,
            constraints=[custom("neutron.port")],
            support=hidden("6.0.0", deprecated("2015.1", supported("2014.1"))),
        ),
        "port": Property(str, constraints=[custom("neutron.port")], support=supported("2015.1")),
    }
    translations = [
        Replace(("port",), source=("port_id",)),
        Replace(("router",), source=("router_id",)),
        Replace(("subnet",), source=("subnet_id",)),
        Resolve(("port",), "find_resourceid_by_name_or_id", "port"),
        Resolve(("router",), "find_resourceid_by_name_or_id", "router"),
        Resolve(("subnet",), "find_resourceid_by_name_or_id", "subnet"),
    ]
