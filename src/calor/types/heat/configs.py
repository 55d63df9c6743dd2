"""What the types of software configuration have in common."""

from calor.language.constraints import one_of
from calor.language.schema import ANY, SHOW, Attribute, Property, ResourceType

VALUE_TYPE = Property(
    str, default="String", constraints=[one_of("String", "Number", "CommaDelimitedList", "Json", "Boolean")]
)

INPUTS = Property(
    list,
    items=Property(
        dict,
        fields={
            "name": Property(str, required=True),
            "description": Property(str),
            "type": VALUE_TYPE,
            "default": Property(ANY),
            "replace_on_change": Property(bool, default=False),
        },
    ),
)

OUTPUTS = Property(
    list,
    items=Property(
        dict,
        fields={
            "name": Property(str, required=True),
            "description": Property(str),
            "type": VALUE_TYPE,
            "error_output": Property(bool, default=False),
        },
    ),
)


class ConfigType(ResourceType):
    service = "heat"
    entity = "software_configs"
    attributes = {
        "config": Attribute(str),
        "show": SHOW,
    }
