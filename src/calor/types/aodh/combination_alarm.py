from calor.language.schema import deprecated, hidden, supported
from calor.types.aodh.base import AodhType


class CombinationAlarm(AodhType):
    type_name = "OS::Aodh::CombinationAlarm"
    placeholder = True
    support = hidden("9.0.0", deprecated("7.0.0", supported("2014.1")))
