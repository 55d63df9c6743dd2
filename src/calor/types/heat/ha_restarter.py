from calor.language.schema import SHOW, Attribute, Property, deprecated, hidden
from calor.types.base import SignalledType


class HARestarter(SignalledType):
    """Deletes a resource of the same stack and creates it anew, with its dependants, when signalled."""

    type_name = "OS::Heat::HARestarter"
    support = hidden("10.0.0", deprecated("2015.1"))
    properties = {
        "InstanceId": Property(str, "The name in the template, or the id, of the resource.", required=True),
    }
    attributes = {
        "AlarmUrl": Attribute(str, "A pre-signed URL that signals the resource."),
        "show": SHOW,
    }
