from calor.language.constraints import custom, one_of, range_
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.barbican.base import BarbicanType


class Secret(BarbicanType):
    type_name = "OS::Barbican::Secret"
    support = supported("2014.2")
    entity = "secrets"
    properties = {
        "name": Property(str),
        "payload": Property(str),
        "secret_type": Property(
            str,
            default="opaque",
            constraints=[one_of("symmetric", "public", "private", "certificate", "passphrase", "opaque")],
            support=supported("5.0.0"),
        ),
        "payload_content_type": Property(str, constraints=[one_of("text/plain", "application/octet-stream")]),
        "payload_content_encoding": Property(str, constraints=[one_of("base64")]),
        "expiration": Property(str, constraints=[custom("expiration")]),
        "algorithm": Property(str),
        "bit_length": Property(int, constraints=[range_(min=0)]),
        "mode": Property(str),
    }
    attributes = {
        "status": Attribute(str),
        "decrypted_payload": Attribute(str),
        "show": SHOW,
    }
