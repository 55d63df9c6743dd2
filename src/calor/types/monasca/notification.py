from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class Notification(ResourceType):
    type_name = "OS::Monasca::Notification"
    placeholder = True
    support = hidden("25.0.0", deprecated("22.0.0", supported("7.0.0", supported("5.0.0"))))
