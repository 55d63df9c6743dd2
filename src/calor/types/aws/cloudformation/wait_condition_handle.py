from calor.language.schema import supported
from calor.types.base import SignalledType


class WaitConditionHandle(SignalledType):
    """The place where signals for an AWS::CloudFormation::WaitCondition arrive.

    A reference to it gives a pre-signed URL, to be passed to a server in its user data. A signal is a PUT to
    it with Status, Reason, UniqueId and Data, all of them, as JSON.
    """

    type_name = "AWS::CloudFormation::WaitConditionHandle"
    support = supported("2014.1")
