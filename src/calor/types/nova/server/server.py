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
from calor.types.neutron.networks import implied_dependencies
from calor.types.neutron.shared_schema import PORT_EXTRAS
from calor.types.nova.server.images import ServerImages
from calor.types.nova.server.rules import RULES


class Server(ServerImages):
    """A virtual or physical machine of the compute service.

    It starts from an image or from a volume (see block_device_mapping_v2), is set up by its user_data, and
    joins networks. Without networks it joins the project's only one, if there is just one. Software on it can
    be managed further by OS::Heat::SoftwareDeployment, which needs the user_data_format SOFTWARE_CONFIG.
    """

    type_name = "OS::Nova::Server"
    service = "nova"
    name_limit = 53
    snapshots_on_delete = True
    properties = {
        "name": Property(
            str,
            "The name in the compute service, usually also the host name. Generated from the names of "
            "stack and resource by default.",
            update_allowed=True,
        ),
        "image": Property(
            str,
            "The image, by name or id, to start from. Left out, a disk must be there to start from. What a "
            "change does is up to image_update_policy.",
            update_allowed=True,
            constraints=[custom("glance.image")],
        ),
        "block_device_mapping": Property(
            list,
            "Volumes to attach at creation. An older form of block_device_mapping_v2, which it excludes.",
            items=Property(
                dict,
                fields={
                    "device_name": Property(
                        str,
                        "The device at which the disk appears, such as vdb. vda is the one to start from.",
                        required=True,
                    ),
                    "volume_id": Property(
                        str,
                        "The volume to attach. Excludes snapshot_id.",
                        constraints=[custom("cinder.volume")],
                    ),
                    "snapshot_id": Property(
                        str,
                        "The snapshot for a new volume. Excludes volume_id.",
                        constraints=[custom("cinder.snapshot")],
                    ),
                    "volume_size": Property(
                        int, "Size of the new volume in GiB. By default, it is that of the snapshot."
                    ),
                    "delete_on_termination": Property(
                        bool, "Whether the volume is deleted together with the server. By default, it stays."
                    ),
                },
            ),
        ),
        "block_device_mapping_v2": Property(
            list,
            "The disks of the server, including the boot disk.",
            support=supported("2015.1"),
            items=Property(
                dict,
                fields={
                    "device_name": Property(
                        str,
                        "The device at which the disk is to appear, such as vdb. Most hypervisors choose one "
                        "themselves.",
                    ),
                    "volume_id": Property(
                        str,
                        "The volume to attach. Each disk needs exactly one of this, snapshot_id, image, "
                        "swap_size and ephemeral_size or ephemeral_format.",
                        constraints=[custom("cinder.volume")],
                    ),
                    "image_id": Property(
                        str,
                        "Old name of image.",
                        constraints=[custom("glance.image")],
                        support=hidden("9.0.0", deprecated("7.0.0", supported("5.0.0"))),
                    ),
                    "image": Property(
                        str,
                        "The image, by name or id, for a new volume. Needs volume_size.",
                        constraints=[custom("glance.image")],
                        support=supported("7.0.0"),
                    ),
                    "snapshot_id": Property(
                        str,
                        "The snapshot for a new volume.",
                        constraints=[custom("cinder.snapshot")],
                    ),
                    "swap_size": Property(
                        int,
                        "Makes it a local disk for swapping, of so many MiB. The flavor must allow for it.",
                    ),
                    "ephemeral_size": Property(
                        int,
                        "Makes it an empty local disk, of so many GiB, that lives as long as the server. The "
                        "flavor must allow for it.",
                        constraints=[range_(min=1)],
                        support=supported("8.0.0"),
                    ),
                    "ephemeral_format": Property(
                        str,
                        "The file system on an empty local disk. By default, the compute service's default is "
                        "taken.",
                        constraints=[one_of("ext2", "ext3", "ext4", "xfs", "ntfs")],
                        support=supported("8.0.0"),
                    ),
                    "device_type": Property(
                        str,
                        "The type of device that the server sees. By default, the hypervisor decides; usually "
                        "it is a disk.",
                        constraints=[one_of("cdrom", "disk")],
                    ),
                    "disk_bus": Property(
                        str,
                        "How it is connected in the server. By default, the hypervisor decides.",
                        constraints=[one_of("ide", "lame_bus", "sata", "scsi", "usb", "virtio")],
                    ),
                    "boot_index": Property(
                        int,
                        "The server starts from the disk with 0; it must be the only one, and there must be "
                        "no image beside it then. Left out, volumes, snapshots and images have 0, other "
                        "disks -1, which means never.",
                    ),
                    "volume_size": Property(
                        int,
                        "Size of the new volume in GiB. An image needs it; a snapshot's own is the default.",
                    ),
                    "delete_on_termination": Property(
                        bool,
                        "Whether the volume is deleted together with the server. By default, it stays; swap "
                        "and ephemeral disks never do.",
                    ),
                    "volume_type": Property(
                        str,
                        "The kind of storage, by name or id, for the new volume. By default, the storage "
                        "service's default is taken.",
                        constraints=[custom("cinder.vtype")],
                        support=supported("26.0.0"),
                    ),
                },
            ),
        ),
        "flavor": Property(
            str,
            "The size, by name or id: memory, processors and disks. What a change does is up to "
            "flavor_update_policy.",
            required=True,
            update_allowed=True,
            constraints=[custom("nova.flavor")],
        ),
        "flavor_update_policy": Property(
            str,
            "How a new flavor is applied: RESIZE keeps the server and its disks, with a restart; REPLACE "
            "creates a new server.",
            default="RESIZE",
            update_allowed=True,
            constraints=[one_of("RESIZE", "REPLACE")],
        ),
        "image_update_policy": Property(
            str,
            "How a new image is applied: REBUILD keeps id, addresses and volumes, but what is on the root "
            "disk is lost; REBUILD_PRESERVE_EPHEMERAL keeps the ephemeral disk, too, where the hypervisor "
            "can; REPLACE creates a new server.",
            default="REBUILD",
            update_allowed=True,
            constraints=[one_of("REBUILD", "REPLACE", "REBUILD_PRESERVE_EPHEMERAL")],
        ),
        "key_name": Property(
            str,
            "The key pair whose public key is put on the server, for logging in by SSH.",
            constraints=[custom("nova.keypair")],
        ),
        "admin_user": Property(
            str,
            "Has no effect: the image decides which user can log in.",
            support=hidden("5.0.0", deprecated("2014.1", supported("2013.2"))),
        ),
        "availability_zone": Property(
            str,
            "The zone in which it runs. By default, the compute service chooses. Administrators can append "
            ":<host> to it.",
        ),
        "security_groups": Property(
            list,
            "Names or ids of the groups whose rules filter its traffic. They apply to the ports that are "
            "created for the server; a port from the template has its own, so these are mutually "
            "exclusive. By default, it is the project's group default.",
            default=[],
        ),
        "networks": Property(
            list,
            "The networks it joins, in this order, each with a network interface. By default, the compute "
            "service takes the project's only network and fails if there are several.",
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "uuid": Property(
                        str,
                        "Old name of network.",
                        constraints=[custom("neutron.network")],
                        support=hidden("5.0.0", deprecated("2014.1")),
                    ),
                    "network": Property(
                        str,
                        "The network, by name or id. A port on it is created for the server.",
                        constraints=[custom("neutron.network")],
                    ),
                    "allocate_network": Property(
                        str,
                        "none means no network at all, auto a network of the project, which is created if"
                        " necessary. Excludes all other keys and further networks.",
                        update_allowed=True,
                        constraints=[one_of("none", "auto")],
                        support=supported("9.0.0"),
                    ),
                    "fixed_ip": Property(
                        str,
                        "The address that the server is to have on the network. By default, it gets a free "
                        "one. Excludes port.",
                        constraints=[custom("ip_addr")],
                    ),
                    "port": Property(
                        str,
                        "A port that exists, such as an OS::Neutron::Port of the template. It stays when the "
                        "server is replaced, and its address with it.",
                        constraints=[custom("neutron.port")],
                    ),
                    "port_extra_properties": Property(
                        dict,
                        "Extra properties for the created port. Ignored together with port.",
                        update_allowed=True,
                        support=supported("6.0.0"),
                        fields=PORT_EXTRAS,
                    ),
                    "subnet": Property(
                        str,
                        "The subnet, by name or id, to take the address from. It also determines the network.",
                        support=supported("5.0.0"),
                    ),
                    "floating_ip": Property(
                        str,
                        "The id of a floating IP for the interface. It does not work with network alone: "
                        "add subnet or port_extra_properties, or use port.",
                        support=supported("6.0.0"),
                    ),
                    "tag": Property(
                        str,
                        "A label by which software on the server finds the interface in the metadata.",
                        support=supported("9.0.0"),
                    ),
                },
            ),
        ),
        "scheduler_hints": Property(
            dict,
            "Wishes as to the host it runs on, such as group with the id of an OS::Nova::ServerGroup.",
        ),
        "metadata": Property(
            dict,
            "Keys and values that are kept with the server and can be read on it. Values become text; "
            "others than text are written as JSON.",
            default={},
            update_allowed=True,
        ),
        "user_data_format": Property(
            str,
            "How user_data reaches the server: RAW unchanged; SOFTWARE_CONFIG along with what the agent "
            "needs for software deployments; HEAT_CFNTOOLS along with the files for the cfn tools.",
            default="HEAT_CFNTOOLS",
            constraints=[one_of("HEAT_CFNTOOLS", "RAW", "SOFTWARE_CONFIG")],
        ),
        "software_config_transport": Property(
            str,
            "How the agent on the server gets its software configuration: by asking the CloudFormation API "
            "or the orchestration API (POLL_SERVER_CFN, POLL_SERVER_HEAT), from an object in Swift "
            "(POLL_TEMP_URL) or from a queue (ZAQAR_MESSAGE). Matters with SOFTWARE_CONFIG only.",
            default="POLL_SERVER_CFN",
            update_allowed=True,
            constraints=[SOFTWARE_CONFIG_TRANSPORTS],
        ),
        "user_data_update_policy": Property(
            str,
            "What a change of user_data does: REPLACE creates a new server, REBUILD reinstalls this one, "
            "IGNORE leaves it alone.",
            default="REPLACE",
            update_allowed=True,
            constraints=[one_of("REPLACE", "IGNORE", "REBUILD")],
            support=supported("6.0.0"),
        ),
        "user_data": Property(
            str,
            "A script or a configuration for cloud-init or Ignition, run when the server starts for the "
            "first time. The id of a software config is replaced by its content.",
            default="",
            update_allowed=True,
        ),
        "reservation_id": Property(str, "Has no effect: the compute service draws such ids itself."),
        "config_drive": Property(
            bool,
            "Whether metadata and user data are on a disk, too, so that the server needs no metadata "
            "service. By default, the compute service decides.",
        ),
        "diskConfig": Property(
            str,
            "AUTO makes the root partition fill the disk, MANUAL leaves the partitions as the image has "
            "them.",
            constraints=[one_of("AUTO", "MANUAL")],
        ),
        "personality": Property(
            dict,
            "Files to write on the server, from path to content. Present versions of the compute service "
            "refuse it: use user_data.",
            default={},
            support=deprecated("12.0.0"),
        ),
        "admin_pass": Property(
            str,
            "The administrator's password, if the image supports it. By default, the compute service draws "
            "one.",
            update_allowed=True,
            secret=True,
        ),
        "tags": Property(
            list,
            "Tags in the compute service. An update replaces all of them.",
            update_allowed=True,
            support=supported("8.0.0"),
            items=Property(str),
        ),
        "deployment_swift_data": DEPLOYMENT_SWIFT_DATA,
    }
    attributes = {
        "name": Attribute(str, "The name in the compute service, including a generated one."),
        "addresses": Attribute(
            dict,
            "Per network, under its name and again under its id, a list of maps for the addresses: addr, "
            "version, the id of the port as port, its subnets and its network.",
            support=supported("11.0.0", supported()),
        ),
        "networks": Attribute(
            dict,
            "Per network, under its name and again under its id, the list of addresses: [server, networks, "
            "private, 0] is the first one on private.",
        ),
        "first_address": Attribute(
            doc="One of the addresses, or empty. Which one is open if there are several networks: use "
            "networks.",
            support=hidden("5.0.0", deprecated("2014.2", supported("2013.2"))),
        ),
        "instance_name": Attribute(str, "What the hypervisor calls it, such as instance-0000002a."),
        "accessIPv4": Attribute(
            str,
            "The IPv4 address by which it is reached, if one was recorded.",
            support=deprecated("14.0.0", supported("2015.1")),
        ),
        "accessIPv6": Attribute(
            str,
            "The IPv6 address by which it is reached, if one was recorded.",
            support=deprecated("14.0.0", supported("2015.1")),
        ),
        "console_urls": Attribute(
            dict,
            "URLs of its consoles by type: novnc, spice-html5, serial and others. Prefer reading a single"
            " one, since each needs a request.",
            support=supported("2015.1"),
            secret=True,
        ),
        "tags": Attribute(
            list, "The labels that the compute service has for it.", support=supported("8.0.0")
        ),
        "os_collect_config": Attribute(
            dict,
            "Where the agent on the server finds its software configuration, and with which credentials.",
            live=True,
            support=supported("9.0.0"),
            secret=True,
        ),
        "show": SHOW,
    }
    stable_attributes = {
        "name": ("name",),
        "addresses": ("networks",),
        "networks": ("networks",),
        "first_address": ("networks",),
        "instance_name": (),
        "accessIPv4": (),
        "accessIPv6": (),
        "tags": ("tags",),
    }
    translations = [
        Replace(("networks", "network"), sibling="uuid"),
        Resolve(("flavor",), "nova.flavor"),
        Resolve(("image",), "glance.image"),
        Replace(("block_device_mapping_v2", "image"), sibling="image_id"),
        Resolve(("block_device_mapping_v2", "image"), "glance.image"),
        Resolve(("networks", "network"), "neutron.network"),
        Resolve(("networks", "subnet"), "neutron.subnet"),
        Resolve(("networks", "port"), "neutron.port"),
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
                yield from implied_dependencies.subnets(peers, network)
