from calor.language.constraints import custom, one_of
from calor.language.schema import Property, Resolve, supported
from calor.types.keystone.base import KeystoneType


class Endpoint(KeystoneType):
    type_name = "OS::Keystone::Endpoint"
    support = supported("5.0.0")
    entity = "endpoints"
    properties = {
        "name": Property(str, update_allowed=True),
        "region": Property(str, update_allowed=True, constraints=[custom("keystone.region")]),
        "service": Property(
            str, required=True, update_allowed=True, constraints=[custom("keystone.service")]
        ),
        "interface": Property(
            str, required=True, update_allowed=True, constraints=[one_of("public", "internal", "admin")]
        ),
        "url": Property(str, required=True, update_allowed=True),
        "enabled": Property(bool, default=True, update_allowed=True, support=supported("6.0.0")),
    }
    translations = [
        Resolve(("service",), "get_service_id"),
        Resolve(("region",), "get_region_id"),
    ]
