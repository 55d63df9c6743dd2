"""Groups of instances, made from launch configurations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from calor.language.values import bare
from calor.types.behaviour import Context, ResourceFailed
from calor.types.heat.rolling import Rolling
from calor.types.heat.scaled import ScaledGroup

MEMBER_TYPE = "OS::Heat::ScaledResource"
"""An AWS::EC2::Instance, unless the environment says otherwise."""

NO_ADDRESS = "0.0.0.0"

_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


class InstancesGroup(ScaledGroup):
    update_policy_name: ClassVar[str]

    @classmethod
    def prepare(cls, ctx: Context, values: Mapping[str, Any]) -> Any:
        ctx.refer_to(ctx.physical_name())
        return None

    @classmethod
    def definition(cls, ctx: Context, values: Mapping[str, Any]) -> dict[str, Any]:
        name = bare(values["LaunchConfigurationName"])
        launch = ctx.peer(name)
        if launch is None:
            raise ResourceFailed(f"there is no launch configuration {name} in the stack", "ValueError")
        properties = {**launch.data.get("instance", {}), **given(launch.properties)}
        properties.pop("InstanceId", None)
        member = {"type": MEMBER_TYPE, "properties": {**properties, "Tags": cls.tags(ctx, values)}}
        return {**member, "metadata": launch.metadata} if launch.metadata else member

    @classmethod
    def tags(cls, ctx: Context, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """A tag tells metrics of the group's instances from others, unless the template has its own for that."""
        own = bare(values["Tags"]) or []
        if any(tag["Key"].startswith("metering.") for tag in own):
            return list(own)
        return [*own, {"Key": "metering.groupname", "Value": ctx.physical_name()}]

    @classmethod
    def rolling(cls, ctx: Context, values: Mapping[str, Any]) -> Rolling | None:
        policy = ctx.update_policy.get(cls.update_policy_name)
        if policy is None:
            return None
        pause = duration(policy["PauseTime"])
        return Rolling(policy["MinInstancesInService"], policy["MaxBatchSize"], pause)

    @classmethod
    async def changed(cls, ctx: Context, values: Mapping[str, Any]) -> None:
        if ctx.child is None:
            return
        instances = [ctx.child.states.reference(name) for name in cls.member_names(ctx.child)]
        for balancer in bare(values["LoadBalancerNames"]) or ():
            await ctx.update_peer(balancer, {"Instances": instances})

    @classmethod
    def member_attribute(cls, ctx: Context, name: str, path: Sequence[Any]) -> Any:
        if name != "InstanceList" or ctx.child is None:
            return None
        addresses = [ctx.child.read(member, "PublicIp") for member in cls.member_names(ctx.child)]
        return ",".join(address or NO_ADDRESS for address in addresses) or None


async def like_server(ctx: Context, id: str) -> dict[str, Any]:
    """The properties of an instance that is like an existing server."""
    server = await ctx.server(id)
    if server is None:
        raise ResourceFailed(f"there is no server {id}", "EntityNotFound")
    properties: dict[str, Any] = given(
        {
            "ImageId": (server.get("image") or {}).get("id"),
            "InstanceType": (server.get("flavor") or {}).get("id"),
            "KeyName": server.get("key_name"),
            "SecurityGroups": [group["name"] for group in server.get("security_groups") or ()],
        }
    )
    return properties


def given(value: Any) -> Any:
    """Without what is absent, at any depth."""
    if isinstance(value, dict):
        return {key: given(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [given(item) for item in value]
    return value


def duration(text: str) -> float:
    """Seconds of an ISO 8601 duration of days, hours, minutes and seconds."""
    match = _DURATION.fullmatch(text)
    if match is None or text in ("P", "PT"):
        raise ResourceFailed(f"{text} is no ISO 8601 duration such as PT5M", "ValueError")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
