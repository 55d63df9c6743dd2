from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property
from calor.types.neutron.network_object import NetworkObject
from calor.types.neutron.vpn.vpn_base import AUTH_ALGORITHMS, ENCRYPTION_ALGORITHMS, LIFETIME, PFS_GROUPS


class IKEPolicy(NetworkObject):
    type_name = "OS::Neutron::IKEPolicy"
    extension = "vpnaas"
    collection = ("vpn", "ikepolicies")
    wrapper = "ikepolicy"
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "auth_algorithm": Property(str, default="sha1", update_allowed=True, constraints=[AUTH_ALGORITHMS]),
        "encryption_algorithm": Property(
            str, default="aes-128", update_allowed=True, constraints=[ENCRYPTION_ALGORITHMS]
        ),
        "phase1_negotiation_mode": Property(str, default="main", constraints=[one_of("main")]),
        "lifetime": Property(dict, update_allowed=True, fields=LIFETIME),
        "pfs": Property(str, default="group5", update_allowed=True, constraints=[PFS_GROUPS]),
        "ike_version": Property(str, default="v1", update_allowed=True, constraints=[one_of("v1", "v2")]),
    }
    attributes = {
        "auth_algorithm": Attribute(str),
        "description": Attribute(str),
        "encryption_algorithm": Attribute(str),
        "ike_version": Attribute(str),
        "lifetime": Attribute(dict),
        "name": Attribute(str),
        "pfs": Attribute(str),
        "phase1_negotiation_mode": Attribute(str),
        "tenant_id": Attribute(str),
        "show": SHOW,
    }
