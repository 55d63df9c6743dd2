from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class Job(ResourceType):
    type_name = "OS::Sahara::Job"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("8.0.0")))
