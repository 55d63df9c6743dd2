from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.barbican.base import BarbicanType


class Order(BarbicanType):
    type_name = "OS::Barbican::Order"
    support = supported("2014.2")
    entity = "orders"
    properties = {
        "name": Property(str),
        "payload_content_type": Property(str),
        "expiration": Property(str, constraints=[custom("expiration")]),
        "algorithm": Property(str),
        "bit_length": Property(int),
        "mode": Property(str),
        "type": Property(
            str,
            required=True,
            constraints=[one_of("key", "asymmetric", "certificate")],
            support=supported("5.0.0"),
        ),
        "request_type": Property(
            str, constraints=[one_of("stored-key", "simple-cmc", "custom")], support=supported("5.0.0")
        ),
        "subject_dn": Property(str, support=supported("5.0.0")),
        "source_container_ref": Property(
            str, constraints=[custom("barbican.container")], support=supported("5.0.0")
        ),
        "ca_id": Property(str, support=supported("5.0.0")),
        "profile": Property(str, support=supported("5.0.0")),
        "request_data": Property(str, support=supported("5.0.0")),
        "pass_phrase": Property(str, support=supported("5.0.0")),
    }
    attributes = {
        "status": Attribute(str),
        "order_ref": Attribute(str),
        "secret_ref": Attribute(str),
        "container_ref": Attribute(str, support=supported("5.0.0")),
        "public_key": Attribute(str, support=supported("5.0.0")),
        "private_key": Attribute(str, support=supported("5.0.0")),
        "certificate": Attribute(str, support=supported("5.0.0")),
        "intermediates": Attribute(str, support=supported("5.0.0")),
        "show": SHOW,
    }
