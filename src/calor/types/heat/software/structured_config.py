from calor.language.schema import Property, supported
from calor.types.heat.software.config_base import INPUTS, OUTPUTS, ConfigType
from calor.types.heat.software.software_config import GROUP, OPTIONS


class StructuredConfig(ConfigType):
    """A configuration written as a map rather than as text.

    For tools that take structured data, such as os-apply-config or cfn-init. An
    OS::Heat::StructuredDeployment puts the values of the inputs into it before a server gets it.
    """

    type_name = "OS::Heat::StructuredConfig"
    support = supported("2014.1")
    properties = {
        "group": GROUP,
        "options": OPTIONS,
        "inputs": INPUTS,
        "outputs": OUTPUTS,
        "config": Property(
            dict,
            "The configuration. A map `{get_input: name}` anywhere inside is replaced by the value of an input.",
        ),
    }
