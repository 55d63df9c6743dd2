from calor.language.constraints import custom
from calor.language.schema import Property, supported
from calor.types.cinder.base import CinderType


class VolumeType(CinderType):
    type_name = "OS::Cinder::VolumeType"
    support = supported("2015.1")
    extension = "os-types-manage"
    entity = "volume_types"
    properties = {
        "name": Property(str, required=True, update_allowed=True),
        "metadata": Property(dict, update_allowed=True),
        "is_public": Property(bool, default=True, update_allowed=True, support=supported("5.0.0")),
        "description": Property(str, update_allowed=True, support=supported("5.0.0")),
        "projects": Property(
            list,
            default=[],
            update_allowed=True,
            support=supported("5.0.0"),
            items=Property(str, constraints=[custom("keystone.project")]),
        ),
    }
