from calor.language.schema import supported
from calor.types.base import SignalledType


class WaitConditionHandle(SignalledType):
    type_name = "AWS::CloudFormation::WaitConditionHandle"
    support = supported("2014.1")
