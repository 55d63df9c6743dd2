from calor.language.constraints import custom, range_
from calor.language.schema import Property, Resolve, supported
from calor.types.neutron.base import NeutronType
from calor.types.neutron.common import NETWORK_TYPES


class Segment(NeutronType):
    type_name = "OS::Neutron::Segment"
    support = supported("9.0.0")
    extension = "segment"
    properties = {
        "network": Property(str, required=True, constraints=[custom("neutron.network")]),
        "network_type": Property(str, required=True, constraints=[NETWORK_TYPES]),
        "physical_network": Property(str),
        "segmentation_id": Property(int, constraints=[range_(min=1)]),
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
    }
    translations = [Resolve(("network",), "find_resourceid_by_name_or_id", "network")]
