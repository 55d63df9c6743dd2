from calor.language.schema import Property, supported
from calor.types.heat.configs import INPUTS, OUTPUTS, ConfigType


class StructuredConfig(ConfigType):
    type_name = "OS::Heat::StructuredConfig"
    support = supported("2014.1")
    properties = {
        "group": Property(str, default="Heat::Ungrouped"),
        "options": Property(dict),
        "inputs": INPUTS,
        "outputs": OUTPUTS,
        "config": Property(dict),
    }
