from calor.language.constraints import custom
from calor.language.schema import Property, supported
from calor.types.barbican.base import ContainerType


class RSAContainer(ContainerType):
    type_name = "OS::Barbican::RSAContainer"
    support = supported("6.0.0")
    properties = {
        "name": Property(str),
        "private_key_ref": Property(str, constraints=[custom("barbican.secret")]),
        "private_key_passphrase_ref": Property(str, constraints=[custom("barbican.secret")]),
        "public_key_ref": Property(str, constraints=[custom("barbican.secret")]),
    }
