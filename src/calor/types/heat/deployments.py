"""What the types of software deployment have in common."""

from calor.language.constraints import one_of
from calor.language.schema import Property

INPUT_AND_ACTIONS = {
    "input_values": Property(dict, update_allowed=True),
    "actions": Property(
        list,
        default=["CREATE", "UPDATE"],
        update_allowed=True,
        constraints=[one_of("CREATE", "UPDATE", "DELETE", "SUSPEND", "RESUME")],
    ),
}

ONE_SERVER = {
    "config": Property(str, update_allowed=True),
    "server": Property(str, required=True),
    **INPUT_AND_ACTIONS,
}

MANY_SERVERS = {
    "servers": Property(dict, required=True, update_allowed=True),
    "config": Property(str, update_allowed=True),
    **INPUT_AND_ACTIONS,
}

SIGNAL_TRANSPORT = Property(
    str,
    default="CFN_SIGNAL",
    constraints=[one_of("CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "NO_SIGNAL", "ZAQAR_SIGNAL")],
)

STRUCTURED = {
    "signal_transport": SIGNAL_TRANSPORT,
    "name": Property(str, update_allowed=True),
    "input_key": Property(str, default="get_input"),
    "input_values_validate": Property(str, default="LAX", constraints=[one_of("LAX", "STRICT")]),
}
