from calor.language.constraints import one_of
from calor.language.schema import Property, supported
from calor.types.nova.base import NovaType


class ServerGroup(NovaType):
    type_name = "OS::Nova::ServerGroup"
    support = supported("2014.2")
    entity = "server_groups"
    properties = {
        "name": Property(str),
        "policies": Property(
            list,
            default=["anti-affinity"],
            constraints=[one_of("anti-affinity", "affinity", "soft-anti-affinity", "soft-affinity")],
            items=Property(str),
        ),
        "rules": Property(
            dict,
            support=supported("17.0.0"),
            fields={
                "max_server_per_host": Property(float),
            },
        ),
    }
