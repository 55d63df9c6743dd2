from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.manila.base import ManilaType


class Share(ManilaType):
    type_name = "OS::Manila::Share"
    support = supported("5.0.0")
    properties = {
        "share_protocol": Property(
            str, required=True, constraints=[one_of("NFS", "CIFS", "GlusterFS", "HDFS", "CEPHFS")]
        ),
        "size": Property(int, required=True),
        "snapshot": Property(str, constraints=[custom("manila.share_snapshot")]),
        "name": Property(str, update_allowed=True),
        "metadata": Property(dict, update_allowed=True),
        "share_network": Property(str, constraints=[custom("manila.share_network")]),
        "description": Property(str, update_allowed=True),
        "share_type": Property(str, constraints=[custom("manila.share_type")]),
        "is_public": Property(bool, default=False, update_allowed=True),
        "access_rules": Property(
            list,
            default=[],
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "access_to": Property(str, required=True),
                    "access_type": Property(
                        str, required=True, constraints=[one_of("ip", "user", "cert", "cephx")]
                    ),
                    "access_level": Property(str, constraints=[one_of("ro", "rw")]),
                },
            ),
        ),
    }
    attributes = {
        "availability_zone": Attribute(str),
        "host": Attribute(str),
        "export_locations": Attribute(list),
        "share_server_id": Attribute(str),
        "created_at": Attribute(str),
        "status": Attribute(str),
        "project_id": Attribute(str),
        "show": SHOW,
    }
