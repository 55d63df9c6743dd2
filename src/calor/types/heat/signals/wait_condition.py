from calor.language.constraints import range_
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.heat.signals.wait_base import ConditionType


class WaitCondition(ConditionType):
    """Holds the stack up until its handle has been signalled often enough, typically by software on a server.

    Let other resources depend on it, or read its data, to have them wait. It fails when a signal reports a
    failure or when the time is over.
    """

    type_name = "OS::Heat::WaitCondition"
    support = supported("2014.2")
    properties = {
        "handle": Property(
            str,
            "A reference to the OS::Heat::WaitConditionHandle that takes the signals. It must not depend on "
            "the condition.",
            required=True,
        ),
        "timeout": Property(
            float,
            "Seconds to wait, from when the condition is created, not the server.",
            required=True,
            constraints=[range_(1, 43200)],
        ),
        "count": Property(
            int,
            "The number of successful signals to wait for. Signals with the same id count once.",
            default=1,
            update_allowed=True,
            constraints=[range_(min=1)],
        ),
    }
    attributes = {
        "data": Attribute(
            str, "The data sent with the signals, by the signals' ids: a map, as JSON text.", live=True
        ),
        "show": SHOW,
    }
    handle_property = "handle"
    timeout_property = "timeout"
    count_property = "count"
    data_attribute = "data"
