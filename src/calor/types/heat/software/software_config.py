from calor.language.schema import Property, supported
from calor.types.heat.software.config_base import INPUTS, OUTPUTS, UNGROUPED, ConfigType

GROUP = Property(
    str,
    "Names the tool that applies the configuration on the server: `script`, `ansible`, `puppet`, … The "
    "server needs the agent's hook of that name.",
    default=UNGROUPED,
)

OPTIONS = Property(dict, "Settings for the tool that applies the configuration; their meaning is the tool's.")


class SoftwareConfig(ConfigType):
    """A script or other configuration, stored to be applied to servers.

    Without a deployment it has no effect. An OS::Heat::SoftwareDeployment applies it to a running server, or a server
    takes it as its user_data at boot. A stored configuration never changes: every change replaces it, and
    whatever refers to it is updated.
    """

    type_name = "OS::Heat::SoftwareConfig"
    support = supported("2014.1")
    properties = {
        "group": GROUP,
        "config": Property(
            str,
            "The script or document itself, often from a file by get_file. Pass values from the template "
            "as inputs; with str_replace, each set of values would be a separate configuration.",
        ),
        "options": OPTIONS,
        "inputs": INPUTS,
        "outputs": OUTPUTS,
    }
