from calor.language.constraints import length, one_of, range_
from calor.language.schema import SHOW, Attribute, Property, Replace, deprecated, supported
from calor.types.designate.base import DesignateType


class Zone(DesignateType):
    type_name = "OS::Designate::Zone"
    support = supported("8.0.0")
    entity = "zones"
    properties = {
        "name": Property(str, required=True, constraints=[length(max=255)]),
        "ttl": Property(int, update_allowed=True, constraints=[range_(1, 2147483647)]),
        "description": Property(str, update_allowed=True, constraints=[length(max=160)]),
        "email": Property(str, update_allowed=True),
        "type": Property(str, default="PRIMARY", constraints=[one_of("PRIMARY", "SECONDARY")]),
        "masters": Property(list, update_allowed=True, support=deprecated("15.0.0")),
        "primaries": Property(list, update_allowed=True),
        "attributes": Property(dict, support=supported("24.0.0")),
    }
    attributes = {
        "serial": Attribute(str),
        "show": SHOW,
    }
    translations = [Replace(("masters",), sibling="primaries")]
