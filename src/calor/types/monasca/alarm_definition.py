from calor.language.schema import deprecated, hidden, supported, unsupported
from calor.resources.contract import ResourceType


class AlarmDefinition(ResourceType):
    type_name = "OS::Monasca::AlarmDefinition"
    placeholder = True
    support = hidden("25.0.0", deprecated("22.0.0", supported("7.0.0", unsupported("5.0.0"))))
