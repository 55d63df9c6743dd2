from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property
from calor.types.neutron.network_object import NetworkObject
from calor.types.neutron.vpn.vpn_base import AUTH_ALGORITHMS, ENCRYPTION_ALGORITHMS, LIFETIME, PFS_GROUPS


class IPsecPolicy(NetworkObject):
    type_name = "OS::Neutron::IPsecPolicy"
    extension = "vpnaas"
    collection = ("vpn", "ipsecpolicies")
    wrapper = "ipsecpolicy"
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "transform_protocol": Property(str, default="esp", constraints=[one_of("esp", "ah", "ah-esp")]),
        "encapsulation_mode": Property(str, default="tunnel", constraints=[one_of("tunnel", "transport")]),
        "auth_algorithm": Property(str, default="sha1", constraints=[AUTH_ALGORITHMS]),
        "encryption_algorithm": Property(str, default="aes-128", constraints=[ENCRYPTION_ALGORITHMS]),
        "lifetime": Property(dict, fields=LIFETIME),
        "pfs": Property(str, default="group5", constraints=[PFS_GROUPS]),
    }
    attributes = {
        "auth_algorithm": Attribute(str),
        "description": Attribute(str),
        "encapsulation_mode": Attribute(str),
        "encryption_algorithm": Attribute(str),
        "lifetime": Attribute(dict),
        "name": Attribute(str),
        "pfs": Attribute(str),
        "tenant_id": Attribute(str),
        "transform_protocol": Attribute(str),
        "show": SHOW,
    }
