from calor.language.constraints import custom, one_of, range_
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.neutron.base import NeutronType


class Trunk(NeutronType):
    type_name = "OS::Neutron::Trunk"
    support = supported("9.0.0")
    extension = "trunk"
    entity = "trunk"
    properties = {
        "name": Property(str, update_allowed=True),
        "port": Property(str, required=True, immutable=True, constraints=[custom("neutron.port")]),
        "sub_ports": Property(
            list,
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "port": Property(str, required=True, constraints=[custom("neutron.port")]),
                    "segmentation_type": Property(str, required=True, constraints=[one_of("vlan")]),
                    "segmentation_id": Property(int, required=True, constraints=[range_(1, 4094)]),
                },
            ),
        ),
        "description": Property(str, update_allowed=True),
        "admin_state_up": Property(bool, update_allowed=True),
    }
    attributes = {
        "port_id": Attribute(str),
        "show": SHOW,
    }
    translations = [
        Resolve(("port",), "find_resourceid_by_name_or_id", "port"),
        Resolve(("sub_ports", "port"), "find_resourceid_by_name_or_id", "port"),
    ]
