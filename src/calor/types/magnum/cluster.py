from calor.language.constraints import custom, range_
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.magnum.base import MagnumType


class Cluster(MagnumType):
    type_name = "OS::Magnum::Cluster"
    support = supported("9.0.0")
    properties = {
        "name": Property(str),
        "cluster_template": Property(str, required=True, constraints=[custom("magnum.cluster_template")]),
        "keypair": Property(str, constraints=[custom("nova.keypair")]),
        "node_count": Property(int, default=1, update_allowed=True, constraints=[range_(min=1)]),
        "master_count": Property(int, default=1, update_allowed=True, constraints=[range_(min=1)]),
        "discovery_url": Property(str, update_allowed=True),
        "create_timeout": Property(int, default=60, update_allowed=True, constraints=[range_(min=0)]),
    }
    attributes = {
        "api_address": Attribute(str),
        "stack_id": Attribute(str),
        "coe_version": Attribute(str),
        "master_addresses": Attribute(list),
        "status": Attribute(str),
        "master_count": Attribute(int),
        "node_addresses": Attribute(list),
        "status_reason": Attribute(str),
        "node_count": Attribute(int),
        "name": Attribute(str),
        "container_version": Attribute(str),
        "discovery_url": Attribute(str),
        "cluster_template_id": Attribute(str),
        "keypair": Attribute(str),
        "create_timeout": Attribute(int),
        "show": SHOW,
    }
    translations = [Resolve(("cluster_template",), "magnum.cluster_template")]
