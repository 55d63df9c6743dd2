from calor.language.schema import Property, supported
from calor.types.heat.configs import INPUTS, OUTPUTS, ConfigType


class SoftwareConfig(ConfigType):
    type_name = "OS::Heat::SoftwareConfig"
    support = supported("2014.1")
    properties = {
        "group": Property(str, default="Heat::Ungrouped"),
        "config": Property(str),
        "options": Property(dict),
        "inputs": INPUTS,
        "outputs": OUTPUTS,
    }
