from calor.language.constraints import custom, range_
from calor.language.schema import SHOW, Attribute, Property, Replace, deprecated, hidden, supported
from calor.types.cinder.base import CinderType


class Volume(CinderType):
    type_name = "OS::Cinder::Volume"
    entity = "volumes"
    snapshots_on_delete = True
    properties = {
        "availability_zone": Property(str),
        "size": Property(int, update_allowed=True, constraints=[range_(min=1)]),
        "snapshot_id": Property(str, constraints=[custom("cinder.snapshot")]),
        "backup_id": Property(str, update_allowed=True, constraints=[custom("cinder.backup")]),
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "volume_type": Property(str, update_allowed=True, constraints=[custom("cinder.vtype")]),
        "metadata": Property(dict, default={}, update_allowed=True),
        "imageRef": Property(str, support=hidden("5.0.0", deprecated("2014.1"))),
        "image": Property(str, constraints=[custom("glance.image")]),
        "source_volid": Property(str, constraints=[custom("cinder.volume")]),
        "scheduler_hints": Property(dict, support=supported("2015.1")),
        "read_only": Property(bool, update_allowed=True, support=supported("5.0.0")),
        "multiattach": Property(bool, default=False, support=hidden("13.0.0", supported("6.0.0"))),
    }
    attributes = {
        "availability_zone": Attribute(str),
        "size": Attribute(str),
        "snapshot_id": Attribute(str),
        "display_name": Attribute(str),
        "display_description": Attribute(str),
        "volume_type": Attribute(str),
        "metadata": Attribute(str),
        "source_volid": Attribute(str),
        "status": Attribute(str, live=True),
        "created_at": Attribute(str),
        "bootable": Attribute(str),
        "metadata_values": Attribute(dict),
        "encrypted": Attribute(str),
        "attachments": Attribute(str, live=True, support=deprecated("9.0.0", supported("2015.1"))),
        "attachments_list": Attribute(list, live=True, support=supported("9.0.0")),
        "multiattach": Attribute(bool, support=supported("6.0.0")),
        "show": SHOW,
    }
    translations = [Replace(("image",), source=("imageRef",))]
