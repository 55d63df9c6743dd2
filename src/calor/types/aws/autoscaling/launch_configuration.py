from __future__ import annotations

from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

from calor.language.constraints import custom
from calor.language.schema import Problem, Property
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject, Properties
from calor.types.aws.autoscaling.instance_group_base import properties_of_server
from calor.types.aws.common import BLOCK_DEVICE, KEY_VALUE, SnapshotForEachDevice, may_be_given


@dataclass(frozen=True, slots=True)
class ImageAndFlavorKnown:
    """They are given, or there is an instance to take them from."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        if may_be_given(given.get("InstanceId")):
            return
        missing = [name for name in ("ImageId", "InstanceType") if not may_be_given(given.get(name))]
        if missing:
            message = f"{' and '.join(missing)} must be given, unless InstanceId is"
            yield Problem("StackValidationFailed", message)


class LaunchConfiguration(ResourceType):
    """Defines the instances of a scaling group.

    Nothing is created in the cloud. Every change replaces the configuration, and the groups that refer to it
    are updated according to their update policy.
    """

    type_name = "AWS::AutoScaling::LaunchConfiguration"
    adopted_data = ("instance",)
    properties = {
        "ImageId": Property(
            str,
            "The name or id of the image to boot from. Required without InstanceId.",
            constraints=[custom("glance.image")],
        ),
        "InstanceType": Property(
            str,
            "The name or id of the flavor. Required without InstanceId.",
            constraints=[custom("nova.flavor")],
        ),
        "InstanceId": Property(
            str,
            "An existing server to take image, flavor, key pair and security groups from, where they are "
            "not given here.",
            constraints=[custom("nova.server")],
        ),
        "KeyName": Property(
            str,
            "The key pair for logging in. By default, none is installed.",
            constraints=[custom("nova.keypair")],
        ),
        "UserData": Property(
            str, "The script, or other data for cloud-init, that each instance gets at boot."
        ),
        "SecurityGroups": Property(
            list, "Names or ids of security groups. By default, the project's default group applies."
        ),
        "KernelId": Property(str, implemented=False),
        "RamDiskId": Property(str, implemented=False),
        "BlockDeviceMappings": Property(
            list, "Additional disks for each instance, created from volume snapshots.", items=BLOCK_DEVICE
        ),
        "NovaSchedulerHints": Property(
            list,
            "Hints for Nova's choice of a host. A key that occurs several times becomes a list.",
            items=Property(dict, fields=KEY_VALUE),
        ),
    }
    rules = [SnapshotForEachDevice(), ImageAndFlavorKnown()]

    @classmethod
    def create(cls, ctx: Context, props: JsonObject) -> Coroutine[Any, Any, None] | None:
        ctx.set_reference(ctx.physical_name())
        return _note_instance(ctx, props["InstanceId"]) if props["InstanceId"] else None


async def _note_instance(ctx: Context, id: str) -> None:
    """What the instance is like now counts, also when it changes later."""
    ctx.set_data(instance=await properties_of_server(ctx, id))
