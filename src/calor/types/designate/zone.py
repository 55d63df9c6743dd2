from collections.abc import Iterator

from calor.language.constraints import length, one_of, range_
from calor.language.schema import SHOW, Attribute, Problem, Property, Replace, deprecated, supported
from calor.resources.values import Properties
from calor.types.designate.base import DesignateType
from calor.types.rules import empty, visible


class NeededByType:
    """A zone kept here has a person to turn to, a copy has servers to copy from."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        match visible(given.get("type")):
            case "PRIMARY" if empty(given.get("email")):
                yield Problem("StackValidationFailed", "a zone of type PRIMARY needs email")
            case "SECONDARY" if empty(given.get("masters")):
                yield Problem("StackValidationFailed", "a zone of type SECONDARY needs primaries")


class Zone(DesignateType):
    type_name = "OS::Designate::Zone"
    support = supported("8.0.0")
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
    rules = [NeededByType()]
