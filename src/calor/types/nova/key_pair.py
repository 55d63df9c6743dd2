from calor.language.constraints import custom, length, one_of
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.nova.base import NovaType


class KeyPair(NovaType):
    type_name = "OS::Nova::KeyPair"
    support = supported("2014.1")
    entity = "keypairs"
    properties = {
        "name": Property(str, required=True, constraints=[length(1, 255)]),
        "save_private_key": Property(bool, default=False),
        "public_key": Property(str),
        "type": Property(str, constraints=[one_of("ssh", "x509")], support=supported("8.0.0")),
        "user": Property(str, constraints=[custom("keystone.user")], support=supported("9.0.0")),
    }
    attributes = {
        "public_key": Attribute(str),
        "private_key": Attribute(str, live=True),
        "show": SHOW,
    }
    translations = [Resolve(("user",), "get_user_id")]
