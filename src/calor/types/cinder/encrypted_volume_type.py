from calor.language.constraints import custom, one_of
from calor.language.schema import Property, supported
from calor.types.cinder.base import CinderType


class EncryptedVolumeType(CinderType):
    type_name = "OS::Cinder::EncryptedVolumeType"
    support = supported("5.0.0")
    extension = "encryption"
    entity = "volume_encryption_types"
    properties = {
        "provider": Property(str, required=True, update_allowed=True),
        "control_location": Property(
            str, default="front-end", update_allowed=True, constraints=[one_of("front-end", "back-end")]
        ),
        "cipher": Property(
            str, update_allowed=True, constraints=[one_of("aes-xts-plain64", "aes-cbc-essiv")]
        ),
        "key_size": Property(int, update_allowed=True),
        "volume_type": Property(str, required=True, constraints=[custom("cinder.vtype")]),
    }
