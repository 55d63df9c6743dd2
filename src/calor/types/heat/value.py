from calor.language.constraints import one_of
from calor.language.schema import ANY, SHOW, Attribute, Property, ResourceType, supported


class Value(ResourceType):
    type_name = "OS::Heat::Value"
    support = supported("7.0.0")
    properties = {
        "value": Property(ANY, required=True, update_allowed=True),
        "type": Property(
            str,
            update_allowed=True,
            constraints=[one_of("string", "number", "comma_delimited_list", "json", "boolean")],
        ),
    }
    attributes = {
        "value": Attribute(),
        "show": SHOW,
    }
