from calor.language.constraints import custom
from calor.language.schema import Property
from calor.types.neutron.base import NeutronType


class FloatingIPAssociation(NeutronType):
    type_name = "OS::Neutron::FloatingIPAssociation"
    properties = {
        "floatingip_id": Property(str, required=True, update_allowed=True),
        "port_id": Property(str, required=True, update_allowed=True, constraints=[custom("neutron.port")]),
        "fixed_ip_address": Property(str, update_allowed=True, constraints=[custom("ip_addr")]),
    }
