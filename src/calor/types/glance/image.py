from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class Image(ResourceType):
    type_name = "OS::Glance::Image"
    placeholder = True
    support = hidden("22.0.0", deprecated("8.0.0", supported("2014.2")))
