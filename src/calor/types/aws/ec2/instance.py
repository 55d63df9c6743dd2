from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from calor.clouds.errors import NotFound
from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Problem, Property
from calor.resources.context import AttributeContext, Context, ResourceView
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject, Properties
from calor.types.aws.common import BLOCK_DEVICE, KEY_VALUE, SnapshotForEachDevice, is_given
from calor.types.aws.ec2.server_properties import CHANGES, server_properties
from calor.types.cinder.volume.attachments import attach, detach
from calor.types.cloud_objects import SHOWN, Object
from calor.types.naming import id_for, with_ids
from calor.types.nova.server import addresses
from calor.types.nova.server.changes import ServerChanges
from calor.types.nova.server.server import Server

ADDRESS = "The instance's first address. All four of these attributes have the same value."


@dataclass(frozen=True, slots=True)
class GroupsOrInterfaces:
    """Interfaces have their own security groups."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        if not is_given(given.get("NetworkInterfaces")):
            return
        for name in ("SecurityGroups", "SecurityGroupIds"):
            if is_given(given.get(name)):
                message = (
                    f"{name} and NetworkInterfaces are mutually exclusive: set the groups of the interfaces"
                )
                yield Problem("ResourcePropertyConflict", message, (name,))


class Instance(ServerChanges):
    """A server, described as CloudFormation does.

    For templates that come from there, with cfn-init and its companions in the image. OS::Nova::Server offers
    more of what Nova can do.
    """

    type_name = "AWS::EC2::Instance"
    service = "nova"
    name_limit = 53
    login_user = "ec2-user"
    properties = {
        "ImageId": Property(
            str,
            "The name or id of the image to boot from.",
            required=True,
            constraints=[custom("glance.image")],
        ),
        "InstanceType": Property(
            str,
            "The name or id of the flavor. A change resizes the server.",
            required=True,
            update_allowed=True,
            constraints=[custom("nova.flavor")],
        ),
        "KeyName": Property(
            str,
            "The key pair for logging in as ec2-user. By default, none is installed.",
            constraints=[custom("nova.keypair")],
        ),
        "AvailabilityZone": Property(str, "The zone to start in. Left out, Nova chooses."),
        "DisableApiTermination": Property(str, implemented=False),
        "KernelId": Property(str, implemented=False),
        "Monitoring": Property(bool, implemented=False),
        "PlacementGroupName": Property(str, implemented=False),
        "PrivateIpAddress": Property(str, implemented=False),
        "RamDiskId": Property(str, implemented=False),
        "SecurityGroups": Property(
            list,
            "Names of security groups. Not together with NetworkInterfaces, which have groups themselves.",
        ),
        "SecurityGroupIds": Property(list, "Ids of security groups, in addition to SecurityGroups."),
        "NetworkInterfaces": Property(
            list,
            "The ports to use: ids in the order of the interfaces, or maps of NetworkInterfaceId and "
            "DeviceIndex.",
            update_allowed=True,
        ),
        "SourceDestCheck": Property(bool, implemented=False),
        "SubnetId": Property(
            str,
            "The subnet for the first interface. Ignored when NetworkInterfaces is given. With neither of "
            "the two, Nova takes the project's only network.",
            update_allowed=True,
        ),
        "Tags": Property(
            list,
            "Metadata of the server, to be read from inside through the metadata service.",
            update_allowed=True,
            items=Property(dict, fields=KEY_VALUE),
        ),
        "NovaSchedulerHints": Property(
            list,
            "Hints for Nova's choice of a host. A key that occurs several times becomes a list.",
            items=Property(dict, fields=KEY_VALUE),
        ),
        "Tenancy": Property(str, constraints=[one_of("dedicated", "default")], implemented=False),
        "UserData": Property(
            str,
            "The script, or other data for cloud-init, that the server gets at boot, next to the resource's "
            "metadata for cfn-init.",
        ),
        "Volumes": Property(
            list,
            "Existing volumes to attach once the server runs.",
            default=[],
            items=Property(
                dict,
                fields={
                    "Device": Property(
                        str,
                        "The requested device, such as /dev/vdc. The hypervisor may choose another.",
                        required=True,
                    ),
                    "VolumeId": Property(str, required=True, constraints=[custom("cinder.volume")]),
                },
            ),
        ),
        "BlockDeviceMappings": Property(
            list,
            "Additional disks, created from volume snapshots together with the server.",
            items=BLOCK_DEVICE,
        ),
    }
    attributes = {
        "AvailabilityZone": Attribute(str, "The zone where the server runs, also when Nova chose it."),
        "PrivateDnsName": Attribute(str, ADDRESS),
        "PublicDnsName": Attribute(str, ADDRESS),
        "PrivateIp": Attribute(str, ADDRESS),
        "PublicIp": Attribute(str, ADDRESS),
        "show": SHOW,
    }
    rules = [GroupsOrInterfaces(), SnapshotForEachDevice()]

    @classmethod
    async def given(cls, cloud: CloudServices, props: Properties) -> JsonObject:
        """The properties as OS::Nova::Server has them, with ids in place of names."""
        return {**await with_ids(cloud, Server, server_properties(props)), "Volumes": props.get("Volumes")}

    @classmethod
    def needs_replacement(cls, before: Properties, after: Properties, changed: frozenset[str]) -> bool:
        return False

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        await super().update(ctx, props, frozenset(CHANGES[name] for name in changed if name in CHANGES))

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        for disk in props.get("Volumes") or ():
            volume = await id_for(cloud, "cinder.volume", disk["VolumeId"])
            await attach(ctx, cloud, str(ctx.physical_id), volume, disk["Device"])
        await super().after_create(ctx, cloud, props)

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is not None:
            cloud = await ctx.cloud()
            for disk in ctx.properties.get("Volumes") or ():
                with suppress(NotFound):
                    volume = await id_for(cloud, "cinder.volume", disk["VolumeId"])
                    await detach(ctx, cloud, ctx.physical_id, volume)
        await super().delete(ctx)

    @classmethod
    def live_properties(cls, ctx: ResourceView, shown: Object) -> Object:
        return {}

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        shown = ctx.data.get(SHOWN)
        if shown is None or name == "show":
            return shown
        if name == "AvailabilityZone":
            return shown.get("OS-EXT-AZ:availability_zone") or ctx.properties.get("AvailabilityZone")
        return addresses.first(shown) or "0.0.0.0" if name in cls.attributes else None
