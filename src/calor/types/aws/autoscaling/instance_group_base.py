"""Groups of instances, made from launch configurations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from calor.language.values import bare
from calor.resources.context import Context, GroupContext, NestedStackView
from calor.resources.outcomes import ResourceFailed
from calor.resources.values import JsonObject, Properties
from calor.types.heat.groups.rolling_updates import Rolling
from calor.types.heat.groups.scaled_group import ScaledGroup

MEMBER_TYPE = "OS::Heat::ScaledResource"
"""An AWS::EC2::Instance, unless the environment maps the type to another."""

NO_ADDRESS = "0.0.0.0"

_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


class InstancesGroup(ScaledGroup, extends=True):
    update_policy_name: ClassVar[str]

    @classmethod
    def before_nested_stack(cls, ctx: Context, values: Properties) -> Any:
        ctx.set_reference(ctx.physical_name())
        return None

    @classmethod
    def definition(cls, ctx: GroupContext, values: Properties) -> JsonObject:
        name = bare(values["LaunchConfigurationName"])
        launch = ctx.peer(name)
        if launch is None:
            raise ResourceFailed(f"there is no launch configuration {name} in the stack", "ValueError")
        properties = {**launch.data.get("instance", {}), **given(launch.marked_properties)}
        properties.pop("InstanceId", None)
        member = {"type": MEMBER_TYPE, "properties": {**properties, "Tags": cls.tags(ctx, values)}}
        return {**member, "metadata": launch.metadata} if launch.metadata else member

    @classmethod
    def tags(cls, ctx: GroupContext, values: Properties) -> list[JsonObject]:
        """Adds a tag that identifies the metrics of the group, unless the template has one."""
        own = bare(values["Tags"]) or []
        if any(tag["Key"].startswith("metering.") for tag in own):
            return list(own)
        return [*own, {"Key": "metering.groupname", "Value": ctx.physical_name()}]

    @classmethod
    def rolling(cls, ctx: GroupContext, values: Properties) -> Rolling | None:
        policy = ctx.update_policy.get(cls.update_policy_name)
        if policy is None:
            return None
        pause = duration(policy["PauseTime"])
        return Rolling(policy["MinInstancesInService"], policy["MaxBatchSize"], pause)

    @classmethod
    async def changed(cls, ctx: Context, values: Properties) -> None:
        if ctx.nested is None:
            return
        instances = [bare(ctx.nested.reference(name)) for name in cls.member_names(ctx.nested)]
        for balancer in bare(values["LoadBalancerNames"]) or ():
            await ctx.update_peer(balancer, {"Instances": instances})

    @classmethod
    def member_attribute(cls, ctx: NestedStackView, name: str, path: Sequence[Any]) -> Any:
        if name != "InstanceList" or ctx.nested is None:
            return None
        addresses = [bare(ctx.nested.read(member, "PublicIp")) for member in cls.member_names(ctx.nested)]
        return ",".join(address or NO_ADDRESS for address in addresses) or None


async def properties_of_server(ctx: Context, id: str) -> JsonObject:
    """The properties of an instance that is like an existing server."""
    server = await ctx.server(id)
    if server is None:
        raise ResourceFailed(f"there is no server {id}", "EntityNotFound")
    properties: JsonObject = given(
        {
            "ImageId": (server.get("image") or {}).get("id"),
            "InstanceType": (server.get("flavor") or {}).get("id"),
            "KeyName": server.get("key_name"),
            "SecurityGroups": [group["name"] for group in server.get("security_groups") or ()],
        }
    )
    return properties


def given(value: Any) -> Any:
    """Removes absent values at any depth."""
    if isinstance(value, dict):
        return {key: given(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [given(item) for item in value]
    return value


def duration(text: str) -> float:
    """Seconds of an ISO 8601 duration of days, hours, minutes and seconds."""
    match = _DURATION.fullmatch(text)
    if match is None or text in ("P", "PT"):
        raise ResourceFailed(f"{text} is not an ISO 8601 duration such as PT5M", "ValueError")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
