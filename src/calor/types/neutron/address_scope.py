from calor.language.constraints import custom, one_of
from calor.language.schema import Property, supported
from calor.types.neutron.base import NeutronType


class AddressScope(NeutronType):
    type_name = "OS::Neutron::AddressScope"
    support = supported("6.0.0")
    extension = "address-scope"
    entity = "address_scope"
    properties = {
        "name": Property(str, update_allowed=True),
        "shared": Property(bool, default=False, update_allowed=True),
        "tenant_id": Property(str, constraints=[custom("keystone.project")]),
        "ip_version": Property(int, default=4, constraints=[one_of(4, 6)]),
    }
