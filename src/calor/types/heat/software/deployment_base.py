"""What the types of software deployment have in common."""

from calor.language.constraints import one_of
from calor.language.schema import Property

INPUT_AND_ACTIONS = {
    "input_values": Property(
        dict,
        "Values for the inputs of the configuration, by the input's name. Names that the configuration does "
        "not declare are passed on, too.",
        update_allowed=True,
    ),
    "actions": Property(
        list,
        "The stack actions that run the configuration on the server. During all others the deployment does "
        "nothing.",
        default=["CREATE", "UPDATE"],
        update_allowed=True,
        constraints=[one_of("CREATE", "UPDATE", "DELETE", "SUSPEND", "RESUME")],
    ),
}

CONFIG = Property(
    str,
    "The id of the software configuration to apply, usually a reference to a configuration of the same "
    "template. Left out, an empty one is deployed.",
    update_allowed=True,
)

ONE_SERVER = {
    "config": CONFIG,
    "server": Property(
        str,
        "The id of the server that applies the configuration. A server of the same template must have "
        "user_data_format SOFTWARE_CONFIG.",
        required=True,
    ),
    **INPUT_AND_ACTIONS,
}

MANY_SERVERS = {
    "servers": Property(
        dict,
        "The ids of the servers, each under a name that its deployment has in the group.",
        required=True,
        update_allowed=True,
    ),
    "config": CONFIG,
    **INPUT_AND_ACTIONS,
}

NAME = Property(
    str,
    "Decides the order: a server applies its deployments sorted by name. By default, the name of the "
    "configuration is used.",
    update_allowed=True,
)

SIGNAL_TRANSPORT = Property(
    str,
    "How the server reports its results: a POST to a pre-signed URL (CFN_SIGNAL), a PUT to a temporary URL "
    "of Swift (TEMP_URL_SIGNAL), a call of the orchestration API (HEAT_SIGNAL), a message in a queue of "
    "Zaqar (ZAQAR_SIGNAL), or not at all (NO_SIGNAL: nobody waits, and the deployment is complete at once).",
    default="CFN_SIGNAL",
    constraints=[one_of("CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "NO_SIGNAL", "ZAQAR_SIGNAL")],
)

STRUCTURED = {
    "signal_transport": SIGNAL_TRANSPORT,
    "name": NAME,
    "input_key": Property(
        str,
        "The key that marks an input in the configuration: a map of this key alone is replaced by the "
        "input's value. Change it where the configuration itself needs the key.",
        default="get_input",
    ),
    "input_values_validate": Property(
        str,
        "What happens when the configuration names an input that has no value: LAX puts null, STRICT fails "
        "the deployment.",
        default="LAX",
        constraints=[one_of("LAX", "STRICT")],
    ),
}
