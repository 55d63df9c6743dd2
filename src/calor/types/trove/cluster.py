from calor.language.constraints import custom, length, range_
from calor.language.schema import SHOW, AtMostOne, Attribute, Property, Resolve, supported
from calor.types.rules import Each, OneGiven
from calor.types.trove.base import TroveType
from calor.types.trove.common import NETWORK, VersionOfDatastore


class Cluster(TroveType):
    type_name = "OS::Trove::Cluster"
    support = supported("2015.1")
    properties = {
        "name": Property(str, constraints=[length(max=255)]),
        "datastore_type": Property(str, required=True, constraints=[length(max=255)]),
        "datastore_version": Property(str, required=True, constraints=[length(max=255)]),
        "instances": Property(
            list,
            required=True,
            items=Property(
                dict,
                fields={
                    "flavor": Property(str, required=True, constraints=[custom("trove.flavor")]),
                    "volume_size": Property(int, required=True, constraints=[range_(1, 150)]),
                    "networks": Property(list, default=[], support=supported("10.0.0"), items=NETWORK),
                    "availability_zone": Property(str, support=supported("14.0.0")),
                },
            ),
        ),
    }
    attributes = {
        "instances": Attribute(list),
        "ip": Attribute(list),
        "show": SHOW,
    }
    translations = [
        Resolve(("instances", "networks", "network"), "neutron.network"),
        Resolve(("instances", "networks", "port"), "neutron.port"),
        Resolve(("instances", "flavor"), "nova.flavor"),
    ]
    rules = [
        VersionOfDatastore(),
        Each(
            "instances", [Each("networks", [OneGiven(("network", "port")), AtMostOne(("network", "port"))])]
        ),
    ]
