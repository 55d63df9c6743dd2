from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, supported
from calor.types.cinder.base import CinderType


class QoSAssociation(CinderType):
    type_name = "OS::Cinder::QoSAssociation"
    support = supported("8.0.0")
    extension = "qos-specs"
    properties = {
        "qos_specs": Property(str, required=True, constraints=[custom("cinder.qos_specs")]),
        "volume_types": Property(
            list,
            required=True,
            update_allowed=True,
            items=Property(str, constraints=[custom("cinder.vtype")]),
        ),
    }
    translations = [
        Resolve(("volume_types",), "get_volume_type"),
        Resolve(("qos_specs",), "get_qos_specs"),
    ]
