from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.resources.contract import ResourceType


class Port(ResourceType):
    type_name = "OS::Ironic::Port"
    support = supported("13.0.0")
    service = "ironic"
    properties = {
        "node": Property(str, required=True, update_allowed=True, constraints=[custom("ironic.node")]),
        "address": Property(str, required=True, update_allowed=True),
        "portgroup": Property(str, update_allowed=True, constraints=[custom("ironic.portgroup")]),
        "local_link_connection": Property(dict, update_allowed=True),
        "pxe_enabled": Property(bool, update_allowed=True),
        "physical_network": Property(str, update_allowed=True),
        "extra": Property(dict, update_allowed=True),
        "is_smartnic": Property(bool, update_allowed=True),
    }
    attributes = {
        "address": Attribute(str),
        "node_uuid": Attribute(str),
        "portgroup_uuid": Attribute(str),
        "local_link_connection": Attribute(dict),
        "pxe_enabled": Attribute(bool),
        "physical_network": Attribute(str),
        "internal_info": Attribute(dict),
        "extra": Attribute(dict),
        "is_smartnic": Attribute(bool),
        "show": SHOW,
    }
    translations = [
        Resolve(("node",), "ironic.node"),
        Resolve(("portgroup",), "ironic.portgroup"),
    ]
