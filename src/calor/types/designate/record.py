from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class Record(ResourceType):
    type_name = "OS::Designate::Record"
    placeholder = True
    support = hidden("10.0.0", deprecated("8.0.0", supported("5.0.0")))
