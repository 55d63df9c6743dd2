from calor.language.schema import Property, supported
from calor.types.manila.base import ManilaType


class ShareType(ManilaType):
    type_name = "OS::Manila::ShareType"
    support = supported("5.0.0")
    properties = {
        "name": Property(str, required=True),
        "is_public": Property(bool, default=True),
        "driver_handles_share_servers": Property(bool, required=True),
        "extra_specs": Property(dict, update_allowed=True),
        "snapshot_support": Property(bool, default=True, support=supported("6.0.0")),
    }
