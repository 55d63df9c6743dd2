from calor.language.schema import hidden, supported
from calor.resources.contract import ResourceType


class L7Policy(ResourceType):
    type_name = "OS::Neutron::LBaaS::L7Policy"
    placeholder = True
    support = hidden("21.0.0", supported("7.0.0"))
