from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.base import SignalledType


class WaitConditionHandle(SignalledType):
    type_name = "OS::Heat::WaitConditionHandle"
    support = supported("2014.2")
    properties = {
        "signal_transport": Property(
            str,
            default="TOKEN_SIGNAL",
            constraints=[
                one_of(
                    "CFN_SIGNAL",
                    "TEMP_URL_SIGNAL",
                    "HEAT_SIGNAL",
                    "NO_SIGNAL",
                    "ZAQAR_SIGNAL",
                    "TOKEN_SIGNAL",
                )
            ],
            support=supported("6.0.0"),
        ),
    }
    attributes = {
        "token": Attribute(str, live=True),
        "endpoint": Attribute(str, live=True),
        "curl_cli": Attribute(str, live=True),
        "signal": Attribute(str, live=True),
        "show": SHOW,
    }
