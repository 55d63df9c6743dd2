from calor.language.schema import Property, supported
from calor.types.cinder.base import CinderType


class QoSSpecs(CinderType):
    type_name = "OS::Cinder::QoSSpecs"
    support = supported("7.0.0")
    extension = "qos-specs"
    entity = "qos_specs"
    properties = {
        "name": Property(str),
        "specs": Property(dict, required=True, update_allowed=True),
    }
