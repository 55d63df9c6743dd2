from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.blazar.base import BlazarType


class Host(BlazarType):
    type_name = "OS::Blazar::Host"
    support = supported("12.0.0")
    properties = {
        "name": Property(str, required=True),
        "extra_capability": Property(dict),
    }
    attributes = {
        "hypervisor_hostname": Attribute(str),
        "hypervisor_type": Attribute(str),
        "hypervisor_version": Attribute(int),
        "vcpus": Attribute(int),
        "cpu_info": Attribute(dict),
        "memory_mb": Attribute(int),
        "local_gb": Attribute(int),
        "service_name": Attribute(str),
        "reservable": Attribute(bool),
        "status": Attribute(str),
        "trust_id": Attribute(str),
        "extra_capability": Attribute(dict),
        "created_at": Attribute(str),
        "updated_at": Attribute(str),
        "show": SHOW,
    }
