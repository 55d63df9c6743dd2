from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class Template(ResourceType):
    type_name = "OS::Vitrage::Template"
    placeholder = True
    support = hidden("27.0.0", deprecated("26.0.0", supported("16.0.0")))
