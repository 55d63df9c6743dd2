from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calor.language.constraints import custom
from calor.language.schema import Problem, Property
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject, Properties
from calor.types.aws.common import EitherOr, is_given, may_be_given
from calor.types.aws.ec2.floating_addresses import allocation_at
from calor.types.nova.floating_ip_association import link
from calor.types.nova.server.ports import associate


@dataclass(frozen=True, slots=True)
class SomethingToConnect:
    """An address is associated with a server or, if given by its allocation, with a network interface."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        if may_be_given(given.get("InstanceId")):
            return
        if is_given(given.get("EIP")):
            yield Problem("StackValidationFailed", "EIP needs InstanceId", ("EIP",))
        elif not may_be_given(given.get("NetworkInterfaceId")):
            message = "InstanceId or NetworkInterfaceId must be given"
            yield Problem("PropertyUnspecifiedError", message)


class EIPAssociation(ResourceType):
    """Connects a floating IP address with a server or a port.

    Give the address as EIP or as AllocationId. The address outlives the association.
    """

    type_name = "AWS::EC2::EIPAssociation"
    association_properties = ("InstanceId", "EIP", "AllocationId", "NetworkInterfaceId")
    service = "nova"
    properties = {
        "InstanceId": Property(
            str,
            "The server that gets the address, on its first port. Required with EIP.",
            update_allowed=True,
            constraints=[custom("nova.server")],
        ),
        "EIP": Property(
            str,
            "The address, usually a reference to an AWS::EC2::EIP.",
            update_allowed=True,
            constraints=[custom("ip_addr")],
        ),
        "AllocationId": Property(
            str,
            "The id of the floating IP, usually the attribute AllocationId of an AWS::EC2::EIP.",
            update_allowed=True,
        ),
        "NetworkInterfaceId": Property(
            str,
            "The port for the address, only with AllocationId. It takes precedence over InstanceId.",
            update_allowed=True,
        ),
    }
    rules = [EitherOr("EIP", "AllocationId"), SomethingToConnect()]

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        await _connect(await ctx.cloud(), props)
        ctx.set_physical_id(str(props.get("EIP") or props["AllocationId"]))

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        cloud = await ctx.cloud()
        await _disconnect(cloud, ctx.properties)
        await _connect(cloud, props)
        ctx.set_physical_id(str(props.get("EIP") or props["AllocationId"]))

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is not None:
            await _disconnect(await ctx.cloud(), ctx.properties)


async def _allocation(cloud: CloudServices, props: Properties) -> str | None:
    return props.get("AllocationId") or await allocation_at(cloud, props["EIP"])


async def _connect(cloud: CloudServices, props: Properties) -> None:
    allocation = await _allocation(cloud, props)
    if allocation is None:
        raise ResourceFailed(f"there is no floating address {props['EIP']}", "NotFound")
    if props.get("NetworkInterfaceId"):
        await associate(cloud, allocation, props["NetworkInterfaceId"])
    else:
        await link(cloud, props["InstanceId"], allocation)


async def _disconnect(cloud: CloudServices, props: Properties) -> None:
    allocation = await _allocation(cloud, props)
    if allocation is not None:
        await associate(cloud, allocation, None)
