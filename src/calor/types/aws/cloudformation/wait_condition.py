from calor.language.constraints import range_
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.heat.signals.wait_base import ConditionType


class WaitCondition(ConditionType):
    """Holds the stack up until its handle has been signalled often enough, typically by cfn-signal on a
    server.

    Let other resources depend on it, or read its data, to have them wait. It fails when a signal reports a
    failure or when the time is over.
    """

    type_name = "AWS::CloudFormation::WaitCondition"
    support = supported("2014.1")
    properties = {
        "Handle": Property(
            str,
            "A reference to the AWS::CloudFormation::WaitConditionHandle that takes the signals.",
            required=True,
        ),
        "Timeout": Property(
            int,
            "Seconds to wait, from when the condition is created, not the server.",
            required=True,
            constraints=[range_(1, 43200)],
        ),
        "Count": Property(
            int,
            "The number of successful signals to wait for. Signals with the same UniqueId count once.",
            default=1,
            update_allowed=True,
            constraints=[range_(min=1)],
        ),
    }
    attributes = {
        "Data": Attribute(
            str, "The data sent with the signals, by the signals' UniqueIds: a map, as JSON text.", live=True
        ),
        "show": SHOW,
    }
    handle_property = "Handle"
    timeout_property = "Timeout"
    count_property = "Count"
    data_attribute = "Data"
