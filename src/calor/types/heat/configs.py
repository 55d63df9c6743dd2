"""What the types of software configuration have in common."""

from calor.language.constraints import one_of
from calor.language.schema import ANY, SHOW, Attribute, Property, ResourceType

VALUE_TYPE = Property(
    str,
    "The kind of value. Agents and user interfaces may use it; nothing is converted here.",
    default="String",
    constraints=[one_of("String", "Number", "CommaDelimitedList", "Json", "Boolean")],
)

INPUTS = Property(
    list,
    "The values that the configuration wants from the deployments that use it.",
    items=Property(
        dict,
        fields={
            "name": Property(
                str,
                "How a deployment's input_values address the input, and how the script sees it: usually as "
                "an environment variable.",
                required=True,
            ),
            "description": Property(str, "A note for people; has no effect."),
            "type": VALUE_TYPE,
            "default": Property(ANY, "Taken when a deployment gives no value."),
            "replace_on_change": Property(
                bool,
                "Whether a deployment is replaced, rather than updated, when its value of this input "
                "changes.",
                default=False,
            ),
        },
    ),
)

OUTPUTS = Property(
    list,
    "The values that the server reports once the configuration has been applied. Each becomes an attribute "
    "of the deployment.",
    items=Property(
        dict,
        fields={
            "name": Property(
                str, "The attribute of the deployment that holds the reported value.", required=True
            ),
            "description": Property(str, "A note for people; has no effect."),
            "type": VALUE_TYPE,
            "error_output": Property(
                bool,
                "Whether the deployment has failed when the server reports a value under this name. The "
                "value then is part of the failure's reason.",
                default=False,
            ),
        },
    ),
)


class ConfigType(ResourceType):
    service = "heat"
    entity = "software_configs"
    attributes = {
        "config": Attribute(str, "The configuration as it was stored."),
        "show": SHOW,
    }
