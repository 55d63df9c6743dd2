from calor.language.constraints import custom
from calor.language.schema import Property, supported
from calor.types.barbican.base import ContainerType


class GenericContainer(ContainerType):
    type_name = "OS::Barbican::GenericContainer"
    support = supported("6.0.0")
    properties = {
        "name": Property(str),
        "secrets": Property(
            list,
            items=Property(
                dict,
                fields={
                    "name": Property(str, required=True),
                    "ref": Property(str, required=True, constraints=[custom("barbican.secret")]),
                },
            ),
        ),
    }
