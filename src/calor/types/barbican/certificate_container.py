from calor.language.constraints import custom
from calor.language.schema import Property, supported
from calor.types.barbican.base import ContainerType


class CertificateContainer(ContainerType):
    type_name = "OS::Barbican::CertificateContainer"
    support = supported("6.0.0")
    properties = {
        "name": Property(str),
        "certificate_ref": Property(str, constraints=[custom("barbican.secret")]),
        "private_key_ref": Property(str, constraints=[custom("barbican.secret")]),
        "private_key_passphrase_ref": Property(str, constraints=[custom("barbican.secret")]),
        "intermediates_ref": Property(str, constraints=[custom("barbican.secret")]),
    }
