from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.neutron.network_object import NetworkObject


class MeteringLabel(NetworkObject):
    type_name = "OS::Neutron::MeteringLabel"
    support = supported("2014.1")
    collection = ("metering", "metering-labels")
    wrapper = "metering_label"
    properties = {
        "name": Property(str),
        "description": Property(str),
        "shared": Property(bool, default=False, support=supported("2015.1")),
    }
    attributes = {
        "name": Attribute(str),
        "description": Attribute(str),
        "shared": Attribute(str),
        "show": SHOW,
    }
