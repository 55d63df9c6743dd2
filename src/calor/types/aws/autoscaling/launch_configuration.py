from __future__ import annotations

from collections.abc import Coroutine, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from calor.language.constraints import custom
from calor.language.schema import Problem, Property, ResourceType
from calor.types.aws.autoscaling.instances import like_server
from calor.types.aws.common import BLOCK_DEVICE, KEY_VALUE, SnapshotForEachDevice, maybe_given
from calor.types.behaviour import Context


@dataclass(frozen=True, slots=True)
class ImageAndFlavorKnown:
    """They are given, or there is an instance to take them from."""

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        if maybe_given(given.get("InstanceId")):
            return
        missing = [name for name in ("ImageId", "InstanceType") if not maybe_given(given.get(name))]
        if missing:
            message = f"{' and '.join(missing)} must be given, unless InstanceId is"
            yield Problem("StackValidationFailed", message)


class LaunchConfiguration(ResourceType):
    """What the instances of a scaling group are like.

    Nothing is created in the cloud. Every change replaces the configuration, and the groups that refer to it
    follow as their update policy says.
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
            "The key pair for logging in. Left out, none is installed.",
            constraints=[custom("nova.keypair")],
        ),
        "UserData": Property(
            str, "The script, or other data for cloud-init, that each instance gets at boot."
        ),
        "SecurityGroups": Property(
            list, "Names or ids of security groups. Left out, the project's default group applies."
        ),
        "KernelId": Property(str, implemented=False),
        "RamDiskId": Property(str, implemented=False),
        "BlockDeviceMappings": Property(
            list, "Further disks for each instance, made from volume snapshots.", items=BLOCK_DEVICE
        ),
        "NovaSchedulerHints": Property(
            list,
            "Hints for Nova's choice of a host. A key that occurs several times becomes a list.",
            items=Property(dict, fields=KEY_VALUE),
        ),
    }
    rules = [SnapshotForEachDevice(), ImageAndFlavorKnown()]

    @classmethod
    def create(cls, ctx: Context, props: dict[str, Any]) -> Coroutine[Any, Any, None] | None:
        ctx.refer_to(ctx.physical_name())
        return _note_instance(ctx, props["InstanceId"]) if props["InstanceId"] else None


async def _note_instance(ctx: Context, id: str) -> None:
    """What the instance is like now counts, also when it changes later."""
    ctx.note(instance=await like_server(ctx, id))
