from calor.language.schema import Property, Resolve, supported
from calor.types.aodh.base import AodhType
from calor.types.aodh.common import ALARM


class LBMemberHealthAlarm(AodhType):
    type_name = "OS::Aodh::LBMemberHealthAlarm"
    support = supported("13.0.0")
    properties = {
        "pool": Property(str, required=True, update_allowed=True),
        "stack": Property(str, required=True),
        "autoscaling_group_id": Property(str, required=True, update_allowed=True),
        **ALARM,
    }
    translations = [Resolve(("pool",), "octavia.pool")]
