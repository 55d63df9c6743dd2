from collections.abc import Iterator

from calor.language.constraints import custom, one_of, range_
from calor.language.schema import (
    SHOW,
    Attribute,
    Peer,
    Peers,
    Property,
    Replace,
    Resolve,
    deprecated,
    hidden,
    supported,
)
from calor.types.heat.common import DEPLOYMENT_SWIFT_DATA, SOFTWARE_CONFIG_TRANSPORTS
from calor.types.neutron import waiting
from calor.types.neutron.common import PORT_EXTRAS
from calor.types.nova.base import NovaType
from calor.types.nova.server_rules import RULES


class Server(NovaType):
    type_name = "OS::Nova::Server"
    entity = "servers"
    name_limit = 53
    owns_user = True
    snapshots_on_delete = True
    properties = {
        "name": Property(str, update_allowed=True),
        "image": Property(str, update_allowed=True, constraints=[custom("glance.image")]),
        "block_device_mapping": Property(
            list,
            items=Property(
                dict,
                fields={
                    "device_name": Property(str, required=True),
                    "volume_id": Property(str, constraints=[custom("cinder.volume")]),
                    "snapshot_id": Property(str, constraints=[custom("cinder.snapshot")]),
                    "volume_size": Property(int),
                    "delete_on_termination": Property(bool),
                },
            ),
        ),
        "block_device_mapping_v2": Property(
            list,
            support=supported("2015.1"),
            items=Property(
                dict,
                fields={
                    "device_name": Property(str),
                    "volume_id": Property(str, constraints=[custom("cinder.volume")]),
                    "image_id": Property(
                        str,
                        constraints=[custom("glance.image")],
                        support=hidden("9.0.0", deprecated("7.0.0", supported("5.0.0"))),
                    ),
                    "image": Property(str, constraints=[custom("glance.image")], support=supported("7.0.0")),
                    "snapshot_id": Property(str, constraints=[custom("cinder.snapshot")]),
                    "swap_size": Property(int),
                    "ephemeral_size": Property(int, constraints=[range_(min=1)], support=supported("8.0.0")),
                    "ephemeral_format": Property(
                        str,
                        constraints=[one_of("ext2", "ext3", "ext4", "xfs", "ntfs")],
                        support=supported("8.0.0"),
                    ),
                    "device_type": Property(str, constraints=[one_of("cdrom", "disk")]),
                    "disk_bus": Property(
                        str, constraints=[one_of("ide", "lame_bus", "sata", "scsi", "usb", "virtio")]
                    ),
                    "boot_index": Property(int),
                    "volume_size": Property(int),
                    "delete_on_termination": Property(bool),
                    "volume_type": Property(
                        str, constraints=[custom("cinder.vtype")], support=supported("26.0.0")
                    ),
                },
            ),
        ),
        "flavor": Property(str, required=True, update_allowed=True, constraints=[custom("nova.flavor")]),
        "flavor_update_policy": Property(
            str, default="RESIZE", update_allowed=True, constraints=[one_of("RESIZE", "REPLACE")]
        ),
        "image_update_policy": Property(
            str,
            default="REBUILD",
            update_allowed=True,
            constraints=[one_of("REBUILD", "REPLACE", "REBUILD_PRESERVE_EPHEMERAL")],
        ),
        "key_name": Property(str, constraints=[custom("nova.keypair")]),
        "admin_user": Property(str, support=hidden("5.0.0", deprecated("2014.1", supported("2013.2")))),
        "availability_zone": Property(str),
        "security_groups": Property(list, default=[]),
        "networks": Property(
            list,
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "uuid": Property(
                        str,
                        constraints=[custom("neutron.network")],
                        support=hidden("5.0.0", deprecated("2014.1")),
                    ),
                    "network": Property(str, constraints=[custom("neutron.network")]),
                    "allocate_network": Property(
                        str,
                        update_allowed=True,
                        constraints=[one_of("none", "auto")],
                        support=supported("9.0.0"),
                    ),
                    "fixed_ip": Property(str, constraints=[custom("ip_addr")]),
                    "port": Property(str, constraints=[custom("neutron.port")]),
                    "port_extra_properties": Property(
                        dict, update_allowed=True, support=supported("6.0.0"), fields=PORT_EXTRAS
                    ),
                    "subnet": Property(str, support=supported("5.0.0")),
                    "floating_ip": Property(str, support=supported("6.0.0")),
                    "tag": Property(str, support=supported("9.0.0")),
                },
            ),
        ),
        "scheduler_hints": Property(dict),
        "metadata": Property(dict, default={}, update_allowed=True),
        "user_data_format": Property(
            str, default="HEAT_CFNTOOLS", constraints=[one_of("HEAT_CFNTOOLS", "RAW", "SOFTWARE_CONFIG")]
        ),
        "software_config_transport": Property(
            str, default="POLL_SERVER_CFN", update_allowed=True, constraints=[SOFTWARE_CONFIG_TRANSPORTS]
        ),
        "user_data_update_policy": Property(
            str,
            default="REPLACE",
            update_allowed=True,
            constraints=[one_of("REPLACE", "IGNORE", "REBUILD")],
            support=supported("6.0.0"),
        ),
        "user_data": Property(str, default="", update_allowed=True),
        "reservation_id": Property(str),
        "config_drive": Property(bool),
        "diskConfig": Property(str, constraints=[one_of("AUTO", "MANUAL")]),
        "personality": Property(dict, default={}, support=deprecated("12.0.0")),
        "admin_pass": Property(str, update_allowed=True),
        "tags": Property(list, update_allowed=True, support=supported("8.0.0"), items=Property(str)),
        "deployment_swift_data": DEPLOYMENT_SWIFT_DATA,
    }
    attributes = {
        "name": Attribute(str),
        "addresses": Attribute(dict, support=supported("11.0.0", supported())),
        "networks": Attribute(dict),
        "first_address": Attribute(support=hidden("5.0.0", deprecated("2014.2", supported("2013.2")))),
        "instance_name": Attribute(str),
        "accessIPv4": Attribute(str, support=deprecated("14.0.0", supported("2015.1"))),
        "accessIPv6": Attribute(str, support=deprecated("14.0.0", supported("2015.1"))),
        "console_urls": Attribute(dict, support=supported("2015.1")),
        "tags": Attribute(list, support=supported("8.0.0")),
        "os_collect_config": Attribute(dict, live=True, support=supported("9.0.0")),
        "show": SHOW,
    }
    translations = [
        Replace(("networks", "network"), sibling="uuid"),
        Resolve(("flavor",), "find_flavor_by_name_or_id"),
        Resolve(("image",), "find_image_by_name_or_id"),
        Replace(("block_device_mapping_v2", "image"), sibling="image_id"),
        Resolve(("block_device_mapping_v2", "image"), "find_image_by_name_or_id"),
        Resolve(("networks", "network"), "find_resourceid_by_name_or_id", "network"),
        Resolve(("networks", "subnet"), "find_resourceid_by_name_or_id", "subnet"),
        Resolve(("networks", "port"), "find_resourceid_by_name_or_id", "port"),
    ]
    rules = RULES

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """Any subnet of its networks may be the one that the server gets its address of."""
        networks = dict.fromkeys((entry or {}).get("network") or None for entry in me.value("networks") or ())
        if None in networks:
            for subnet in peers.of_type("OS::Neutron::Subnet"):
                yield subnet.name
        elif networks:
            for network in (*networks, None):
                yield from waiting.subnets(peers, network)
