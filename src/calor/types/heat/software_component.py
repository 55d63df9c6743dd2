from calor.language.constraints import length
from calor.language.schema import Property, supported
from calor.types.heat.configs import INPUTS, OUTPUTS, ConfigType


class SoftwareComponent(ConfigType):
    type_name = "OS::Heat::SoftwareComponent"
    support = supported("2014.2")
    properties = {
        "configs": Property(
            list,
            required=True,
            constraints=[length(min=1)],
            items=Property(
                dict,
                fields={
                    "actions": Property(
                        list, default=["CREATE", "UPDATE"], constraints=[length(min=1)], items=Property(str)
                    ),
                    "config": Property(str),
                    "tool": Property(str, required=True),
                },
            ),
        ),
        "inputs": INPUTS,
        "outputs": OUTPUTS,
        "options": Property(dict),
    }
