from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.base import SignalledType


class WaitConditionHandle(SignalledType):
    """The place where signals for an OS::Heat::WaitCondition arrive.

    It has no dependencies of its own, so a server can carry the address in its user data. A signal may give
    status, reason, data and id; without any it is a success.
    """

    type_name = "OS::Heat::WaitConditionHandle"
    support = supported("2014.2")
    properties = {
        "signal_transport": Property(
            str,
            "How signals are sent: to the orchestration API with a ready-made token (TOKEN_SIGNAL) or with "
            "a user's credentials (HEAT_SIGNAL), to a pre-signed URL (CFN_SIGNAL), to a temporary URL of "
            "Swift (TEMP_URL_SIGNAL) or into a queue of Zaqar (ZAQAR_SIGNAL). With NO_SIGNAL the handle "
            "signals itself.",
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
        "token": Attribute(
            str,
            "A token that allows signalling, with TOKEN_SIGNAL. It expires like any token, so send the "
            "signal before that.",
            live=True,
        ),
        "endpoint": Attribute(str, "The URL to POST signals to, together with the token.", live=True),
        "curl_cli": Attribute(
            str,
            "The beginning of a curl command that sends a signal with TOKEN_SIGNAL. Append `--data-binary` "
            "and the signal as JSON.",
            live=True,
        ),
        "signal": Attribute(
            str,
            "What a client needs to send signals by the chosen transport: a map of URL or credentials, as "
            "JSON text.",
            live=True,
        ),
        "show": SHOW,
    }
